import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plausibleEnd, startOfOpen } from '../../../src/episodes/book/new-episode.ts';
import { changeOf } from '../../../src/episodes/records.ts';
import { anAlert } from '../../support/samples/alerts.ts';

const known = '2026-11-20T10:00:00Z';
const heardAt = Date.parse('2026-11-20T10:00:05Z');

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
    assert.equal(startOfOpen(known, told, heardAt), expected);
  });
}

test('startOfOpen() keeps the start when a twin repeats its own later one', () => {
  const told = '2026-11-20T10:05:00Z';
  assert.equal(startOfOpen(known, told, Date.parse('2026-11-20T10:30:00Z')), known);
});

const at = Date.parse('2026-11-20T11:00:00Z');
const ends: readonly (readonly [told: string | null, expected: string, why: string])[] = [
  ['2026-11-20T11:30:00+01:00', '2026-11-20T11:30:00+01:00', 'it is told'],
  [null, '2026-11-20T11:00:00.000Z', 'none is told'],
  ['2026-11-20T11:04:00Z', '2026-11-20T11:04:00Z', 'the clock of its sender is ahead'],
  ['2026-11-20T14:00:00Z', '2026-11-20T11:00:00.000Z', 'one in the future is told'],
  ['9999-12-31T23:59:59Z', '2026-11-20T11:00:00.000Z', 'one that never comes is told'],
  ['2026-11-20T09:00:00Z', '2026-11-20T10:00:00.000Z', 'one before its start is told'],
];
for (const [told, expected, why] of ends) {
  test(`plausibleEnd() is ${expected} where ${why}`, () => {
    assert.equal(plausibleEnd(told, { startsAt: known, at }), expected);
  });
}

test('plausibleEnd() is not in the future, even if the start is', () => {
  const startsAt = '2026-11-20T12:00:00Z';
  assert.equal(plausibleEnd(null, { startsAt, at }), '2026-11-20T11:00:00.000Z');
});

test('an episode has its times in UTC, whatever offset the sender writes them with', () => {
  const alert = anAlert({
    status: 'resolved', startsAt: '2026-01-02T00:30:00+01:00', endsAt: '2026-01-01T23:45:00-01:00',
  });
  const { startsAt, endsAt } = changeOf(alert);
  assert.deepEqual([startsAt, endsAt], ['2026-01-01T23:30:00.000Z', '2026-01-02T00:45:00.000Z']);
});
