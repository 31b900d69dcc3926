import type { CaseFile } from '../report/case-file.ts';
import { endOf, startOf } from '../report/new-report.ts';
import { momentOf } from '../report/time-text.ts';
import { flappingOf, type Flapping } from '../statistics/flapping.ts';
import type { Interval } from '../statistics/interval.ts';
import { recurrenceOf, type Recurrence } from '../statistics/recurrence.ts';

/** What the stored episodes of one fingerprint show. */
export interface HistoryFacts {
  readonly current: Interval;
  /** Latest first, without the current one. */
  readonly earlier: readonly Interval[];
  /** 90th percentile of the earlier durations; null with fewer than three earlier episodes. */
  readonly usualMostSeconds: number | null;
  readonly recurrence: Recurrence;
  readonly flapping: Flapping;
}

/** Leaves out episodes with invalid times; one that ends before it begins has no duration. */
export function historyFacts(caseFile: CaseFile, now: number): HistoryFacts {
  const current = { start: startOf(caseFile), end: endOf(caseFile) };
  const earlier = caseFile.earlier.flatMap(({ startsAt, endsAt }) => {
    const start = momentOf(startsAt, Number.NaN);
    const end = endsAt === null ? null : momentOf(endsAt, Number.NaN);
    return Number.isNaN(start) || Number.isNaN(end) ? [] : [{ start, end }];
  });
  const all = [current, ...earlier];
  const listed = recurrenceOf(all, now);
  const { unlisted } = caseFile;
  return {
    current, earlier,
    usualMostSeconds: recurrenceOf(earlier, now).p90Seconds,
    recurrence: {
      ...listed,
      last24h: listed.last24h + (unlisted?.last24h ?? 0),
      last7d: listed.last7d + (unlisted?.last7d ?? 0),
      last30d: listed.last30d + (unlisted?.last30d ?? 0),
    },
    flapping: flappingOf(all, now),
  };
}
