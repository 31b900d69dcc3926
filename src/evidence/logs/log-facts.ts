import { unlinked } from '../../report/unlinked.ts';
import type { TimeSpan } from '../../sources/time-grid.ts';
import type { PatternChange } from '../../statistics/logs/compare-logs.ts';
import type { LineRate } from '../../statistics/logs/line-counts.ts';
import type { SourceReport } from '../source-report.ts';
import type { LogWindow } from './log-comparison.ts';

/** What Loki says about the alert's own logs. Each fact names its evidence items. */
export interface LogFacts {
  readonly source: SourceReport;
  readonly window: LogWindow;
  /**
   * Until when the log is empty from the beginning of the window: it is younger, or Loki has
   * dropped older lines. Null if it has lines from the start or they were not counted.
   */
  readonly emptyUntilMs: number | null;
  /** A gap without lines in a log that otherwise has some in nearly every minute. */
  readonly gap: TimeSpan | null;
  /** Null if no streams were found or they could not be read. */
  readonly trouble: TroubleFacts | null;
  readonly rate: RateFacts | null;
}

/** How the lines of one pattern changed, in texts that are fit to be shown. */
export type LogNews = Omit<PatternChange, 'line'>;

/** Lines that report trouble. Secrets are masked in all texts. */
export interface TroubleFacts {
  /** "pod cart-1": whose lines they are. */
  readonly owner: string;
  readonly before: number;
  readonly after: number;
  /**
   * From when on lines were read, in ms: later than asked for if there were too many, or if the log
   * began later. Equal to the split if there was no log before it.
   */
  readonly beforeFromMs: number;
  readonly afterFromMs: number;
  /**
   * The patterns that stand out, the most telling first; if none is new, also failures that were
   * not seen before but are too few to be significant.
   */
  readonly news: readonly LogNews[];
  /** How many patterns there are in all. */
  readonly patterns: number;
  readonly evidence: string;
}

export interface RateFacts extends LineRate {
  readonly owner: string;
  /** Since when there are no lines; null if there are some or silence is usual. */
  readonly silentSinceMs: number | null;
  /** Until when lines were counted. */
  readonly toMs: number;
  readonly evidence: string;
}

/** "42 lines a minute" */
export function perMinuteText(rate: number): string {
  const rounded = Number(rate.toPrecision(2));
  return `${rounded} line${rounded === 1 ? '' : 's'} a minute`;
}

/** A pattern in quotes, as part of a sentence. */
export function quotedPattern(pattern: string): string {
  return `"${unlinked(pattern.replace(/<\*>(?:\s*<\*>)*/g, '…'))}"`;
}
