/**
 * Sends what nobody meant to send through everything that reads what strangers send:
 *
 *   npx tsx scripts/fuzz.ts --seconds 120
 *   npx tsx scripts/fuzz.ts --seed 4711 --target promql --cases 1    one case again
 *
 * Prints every case that broke a promise with the seed that makes it again; exits with 1 then.
 */
import { systemClock } from '../src/lib/clock.ts';
import { fuzz } from './fuzz/target.ts';
import { allTargets } from './fuzz/targets.ts';
import { scriptOptions } from './script-options.ts';

const values = scriptOptions(import.meta.url, {
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  cases: { type: 'string' },
  target: { type: 'string' },
});
const targets = allTargets.filter(({ name }) => (values.target ?? name) === name);
if (targets.length === 0) {
  const known = allTargets.map(({ name }) => name).join(', ');
  process.stderr.write(`Unknown target; known are: ${known}\n`);
  process.exit(2);
}

/** Of each target; more of the same say nothing new. */
const shownMax = 5;
const caseMsMax = 2000;
const startedAt = systemClock.monotonic();
const roundsMax = values.cases === undefined ? Infinity : Number(values.cases);
const endsAt = startedAt + Number(values.seconds) * 1000;
const shown = new Map<string, number>();
const { cases, broken, slowestMs } = await fuzz({
  targets,
  firstSeed: Number(values.seed),
  goesOn: (rounds) => rounds < roundsMax && systemClock.monotonic() < endsAt,
  now: () => systemClock.monotonic(),
  caseMsMax,
  onBroken({ target, seed, message }) {
    const count = (shown.get(target) ?? 0) + 1;
    shown.set(target, count);
    if (count > shownMax) return;
    process.stdout.write(`--target ${target} --seed ${seed} --cases 1\n${message}\n\n`);
  },
});
const seconds = (systemClock.monotonic() - startedAt) / 1000;
process.stdout.write(
  `${cases} cases of ${targets.length} targets in ${Math.round(seconds)} s, ` +
    `slowest ${Math.round(slowestMs)} ms, ${broken.length} broken\n`,
);
process.exit(broken.length === 0 ? 0 : 1);
