import type { CaseFile } from '../report/case-file.ts';
import { caseEndOf, caseStartOf } from '../report/new-report.ts';
import { momentOf } from '../report/time-text.ts';
import type { Interval } from '../statistics/interval.ts';
import { recurrenceOf, type Recurrence } from '../statistics/recurrence.ts';
import type { MetricFacts } from './metric-facts.ts';

/** An episode of the alert, and who recorded it. */
interface Recorded extends Interval {
  readonly isStored: boolean;
}

/** When the alert fired, as the service's own store and Prometheus recorded it. */
export interface HistoryFacts {
  readonly current: Interval;
  /** Latest first, without the current one. */
  readonly earlier: readonly Recorded[];
  /** When each of all these began (ms), also those that Prometheus saw during this one. */
  readonly starts: readonly number[];
  /** 90th percentile of the earlier durations; null with fewer than three that have ended. */
  readonly usualMostSeconds: number | null;
  /** With the current episode, and with those that the case file no longer lists. */
  readonly recurrence: Recurrence;
}

/** Leaves out episodes with invalid times; one that ends before it begins has no duration. */
export function historyFacts(
  caseFile: CaseFile,
  metrics: MetricFacts | null,
  now: number,
): HistoryFacts {
  const current = { start: caseStartOf(caseFile), end: caseEndOf(caseFile), isStored: true };
  const before = caseFile.earlier.flatMap(({ startsAt, endsAt }): Recorded[] => {
    const start = momentOf(startsAt, Number.NaN);
    const end = endsAt === null ? null : momentOf(endsAt, Number.NaN);
    return Number.isNaN(start) || Number.isNaN(end) ? [] : [{ start, end, isStored: true }];
  });
  const { unlisted } = caseFile;
  const stored = [current, ...before];
  // What is no longer listed is counted already.
  const listedMs = unlisted === null ? -Infinity : Math.min(...stored.map(({ start }) => start));
  // The last sample of a stretch may be two steps old.
  const staleMs = Math.max(2 * (metrics?.window.stepSeconds ?? 0) * 1000, 120_000);
  const fired = (metrics?.fired?.intervals ?? []).map(({ fromMs, toMs }, index, all): Recorded => {
    const lasts = index === all.length - 1 && current.end === null && toMs >= now - staleMs;
    return { start: fromMs, end: lasts ? null : toMs, isStored: false };
  });
  const all = united([...stored, ...fired.filter(({ start }) => start >= listedMs)], staleMs);
  const earlier = all.filter((each) => each !== current &&
    (each.isStored || (each.end !== null && each.end < current.start)));
  const listed = recurrenceOf(all, now);
  return {
    current, earlier: earlier.reverse(), starts: all.map(({ start }) => start),
    usualMostSeconds: recurrenceOf(earlier, now).p90Seconds,
    recurrence: {
      ...listed,
      last24h: listed.last24h + (unlisted?.last24h ?? 0),
      last7d: listed.last7d + (unlisted?.last7d ?? 0),
      last30d: listed.last30d + (unlisted?.last30d ?? 0),
    },
  };
}

/**
 * The episodes of both, oldest first. Prometheus saw what fired before this service ran, and what
 * went on and off between two notifications; this service saw what was too short for its samples.
 * So of what lies within `apartMs` of each other, those of whoever saw more episodes are kept.
 */
function united(all: readonly Recorded[], apartMs: number): Recorded[] {
  const stretches: Recorded[][] = [];
  let untilMs = -Infinity;
  for (const each of all.toSorted((a, b) => a.start - b.start)) {
    if (each.start > untilMs + apartMs) stretches.push([]);
    stretches.at(-1)?.push(each);
    untilMs = Math.max(untilMs, each.end ?? Infinity);
  }
  return stretches.flatMap((stretch) => {
    const stored = stretch.filter(({ isStored }) => isStored);
    return stored.length * 2 >= stretch.length ? stored
      : stretch.filter(({ isStored }) => !isStored);
  });
}
