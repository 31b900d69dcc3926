import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inUtc, parseTime, timestamp } from '../../src/alert/timestamp.ts';
import { FormatError } from '../../src/lib/parse.ts';

const times: readonly [string, string | null][] = [
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
  ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123Z'],
  ['2026-01-02T03:04:05.999999999Z', '2026-01-02T03:04:05.999Z'],
  ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  ['2026-01-02T00:30:00-05:45', '2026-01-02T06:15:00.000Z'],
  ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
  ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59-00:01', null],
  ['0000-01-01T00:00:00+00:01', null],
  ['2026-02-29T00:00:00Z', null],
  ['2026-04-31T00:00:00Z', null],
  ['2026-13-01T00:00:00Z', null],
  ['2026-00-01T00:00:00Z', null],
  ['2026-01-00T00:00:00Z', null],
  ['2026-01-01T24:00:00Z', null],
  ['2026-01-01T23:60:00Z', null],
  ['2026-01-01T23:59:61Z', null],
  ['2026-01-01T00:00:00', null],
  ['2026-01-01T00:00:00.Z', null],
  ['2026-01-01T00:00:00.1234567890Z', null],
  ['2026-01-01T00:00:00+24:00', null],
  ['2026-01-01T00:00:00+00:60', null],
  ['2026-01-01T00:00:00+0100', null],
  ['2026-01-01', null],
  [' 2026-01-01T00:00:00Z', null],
  ['2026-01-01T00:00:00Z\n', null],
  ['1735689600', null],
  ['', null],
];
for (const [text, expected] of times) {
  test(`parseTime() of ${JSON.stringify(text)} is ${expected}`, () => {
    const time = parseTime(text);
    assert.equal(time === null ? null : new Date(time).toISOString(), expected);
  });
}

const absent = [
  undefined, null, '0001-01-01T00:00:00Z', '0001-12-31T23:59:59.9Z', '0001-01-01T00:00:00+00:00',
];
for (const value of absent) {
  test(`timestamp() of ${JSON.stringify(value)} is null`, () => {
    assert.equal(timestamp(value, 'endsAt'), null);
  });
}

test('timestamp() keeps the text as it was sent', () => {
  const sent = '2026-01-02T03:04:05.123456789+02:00';
  assert.equal(timestamp(sent, 'startsAt'), sent);
});

test('inUtc() writes the same moment in UTC, and leaves what is so', () => {
  const sent = '2026-01-02T03:04:05.123456789Z';
  assert.equal(inUtc(sent), sent);
  assert.equal(inUtc('2026-01-02T00:30:00.5+01:00'), '2026-01-01T23:30:00.500Z');
  assert.equal(inUtc('2026-01-02 03:04:05z'), '2026-01-02T03:04:05.000Z');
});

for (const value of [0, '', 'soon', {}, [], true]) {
  test(`timestamp() refuses ${JSON.stringify(value)}`, () => {
    assert.throws(() => timestamp(value, 'startsAt'), FormatError);
  });
}
