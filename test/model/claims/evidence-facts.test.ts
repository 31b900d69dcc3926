import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf } from '../../../src/model/claims/evidence-facts.ts';
import { moreEvidence } from './claim-evidence.ts';

test('factsOf() knows the unit of a number by the end of its name', () => {
  const [item] = moreEvidence;
  assert.ok(item);
  const data = {
    wait_ms: 250, wait_milliseconds: 1500, age_seconds: 90, used_percent: 7, error_ratio: 0.04,
    free_bytes: 4096, restarts: 3,
  };
  const { numbers } = factsOf({ ...item, title: '', summary: '', query: null, data });
  assert.deepEqual(numbers.map(({ value, kind }) => [value, kind]), [
    [0.25, 'seconds'], [1.5, 'seconds'], [90, 'seconds'], [7, 'percent'], [4, 'percent'],
    [4096, 'bytes'], [3, 'bare'],
  ]);
});
