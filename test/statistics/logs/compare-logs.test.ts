import assert from 'node:assert/strict';
import test from 'node:test';
import { compareLogs } from '../../../src/statistics/logs/compare-logs.ts';

test('compareLogs counts what nothing was logged of', () => {
  const none = { lines: [], fromMs: 0, toMs: 60_000 };
  assert.deepEqual(compareLogs(none, none), []);
});
