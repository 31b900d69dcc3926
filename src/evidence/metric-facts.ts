/**
 * What a metric source told about one alert. Each fact names the ledger items it rests on. Nothing
 * here is a judgement: those are the diagnosis'.
 */
import type { LabelSet } from '../alert/labels.ts';
import type { RuleReading } from './rule/rule-expression.ts';
import type { SourceState } from '../report/report.ts';
import type { Contributors } from '../statistics/contributions.ts';
import type { ChangeRanking } from '../statistics/rank-changes.ts';
import type { Recovery } from '../statistics/recovery.ts';

/** Times are wall time in milliseconds. */
export interface MetricFacts {
  readonly source: SourceReport;
  readonly window: Window;
  /** The rule as the server has it; null when it was not found there or nobody asked. */
  readonly rule: RuleFacts | null;
  /** The one of its several conditions that held; null for any other rule. */
  readonly holding: RuleReading | null;
  /** The series the alert is about; null when it could not be found or drawn. */
  readonly own: OwnSeries | null;
  /** When the same alert fired before, by `ALERTS`; null when that is not known. */
  readonly fired: FiredFacts | null;
  readonly scrape: ScrapeFacts | null;
  /** Series of the same expression beside the alert's own. */
  readonly peers: PeerFacts | null;
  /** The series that the rule adds up or chooses from; null where they tell nothing. */
  readonly inside: InsideFacts | null;
  /** Restarts, versions, configuration: what somebody did, or what happened to a component. */
  readonly events: readonly EventFact[];
  readonly ranking: RankingFacts | null;
  /** Null while the alert fires, and when nothing stood out that could come back. */
  readonly recovery: RecoveryFacts | null;
  /** Answers to the queries that decide the family's causes, by the cause's id. */
  readonly answers: ReadonlyMap<string, TestAnswer>;
}

export interface SourceReport {
  /** `ok` also when a part failed; `failed` when nothing useful was answered. */
  readonly state: SourceState;
  readonly durationMs: number;
  readonly queries: number;
  /** The item that says how the source did. */
  readonly evidence: string;
  readonly failures: readonly SourceFault[];
  /** Whether some of what is missing may well be answered some minutes later. */
  readonly mayAnswerLater: boolean;
}

/** A part that is missing, why, and what an operator can do about it. */
export interface SourceFault {
  /** "The alert's own series", "Series of the namespace" … */
  readonly what: string;
  readonly why: string;
  readonly hint: string;
  readonly evidence: string;
}

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepSeconds: number;
  /**
   * When the problem began: as the server tells, else the start less `for`, else as the own series
   * shows it.
   */
  readonly onMs: number;
  /** Where before ends and after begins; earlier than `onMs` by the rule's longest range. */
  readonly splitMs: number;
}

export interface RuleFacts {
  readonly name: string;
  readonly expression: string;
  readonly forSeconds: number;
  /** Health and last error as the server tells them; null when all is well. */
  readonly problem: string | null;
  readonly evidence: string;
}

export interface OwnSeries {
  readonly labels: LabelSet;
  readonly valueAtFire: number | null;
  readonly valueNow: number | null;
  /** At the time of day at which it fired, the day and the week before. */
  readonly yesterday: number | null;
  readonly lastWeek: number | null;
  /** The value farthest on the firing side since the problem began. */
  readonly worst: number | null;
  /**
   * When it last went over its threshold and stayed there; null when it is not over now, and when
   * that is not known.
   */
  readonly overSinceMs: number | null;
  /** It was over already at that moment, which is the first that was looked at. */
  readonly wasOverBefore: boolean;
  /** Times it crossed the threshold in the window. */
  readonly crossings: number;
  /** Where it has been going since the alert fired; null when it holds, and for an ended alert. */
  readonly trend: 'rising' | 'falling' | null;
  /** Null unless the alert fires on an amount that runs out at a steady pace. */
  readonly exhaustion: Exhaustion | null;
  /** When it came back under its threshold, for an alert that has ended. */
  readonly recoveredMs: number | null;
  readonly valueAtEnd: number | null;
  /** What the value was compared with, where that is a series; null for a rule on a number. */
  readonly limit: LimitFacts | null;
  /**
   * The last value of a series that was still beyond its threshold when it ended, and the alert
   * with it; null for any other.
   */
  readonly cutOffValue: number | null;
  readonly evidence: readonly string[];
}

/** Nothing is left at `atMs` if the value keeps the pace of the stretch up to now. */
export interface Exhaustion {
  /** The value when nothing is left: 0, or the whole. */
  readonly level: number;
  readonly atMs: number;
  readonly stretchMs: number;
}

export interface LimitFacts {
  readonly atFire: number | null;
  readonly now: number | null;
  /** Both at the last point before it fired at which it was within; null where none is known. */
  readonly before: { readonly value: number; readonly limit: number } | null;
  /** There was none any more when the alert ended, though the value was there. */
  readonly isGoneAtEnd: boolean;
}

export interface FiredFacts {
  /** Stretches of firing in the last 7 days, oldest first, the current one included. */
  readonly intervals: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Stretches of pending that never fired. */
  readonly pendingOnly: number;
  readonly evidence: string;
}

