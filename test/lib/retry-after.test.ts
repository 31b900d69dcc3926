import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from '../../src/lib/retry-after.ts';

const now = Date.UTC(2026, 9, 21, 7, 28);
const headers: readonly (readonly [header: string | undefined, ms: number | null])[] = [
  ['120', 120_000],
  ['1.5', 1_500],
  ['0', 0],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
  ['Wed, 21 Oct 2026 07:27:30 GMT', null],
  ['-5', null],
  ['soon', null],
  ['', null],
  [undefined, null],
];
for (const [header, ms] of headers) {
  test(`retryAfterMs() of ${header} is ${ms}`, () => {
    assert.equal(retryAfterMs(header, now), ms);
  });
}
