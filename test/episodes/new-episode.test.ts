import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOfOpen } from '../../src/episodes/new-episode.ts';

const known = '2026-11-20T10:00:00Z';

const rows: readonly (readonly [told: string | null, expected: string, why: string])[] = [
  [null, known, 'nothing is told'],
  ['2026-11-20T09:59:30Z', '2026-11-20T09:59:30Z', 'a twin saw it earlier'],
  ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z', 'it began long before'],
  ['2026-11-20T10:04:59Z', known, 'a twin saw it later'],
  ['2026-11-20T10:05:00Z', '2026-11-20T10:05:00Z', 'it ended untold, and began anew'],
  ['2026-11-21T11:00:00+01:00', '2026-11-21T11:00:00+01:00', 'so it did a day later'],
  ['no time', known, 'what is told is no time'],
];
for (const [told, expected, why] of rows) {
  test(`startOfOpen() is ${expected} where ${why}`, () => {
    assert.equal(startOfOpen(known, told), expected);
  });
}
