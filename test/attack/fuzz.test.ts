/** A few seconds of `scripts/fuzz.ts`, with the same cases in every run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz, type Target } from '../../scripts/fuzz/target.ts';
import { allTargets } from '../../scripts/fuzz/targets.ts';

/** Cases per target; a target that makes whole reports is a hundred times slower. */
const casesOf: Readonly<Record<string, number>> = {
  report: 30, recording: 100, journal: 100, 'log-answer': 100, 'cluster-answer': 50,
};
const casesElsewhere = 1000;
const firstSeed = 20_261_120;
/** Generous, as the machine may be busy. */
const caseMsMax = 5000;

for (const target of allTargets) {
  const count = casesOf[target.name] ?? casesElsewhere;
  test(`${target.name} withstands ${count} fuzzed cases`, async () => {
    const { broken, cases } = await fuzz({
      targets: [target], firstSeed, caseMsMax,
      goesOn: (rounds) => rounds < count,
      now: () => performance.now(),
    });
    assert.deepEqual(broken, []);
    assert.equal(cases, count);
  });
}

test('fuzz() finds cases that throw or take too long, and reproduces them by seed', async () => {
  let now = 0;
  const seen: number[] = [];
  const weak: Target = {
    name: 'weak',
    run(chance) {
      const drawn = chance.below(10);
      seen.push(drawn);
      if (drawn === 0) throw new TypeError('zero');
      if (drawn === 1) now += 1001;
    },
  };
  const options = { targets: [weak], now: () => now, caseMsMax: 1000 };
  const { broken } = await fuzz({ ...options, firstSeed: 1, goesOn: (rounds) => rounds < 100 });
  const expected = seen.flatMap((drawn, index) => (drawn < 2 ? [[index + 1, drawn]] : []));
  assert.ok(expected.length > 5);
  assert.deepEqual(broken.map(({ seed }) => seed), expected.map(([seed]) => seed));
  for (const { seed, message } of broken) {
    assert.match(message, /zero|took 1001 ms/);
    const again = await fuzz({ ...options, firstSeed: seed, goesOn: (rounds) => rounds < 1 });
    assert.equal(again.broken[0]?.seed, seed);
  }
});
