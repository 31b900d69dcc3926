import assert from 'node:assert/strict';
import test from 'node:test';
import { durationQuantile } from '../../src/statistics/duration-quantile.ts';
import type { Interval } from '../../src/statistics/interval.ts';
import { recurrenceOf } from '../../src/statistics/recurrence.ts';
import { usualPhase, rhythmOf } from '../../src/statistics/rhythm.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.parse('2026-11-20T10:00:00Z'); // A Friday.

function episode(hoursAgo: number, minutes: number | null): Interval {
  const start = now - hoursAgo * hour;
  return { start, end: minutes === null ? null : start + minutes * minute };
}

test('durationQuantile is the smallest duration that the share does not outlast', () => {
  const ended = [60, 120, 180, 240].map((seconds) => ({ seconds, ended: true }));
  assert.equal(durationQuantile(ended, 0.5), 120);
  assert.equal(durationQuantile(ended, 0.9), 240);
  assert.equal(durationQuantile([], 0.5), null);
  const ten = Array.from({ length: 10 }, (_, index) => ({ seconds: 1 + index, ended: true }));
  assert.equal(durationQuantile(ten, 0.9), 9);
});

test('durationQuantile counts what has not ended as lasting longer', () => {
  // Survival: 2/3 after 60 s, then 1/3 after 300 s; the one of 120 s only leaves the risk set.
  const durations = [
    { seconds: 60, ended: true }, { seconds: 120, ended: false }, { seconds: 300, ended: true },
  ];
  assert.equal(durationQuantile(durations, 0.3), 60);
  assert.equal(durationQuantile(durations, 0.5), 300);
  const open = [{ seconds: 60, ended: true }, { seconds: 90, ended: false }];
  assert.equal(durationQuantile(open, 0.9), null);
  const tied = [[5, false], [5, false], [5, true], [9, true]] as const;
  const told = tied.map(([seconds, ended]) => ({ seconds, ended }));
  assert.equal(durationQuantile(told, 0.5), 9);
});

test('recurrenceOf lists without statistics below three episodes', () => {
  const { last24h, last7d, medianSeconds, selfResolvedShare, rhythm, gapVariation } =
    recurrenceOf([episode(1, 5), episode(30, 5)], now);
  assert.deepEqual([last24h, last7d], [1, 2]);
  assert.deepEqual([medianSeconds, selfResolvedShare, rhythm, gapVariation],
    [null, null, null, null]);
});

test('recurrenceOf counts beginnings within a day, a week and a month', () => {
  const hours = [1, 23, 25, 6 * 24, 8 * 24, 29 * 24, 31 * 24];
  const recurrence = recurrenceOf(hours.map((ago) => episode(ago, 10)), now);
  assert.deepEqual([recurrence.last24h, recurrence.last7d, recurrence.last30d], [2, 4, 6]);
});

test('recurrenceOf shares out what ended within five minutes', () => {
  const ended = [episode(5, 2), episode(9, 4), episode(13, 5), episode(17, 60)];
  const episodes = [episode(1, null), ...ended];
  const { selfResolvedShare, medianSeconds, gapVariation, gapMedianSeconds } =
    recurrenceOf(episodes, now);
  assert.equal(selfResolvedShare, 0.5);
  assert.equal(medianSeconds, 300);
  assert.equal(gapVariation, 0);
  assert.equal(gapMedianSeconds, 4 * 3600);
});

test('recurrenceOf shares out no two ended episodes', () => {
  const episodes = [episode(1, null), episode(5, 2), episode(9, 2)];
  assert.equal(recurrenceOf(episodes, now).selfResolvedShare, null);
});

test('recurrenceOf has no gaps where everything began at once', () => {
  const { gapMedianSeconds } = recurrenceOf([episode(1, 1), episode(1, 1), episode(1, 1)], now);
  assert.equal(gapMedianSeconds, null);
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
