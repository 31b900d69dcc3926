import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HastyWindow, runIntakeLosses } from '../support/disk/intake-losses.ts';

const lives = 60;

test('Intake answers 200 only for alerts that survive any kill or power loss', async () => {
  let acknowledged = 0;
  for (let seed = 1; seed <= lives; seed += 1) {
    const tally = await runIntakeLosses(seed);
    assert.deepEqual(tally.problems, [], `seed ${seed}`);
    acknowledged += tally.acknowledged;
  }
  assert.ok(acknowledged > lives * 10, `only ${acknowledged} alerts were acknowledged`);
});

test('the simulation catches a dedup entry that is made before its alert is on disk', async () => {
  let caughtAt = 0;
  for (let seed = 1; seed <= lives && caughtAt === 0; seed += 1) {
    if ((await runIntakeLosses(seed, HastyWindow)).problems.length > 0) caughtAt = seed;
  }
  assert.ok(caughtAt > 0);
});