export interface ScrapeFacts {
  readonly up: number;
  readonly total: number;
  /** Labels of those that cannot be scraped now, at most 20. */
  readonly down: readonly LabelSet[];
  /** When targets could not be scraped, in order of time; single failures are left out. */
  readonly outages: readonly Outage[];
  /** Gaps longer than 2.5 scrape intervals in the own series or its `up` within the window. */
  readonly gaps: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** The own series has no sample any more. */
  readonly isStale: boolean;
  readonly evidence: readonly string[];
}

export interface Outage {
  readonly labels: LabelSet;
  readonly fromMs: number;
  /** Null for one that lasts. */
  readonly toMs: number | null;
}

export interface PeerFacts {
  readonly total: number;
  /** How many of them are beyond the threshold now, the alert's own included. */
  readonly beyond: number;
  readonly evidence: string;
}

/** Who among the series inside an aggregation makes its value, as far as that is clear. */
export interface InsideFacts {
  readonly told: InsideTold;
  /** False where it is only a part of what is compared: the numerator of a quotient. */
  readonly isWhole: boolean;
  readonly evidence: string;
}

export type InsideTold =
  | (Contributors & { readonly direction: 'rise' | 'fall' })
  | { readonly kind: 'only'; readonly label: string; readonly value: string }
  | { readonly kind: 'counted'; readonly label: string; readonly values: readonly string[] }
  | {
    readonly kind: 'extreme'; readonly label: string; readonly value: string;
    readonly of: number; readonly isHighest: boolean;
    readonly measured: number; readonly next: number;
  };

export interface EventFact {
  readonly kind: 'restart' | 'version' | 'config';
  readonly atMs: number;
  readonly component: Component | null;
  /** A sentence: "checkout restarts", "image of checkout changes from 1.4 to 1.5". */
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly labels: LabelSet;
  /** It is known to have happened to what the alert is about. */
  readonly isOwn?: true;
  readonly evidence: string;
}

export interface Component {
  readonly label: string;
  readonly value: string;
}

export interface RankingFacts {
  readonly ranking: ChangeRanking;
  /** The label that tells components apart here. */
  readonly componentLabel: string;
  /** The alert's own component, where its labels name one. */
  readonly ownComponent: string | null;
  /** Onset and the like are indexes on this grid. */
  readonly grid: { readonly startMs: number; readonly stepMs: number; readonly count: number };
  /** When the alert's own series began to move; null when it did not, or is not known. */
  readonly ownOnsetIndex: number | null;
  /** z after the seasonal check, by candidate id, for those that were checked. */
  readonly seasonal: ReadonlyMap<string, { readonly z: number; readonly isUsual: boolean }>;
  /** The ledger item of a listed series, by candidate id. */
  readonly evidenceOf: ReadonlyMap<string, string>;
  /** The item that says how far the search went. */
  readonly evidence: string;
  /** "namespace shop", "job api": how wide the search was. */
  readonly searched: string;
  readonly isTruncated: boolean;
}

/** What has become of the changes by the time the alert had ended. */
export interface RecoveryFacts {
  /** By candidate id; a change that nobody asked for again is missing. */
  readonly states: ReadonlyMap<string, ChangeAtEnd>;
  readonly evidence: string;
}

export interface ChangeAtEnd {
  readonly state: Recovery['state'];
  /** When it came back; null where it did not. */
  readonly backMs: number | null;
  /** It was back already when the time that was looked at began. */
  readonly isFromStart: boolean;
  readonly level: number | null;
}

/**
 * The `data` of an evidence item that holds a series, small enough to be drawn. Null where there is
 * no sample. The rank's numbers are those of a listed series alone.
 */
export interface SeriesData {
  readonly labels: LabelSet;
  readonly unit: string | null;
  /** RFC 3339; the moment of the first value. */
  readonly start: string;
  readonly step_seconds: number;
  /** With 4 significant digits, at most 361. */
  readonly values: readonly (number | null)[];
  /** Index of the first value that counts as after. */
  readonly split: number;
  readonly threshold: number | null;
  readonly before: number | null;
  readonly after: number | null;
  readonly z: number | null;
  /** RFC 3339; when it began to move. */
  readonly onset: string | null;
}

/** Values at even steps; null where there is no sample. */
export interface SeriesStretch {
  /** RFC 3339; the moment of the first value. */
  readonly start: string;
  readonly step_seconds: number;
  readonly values: readonly (number | null)[];
  /** What each is compared with, where that is a series and known. */
  readonly limits?: readonly (number | null)[];
}

/** The course of the alert's own series. */
export interface OwnSeriesData extends SeriesData {
  readonly limits?: readonly (number | null)[];
  /** What follows the window that is compared, to now or the end; null when that is the window. */
  readonly later: SeriesStretch | null;
  /** The same time of the day before, coarser; null where there was nothing. */
  readonly yesterday: SeriesStretch | null;
  /** The same of the week before, coarser still. */
  readonly last_week: SeriesStretch | null;
}

/** `samples` are an instant query's values; empty is an answer as well. */
export interface TestAnswer {
  readonly query: string;
  readonly samples: readonly number[];
  readonly failed: string | null;
  readonly evidence: string;
}
