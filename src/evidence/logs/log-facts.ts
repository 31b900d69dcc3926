import type { LineRate } from '../../statistics/logs/line-rate.ts';
import type { PatternChange } from '../../statistics/logs/compare-logs.ts';
import type { SourceReport } from '../metric-facts.ts';
import type { LogWindow } from './log-comparison.ts';

/** What Loki told of the alert's own logs. Each fact names the ledger items it rests on. */
export interface LogFacts {
  readonly source: SourceReport;
  readonly window: LogWindow;
  /**
   * The log has no line from the beginning of the window until then: it is younger, or Loki has
   * lost what was before. Null where it has one at once, or the lines were not counted.
   */
  readonly emptyUntilMs: number | null;
  /** When it has no line although it has some in nearly every minute before and after. */
  readonly gap: { readonly fromMs: number; readonly toMs: number } | null;
  /** Null where no streams were found, or could be read. */
  readonly trouble: TroubleFacts | null;
  readonly rate: RateFacts | null;
}

/** What the lines of one pattern did, in texts that are fit to be shown. */
export type LogNews = Omit<PatternChange, 'line'>;

/** Lines that tell of trouble. Secrets are masked in all texts. */
export interface TroubleFacts {
  /** "pod cart-1": whose lines they are. */
  readonly owner: string;
  readonly before: number;
  readonly after: number;
  /**
   * From when on there are lines that were read, in ms; later than asked for where there were too
   * many, or none of any kind. Before is empty where that is when it ends.
   */
  readonly beforeFromMs: number;
  readonly afterFromMs: number;
  /**
   * What stands out of them, the most telling first; where nothing does, failures that have no
   * line before and too few after to tell chance from news.
   */
  readonly news: readonly LogNews[];
  /** Of how many patterns. */
  readonly patterns: number;
  readonly evidence: string;
}

export interface RateFacts extends LineRate {
  readonly owner: string;
  /** Since when there is no line; null where that is usual, or there are lines. */
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

/**
 * A pattern as a part of a sentence, in quotes. Addresses lose their scheme: chats make links of
 * them, and whoever gets a line into a log would choose where these lead.
 */
export function quotedPattern(pattern: string): string {
  const plain = pattern.replace(/<\*>(?:\s*<\*>)*/g, '…').replace(/\b[a-z][a-z0-9+.-]*:\/\//gi, '');
  return `"${plain}"`;
}
