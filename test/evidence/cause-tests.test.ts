import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testedAt, withinProblem } from '../../src/evidence/metrics/cause-tests.ts';

const minute = 60_000;
const startsAtMs = 1_000 * minute;

test('testedAt() is now while the alert fires, unless it began long ago', () => {
  const afterStart = (now: number): number =>
    testedAt({ startsAtMs, endsAtMs: null, now: startsAtMs + now * minute }, 300) - startsAtMs;
  assert.equal(afterStart(9), 9 * minute);
  assert.equal(afterStart(-2), -2 * minute, 'its sender’s clock is ahead');
  assert.equal(afterStart(80), 30 * minute, 'a release just before it is in the last hour');
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

const isSupported = (): boolean => false;
const share = 'sum(rate(a[5m])) / sum(rate(a[5m] offset 30m))';
for (const [seconds, scrapeSeconds, range, isDiluted] of [
  [20, 5, '30s', false], [40, 15, '60s', false], [100, 15, '105s', false], [20, 15, '60s', true],
  [20, null, '120s', true], [40, 120, '5m', true], [300, 15, '5m', false],
] as const) {
  test(`a test of a problem ${seconds} s old, scraped every ${scrapeSeconds} s, is over ${range}`,
    () => {
      const test = { id: 'a', cause: 'A', query: share, isSupported };
      const asked = withinProblem(test, { seconds, scrapeSeconds });
      const query = `sum(rate(a[${range}])) / sum(rate(a[5m] offset 30m))`;
      assert.deepEqual(asked, {
        id: 'a', cause: 'A', query, isSupported, isDiluted, problemSeconds: seconds,
      });
    });
}

test('a test that reads the past or no average is asked as it is', () => {
  for (const query of ['max(max_over_time(rate(a[5m])[1h:5m]))', 'changes(a[1h])', 'up']) {
    const test = { id: 'a', cause: 'A', query, isSupported };
    const asked = withinProblem(test, { seconds: 20, scrapeSeconds: 15 });
    assert.deepEqual(asked, { ...test, isDiluted: false, problemSeconds: 20 });
  }
});
