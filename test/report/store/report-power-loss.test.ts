import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plantedStoreBugs, runReportLosses } from '../../support/disk/report-losses.ts';

/** Longer runs are for `scripts/power-loss.ts`. */
const runs = 80;
const runsWithBug = 500;

test(`ReportStore loses and mixes up nothing over ${runs} lives with power losses`, async () => {
  let acknowledged = 0;
  for (let seed = 1; seed <= runs; seed += 1) {
    const tally = await runReportLosses(seed);
    assert.deepEqual(tally.problems, [], `seed ${seed}`);
    acknowledged += tally.acknowledged;
  }
  assert.ok(acknowledged > runs * 10, `only ${acknowledged} reports were stored`);
});

for (const [name, bug] of Object.entries(plantedStoreBugs)) {
  test(`the power loss simulation catches the planted bug ${name}`, async () => {
    let caughtAt = 0;
    for (let seed = 1; seed <= runsWithBug && caughtAt === 0; seed += 1) {
      if ((await runReportLosses(seed, bug)).problems.length > 0) caughtAt = seed;
    }
    assert.ok(caughtAt > 0);
  });
}
