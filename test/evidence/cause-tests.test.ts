import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testedAt } from '../../src/evidence/metrics/cause-tests.ts';

const minute = 60_000;
const startsAtMs = 1_000 * minute;

test('testedAt() is now while the alert fires', () => {
  const now = startsAtMs + 9 * minute;
  assert.equal(testedAt({ startsAtMs, endsAtMs: null, now }, 300), now);
});

for (const [lasted, range, expected] of [
  [10, 0, 5], [10, 300, 2.5], [6, 300, 0.5], [3, 300, 0], [600, 300, 30],
] as const) {
  test(`testedAt() is ${expected} min after the start of ${lasted} min over ${range} s`, () => {
    const endsAtMs = startsAtMs + lasted * minute;
    const at = testedAt({ startsAtMs, endsAtMs, now: endsAtMs + minute }, range);
    assert.equal((at - startsAtMs) / minute, expected);
  });
}
