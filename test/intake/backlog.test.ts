import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRoom } from '../../src/intake/backlog.ts';

test('hasRoom() is false when there are too many jobs, or they take too much memory', () => {
  const perJob = 16 * 1024;
  const cases = [
    ['firing', 0, 0, true],
    ['firing', 9, 10 * perJob - 1, true],
    ['firing', 10, 0, false],
    ['firing', 1, 10 * perJob, false],
    ['ended', 14, 15 * perJob - 1, true],
    ['ended', 15, 0, false],
    ['ended', 1, 15 * perJob, false],
    ['none', 1_000, 15 * perJob - 1, true],
    ['none', 1, 15 * perJob, false],
  ] as const;
  for (const [begins, jobs, weight, expected] of cases) {
    const name = `${begins}, ${jobs} jobs, weight ${weight}`;
    assert.equal(hasRoom(10, { jobs, weight }, { alerts: 0, begins }), expected, name);
    assert.equal(hasRoom(10, { jobs: 0, weight }, { alerts: jobs, begins }), expected, name);
  }
});
