import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plantedBugs } from '../support/disk/planted-bugs.ts';
import { type PlantedBug, runPowerLosses } from '../support/disk/power-loss.ts';

/** Longer runs are for `scripts/power-loss.ts`. */
const runs = 80;
/** In which each planted bug has to show. */
const runsWithBug = 2000;

test(`Journal loses and invents nothing over ${runs} lives with power losses`, async () => {
  let acknowledged = 0;
  for (let seed = 1; seed <= runs; seed += 1) {
    const tally = await runPowerLosses(seed);
    assert.deepEqual(tally.problems, [], `seed ${seed}`);
    acknowledged += tally.acknowledged;
  }
  assert.ok(acknowledged > runs * 10, `only ${acknowledged} records were acknowledged`);
});

for (const [name, bug] of Object.entries(plantedBugs)) {
  test(`the power loss simulation catches the planted bug ${name}`, async () => {
    assert.notEqual(await firstCaught(bug), null);
  });
}

/** The seed of the first life in which the bug shows. */
async function firstCaught(bug: PlantedBug): Promise<number | null> {
  for (let seed = 1; seed <= runsWithBug; seed += 1) {
    const { problems } = await runPowerLosses(seed, bug);
    if (problems.length > 0) return seed;
  }
  return null;
}
