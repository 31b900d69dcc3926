import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRoom } from '../../src/intake/backlog.ts';

test('hasRoom() is false when there are too many jobs, or their text weighs too much', () => {
  const perJob = 16 * 1024;
  const cases = [
    [0, 0, true],
    [9, 10 * perJob - 1, true],
    [10, 0, false],
    [1, 10 * perJob, false],
  ] as const;
  for (const [jobs, weight, expected] of cases) {
    assert.equal(hasRoom(10, { jobs, weight }), expected, `${jobs} jobs, weight ${weight}`);
  }
});
