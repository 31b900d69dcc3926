import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  formatExactMoment, formatMoment, formatOnset, formatRelative, formatSpan, parseMoment,
} from '../../src/report/time-text.ts';

const now = Date.parse('2026-11-20T01:26:30Z');

const moments: readonly (readonly [string, string])[] = [
  ['2026-11-20T02:14:10.5+01:00', '01:14 UTC'],
  ['2026-11-19T23:59:59Z', '19 Nov 23:59 UTC'],
  ['2025-11-20T01:14:10Z', '20 Nov 2025 01:14 UTC'],
  ['<no time>', '<no time>'],
];

for (const [time, expected] of moments) {
  test(`formatMoment() shortens ${time} as far as it stays clear`, () => {
    assert.equal(formatMoment(time, now), expected);
  });
}

test('parseMoment() reads what formatMoment() wrote', () => {
  const asOf = new Date(now).toISOString();
  for (const time of ['2026-11-20T01:14:00Z', '2026-11-09T23:59:00Z', '2025-01-02T00:00:00Z']) {
    const found = parseMoment(formatMoment(time, now), asOf);
    assert.equal(found, time);
  }
  for (const other of ['25:00 UTC', '31 Feb 01:00 UTC', '1 Foo 01:00 UTC', '01:14', '']) {
    assert.equal(parseMoment(other, asOf), null, other);
  }
  assert.equal(parseMoment('01:14 UTC', 'no time'), null);
});

const ages: readonly (readonly [string, string | null])[] = [
  ['2026-11-20T01:26:29Z', 'just now'],
  ['2026-11-20T01:26:00Z', '30 s ago'],
  ['2026-11-20T01:23:00Z', '3 min ago'],
  ['2026-11-19T22:20:00Z', '3 h 6 min ago'],
  ['2026-11-20T01:31:30Z', 'in 5 min'],
  ['soon', null],
];

for (const [time, expected] of ages) {
  test(`formatRelative() says ${time} relative to now`, () => {
    assert.equal(formatRelative(time, now), expected);
  });
}

test('formatExactMoment() is to the second and in UTC', () => {
  assert.equal(formatExactMoment('2026-11-20T02:14:10.9+01:00'), '2026-11-20 01:14:10 UTC');
});

test('formatOnset() says whether it was before or after the problem began', () => {
  assert.equal(formatOnset(-300), '5 min before the problem');
  assert.equal(formatOnset(40), '40 s after the problem');
  assert.equal(formatOnset(0.2), 'when the problem began');
  assert.equal(formatOnset(-4), 'when the problem began');
});

test('formatSpan() of what is over is exact, as it is wherever else the duration is told', () => {
  const span = formatSpan('2026-11-20T01:14:10Z', '2026-11-20T01:19:34Z', now);
  assert.equal(span, '5 min 24 s');
});

test('formatSpan() lasts until now if there is no end', () => {
  assert.equal(formatSpan('2026-11-20T01:14:10Z', null, now), '12 min');
  assert.equal(formatSpan('2026-11-20T01:14:10Z', '2026-11-20T01:14:19Z', now), '9 s');
  assert.equal(formatSpan('2026-11-20T01:14:19Z', '2026-11-20T01:14:10Z', now), '0 s');
  assert.equal(formatSpan('2026-11-20T01:24:09Z', null, now), '2 min');
  assert.equal(formatSpan('never', null, now), 'an unknown time');
});
