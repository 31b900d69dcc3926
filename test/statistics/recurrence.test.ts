import assert from 'node:assert/strict';
import test from 'node:test';
import type { Interval } from '../../src/statistics/interval.ts';
import { isFlapping, recurrenceOf } from '../../src/statistics/recurrence.ts';
import { usualPhase, rhythmOf } from '../../src/statistics/rhythm.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.parse('2026-11-20T10:00:00Z'); // A Friday.

function episode(hoursAgo: number, minutes: number | null): Interval {
  const start = now - hoursAgo * hour;
  return { start, end: minutes === null ? null : start + minutes * minute };
}

test('recurrenceOf lists without statistics below three episodes', () => {
  const { last24h, last7d, medianSeconds, selfResolvedShare, rhythm } =
    recurrenceOf([episode(1, 5), episode(30, 5)], now);
  assert.deepEqual([last24h, last7d], [1, 2]);
  assert.deepEqual([medianSeconds, selfResolvedShare, rhythm], [null, null, null]);
});

test('recurrenceOf counts beginnings within less than a day, a week and a month', () => {
  const hours = [1, 23.9, 24, 7 * 24 - 1, 7 * 24, 30 * 24 - 1, 30 * 24];
  const recurrence = recurrenceOf(hours.map((ago) => episode(ago, 10)), now);
  assert.deepEqual([recurrence.last24h, recurrence.last7d, recurrence.last30d], [2, 4, 6]);
});

test('recurrenceOf counts what begins later by the clock of its sender', () => {
  const { last24h, last7d, last30d } = recurrenceOf([episode(-0.1, null), episode(240, 5)], now);
  assert.deepEqual([last24h, last7d, last30d], [1, 1, 2]);
});

test('recurrenceOf shares out what ended within five minutes', () => {
  const ended = [episode(5, 2), episode(9, 4), episode(13, 5), episode(17, 60)];
  const episodes = [episode(1, null), ...ended];
  const { selfResolvedShare, medianSeconds } = recurrenceOf(episodes, now);
  assert.equal(selfResolvedShare, 0.5);
  assert.equal(medianSeconds, 4 * 60);
});

test('recurrenceOf shares out no two ended episodes', () => {
  const episodes = [episode(1, null), episode(5, 2), episode(9, 2)];
  assert.equal(recurrenceOf(episodes, now).selfResolvedShare, null);
});

test('recurrenceOf takes the durations of what has ended, a tenth of which are longer', () => {
  const ten = Array.from({ length: 10 }, (_, index) => episode(20 + index, 1 + index));
  const { medianSeconds, p90Seconds } = recurrenceOf([episode(1, null), ...ten], now);
  assert.deepEqual([medianSeconds, p90Seconds], [5 * 60, 9 * 60]);
});

test('isFlapping sees in four beginnings within 105 minutes', () => {
  const often = (...minutesAgo: number[]): boolean =>
    isFlapping(minutesAgo.map((ago) => episode(ago / 60, 1)), now);
  assert.equal(often(0, 30, 60, 90), true);
  assert.equal(often(1, 2, 3, 4), true);
  assert.equal(often(0, 30, 60, 106), false);
  assert.equal(often(-1, 0, 30, 60), false, 'what begins later has not begun');
  assert.equal(isFlapping([episode(48, null)], now), false);
});

test('usualPhase finds a phase only where moments gather', () => {
  const at = (hours: number): number => hours * hour;
  assert.equal(usualPhase([at(2), at(2), at(2), at(2)], day), null, 'four are too few');
  const phase = usualPhase([at(23), at(24), at(25), at(24), at(24)], day) ?? Number.NaN;
  assert.ok(Math.min(phase, 1 - phase) < 1e-9, 'midnight is one point on the circle');
  assert.equal(usualPhase([at(0), at(5), at(10), at(14), at(19)], day), null);
  // Three of five together: n R² is 1.8, as chance makes it in one of six.
  assert.equal(usualPhase([at(0), at(0), at(0), at(6), at(18)], day), null);
});

test('rhythmOf says the hour of a nightly alert', () => {
  const nightly = [0, 1, 2, 4, 5, 8].map((days) => {
    const start = Date.parse('2026-11-20T02:07:00Z') - days * day;
    return { start, end: start + minute };
  });
  assert.equal(rhythmOf(nightly), 'usually around 02:00 UTC');
});

test('rhythmOf tells no hour where most starts are far from it', () => {
  // Once a day in a month, on most days at any time from 8:00 to 18:00.
  const hourOf = (days: number): number => (days % 4 === 0 ? 22 : 8) + (days * 37 % 31) / 3;
  const startsOf = (hourAt: (days: number) => number): { start: number; end: number }[] =>
    Array.from({ length: 30 }, (_, days) => {
      const start = Date.parse('2026-10-01T00:00:00Z') + days * day + hourAt(days) * hour;
      return { start, end: start + minute };
    });
  assert.equal(rhythmOf(startsOf(hourOf)), null);
  // More than half of them, and the others at any time.
  const mostly = startsOf((days) => (days % 3 === 0 ? hourOf(days) : 13 + (days % 5) / 3));
  assert.equal(rhythmOf(mostly), 'usually around 13:30 UTC');
});

test('rhythmOf says the weekday of a weekly alert', () => {
  const weekly = [0, 1, 2, 3, 4].map((weeks) => {
    const start = Date.parse('2026-11-16T06:29:00Z') - weeks * 7 * day;
    return { start, end: start + minute };
  });
  assert.equal(rhythmOf(weekly), 'usually on Mondays around 06:30 UTC');
});

test('rhythmOf says the weekday of what comes late in the day', () => {
  const weekly = [0, 1, 2, 3, 4].map((weeks) => {
    const start = Date.parse('2026-11-16T22:00:00Z') - weeks * 7 * day;
    return { start, end: start + minute };
  });
  assert.equal(rhythmOf(weekly), 'usually on Mondays around 22:00 UTC');
});

test('rhythmOf says the weekday of what comes around midnight', () => {
  const starts = [-4, 3, -2, 5, 1, 2, -1].map((minutes, weeks) =>
    Date.parse('2026-11-16T00:00:00Z') - weeks * 7 * day + minutes * minute);
  const weekly = starts.map((start) => ({ start, end: start + minute }));
  assert.equal(rhythmOf(weekly), 'usually on Mondays around 00:00 UTC');
  const before = starts.map((start) => ({ start: start - 10 * minute, end: start }));
  assert.equal(rhythmOf(before), 'usually on Mondays around 00:00 UTC');
});

test('rhythmOf says when a nightly alert comes on most days around a change of the clocks', () => {
  const nightly = Array.from({ length: 30 }, (_, days) => {
    const hourUtc = days < 20 ? 1 : 0;
    const start = Date.parse('2026-11-14T00:03:00Z') - days * day + hourUtc * hour;
    return { start, end: start + 40 * minute };
  });
  assert.equal(rhythmOf(nightly), 'usually around 01:00 UTC');
});

test('rhythmOf takes one afternoon of flapping for no rhythm', () => {
  const burst = Array.from({ length: 30 }, (_, index) => episode(index / 10, 1));
  assert.equal(rhythmOf(burst), null);
});

test('rhythmOf takes an alert that comes every five hours for no rhythm', () => {
  const steady = Array.from({ length: 60 }, (_, index) => episode(index * 5, 1));
  assert.equal(rhythmOf(steady), null);
});
