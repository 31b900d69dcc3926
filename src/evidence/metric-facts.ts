/**
 * What a metric source says about one alert. Each fact names its evidence items. There are no
 * judgements here; those are the diagnosis's.
 */
import type { LabelSet } from '../alert/labels.ts';
import type { EventVerb } from '../report/kinds.ts';
import type { Path } from '../report/path.ts';
import type { FailedScrape } from '../sources/prometheus-targets.ts';
import type { RangeWindow, TimeGrid, TimeSpan } from '../sources/time-grid.ts';
import type { Growth } from '../statistics/growth.ts';
import type { ChangeRanking } from '../statistics/rank-changes.ts';
import type { Recovery } from '../statistics/recovery.ts';
import type { Arrival } from '../statistics/steady-pace.ts';
import type { InsideFacts } from './inside-fact.ts';
import type { LoneFact } from './lone-fact.ts';
import type { AlertPlace } from './place.ts';
import type { RuleReading } from './rule/rule-expression.ts';
import type { Whole } from './rule/share.ts';
import type { SourceReport } from './source-report.ts';

export type { FailedScrape };

/** Times are wall time in milliseconds. */
export interface MetricFacts {
  readonly source: SourceReport;
  readonly window: Window;
  /** As its rule and its series tell it; null if the server was not asked. */
  readonly place: AlertPlace | null;
  /** The names of all metrics around the alert; null if none could be counted. */
  readonly names: readonly string[] | null;
  /** The labels that separate the alert's world from others on its server; empty without others. */
  readonly world: LabelSet;
  /** The rule as the server has it; null if it was not found. */
  readonly rule: ServerRule | null;
  /** The server has listed its rules, and none has the alert's name. */
  readonly isRuleUnlisted: boolean;
  /** Why the expression in the alert's link is not run, as sentences; null if it need not be. */
  readonly unrun: string | null;
  /** For a rule of several conditions joined by `or`, the one that held; null for other rules. */
  readonly holding: RuleReading | null;
  /** The series that the alert is about; null if it was not found. */
  readonly own: OwnSeries | null;
  /** How much its value is a share of; null for a rule on anything else. */
  readonly whole: WholeFacts | null;
  /** For a rule on absent series: the last of them; null for any other, and if it is unknown. */
  readonly lastSeen: LastSeenFacts | null;
  /** When the same alert fired before, by `ALERTS`; null if unknown. */
  readonly fired: FiredFacts | null;
  readonly scrape: ScrapeFacts | null;
  /** The other series of the same expression. */
  readonly peers: PeerFacts | null;
  /** The series that the rule aggregates; null if they explain nothing. */
  readonly inside: InsideFacts | null;
  /** Restarts, OOM kills, new versions, changed configuration. */
  readonly events: readonly EventFact[];
  readonly ranking: RankingFacts | null;
  /** Things that moved alone among those of their kind, nearest to the alert first. */
  readonly lone: readonly LoneFact[];
  /** Null while the alert fires, and if nothing stood out that could recover. */
  readonly recovery: RecoveryFacts | null;
  /** Answers to the queries that test the family's causes, by the cause's id. */
  readonly answers: ReadonlyMap<string, TestAnswer>;
  /** Answers after the end to tests that supported their cause; null if it is too early. */
  readonly answersAtEnd: ReadonlyMap<string, TestAnswer> | null;
  /** From the alert's own thing to what fails behind it; null if it is not known. */
  readonly path: Path | null;
}

export interface Window extends RangeWindow {
  /**
   * When the problem began: by the server's own alert, else the start of the alert less `for`, or
   * by its own series if the `for` is unknown.
   */
  readonly onMs: number;
  /** The end of "before" and start of "after": earlier than `onMs` by the rule's range. */
  readonly splitMs: number;
}

export interface ServerRule {
  readonly name: string;
  readonly expression: string;
  readonly forSeconds: number;
  readonly keepFiringSeconds: number;
  /** What is wrong with the rule's evaluation; null if it is healthy. */
  readonly problem: string | null;
  readonly evidence: string;
}

/** Values may be infinite, as quotients are, but are never NaN. */
export interface OwnSeries {
  readonly labels: LabelSet;
  readonly valueAtFire: number | null;
  readonly valueNow: number | null;
  /** One day and one week before it fired. */
  readonly yesterday: number | null;
  readonly lastWeek: number | null;
  /** The value farthest on the firing side since the split. */
  readonly worst: number | null;
  /** Since when it has been beyond its threshold; null if it is not now, or if unknown. */
  readonly overSinceMs: number | null;
  /** It was already beyond its threshold at the first point of the window. */
  readonly wasOverBefore: boolean;
  /** When it crossed to the firing side in the window, in order of time. */
  readonly crossedMs: readonly number[];
  /** The level whose change it is; null for a rule on anything else, and if it is unknown. */
  readonly level: LevelFacts | null;
  /** How much it adds up to while it was beyond its threshold; null for what is no rate. */
  readonly total: number | null;
  /** How it was in the day before; null if too little is known, or if it was never beyond. */
  readonly past: PastFacts | null;
  /** Its trend since the alert fired; null if it is steady, and for an alert that has ended. */
  readonly trend: 'rising' | 'falling' | null;
  /** Null unless the alert fires on an amount that runs out at a steady pace. */
  readonly exhaustion: Exhaustion | null;
  /**
   * How it grew until now, or fell for a rule on too little, where the rule compares what is
   * measured; null if it did not.
   */
  readonly growth: Growth | null;
  /** When it came back within its threshold, for an alert that has ended. */
  readonly recoveredMs: number | null;
  readonly valueAtEnd: number | null;
  /** The series that the value is compared with; null for a rule on a number. */
  readonly limit: LimitFacts | null;
  /**
   * The last value, if the series disappeared while it was beyond its threshold, which ended the
   * alert; null otherwise.
   */
  readonly cutOffValue: number | null;
  readonly evidence: readonly string[];
}

/** A level before a rule's window and now. */
export interface LevelFacts {
  readonly metric: string;
  readonly before: number;
  readonly now: number;
  readonly evidence: string;
}

/** When series that are missing were last there, and what of their target is left. */
export interface LastSeenFacts {
  readonly metric: string;
  readonly atMs: number;
  readonly target: LabelSet;
  /** Whether the target is up; null if it is not scraped any more. */
  readonly isUp: boolean | null;
  /** How many other series of the metric the target exposes. */
  readonly others: number;
  readonly evidence: string;
}

/** A value before the problem began, by its rule's threshold. */
export interface PastFacts {
  /** What is known: wall time in milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Share of the time (0 to 1) that it was beyond the threshold. */
  readonly beyondShare: number;
  /** How often it went beyond it, and how far apart the first and the last of these are. */
  readonly stretches: number;
  readonly spreadMs: number;
  readonly least: number;
  readonly most: number;
  readonly evidence: string;
}

/** When nothing is left, if the value keeps the pace of the stretch up to now. */
export interface Exhaustion extends Arrival {
  /** The value when nothing is left: 0, or the whole. */
  readonly level: number;
}

export interface LimitFacts {
  readonly atFire: number | null;
  readonly now: number | null;
  /** Both at the last point within the limit before it fired; null if unknown. */
  readonly before: { readonly value: number; readonly limit: number } | null;
  /** The limit was gone when the alert ended, though the value was still there. */
  readonly isGoneAtEnd: boolean;
}

/** The whole that the alert's value is a share of. */
export interface WholeFacts extends Pick<Whole, 'counted' | 'isRate' | 'rangeSeconds'> {
  readonly atFire: number;
  readonly evidence: string;
}

export interface FiredFacts {
  /** When it fired in the last 7 days, oldest first, including now. */
  readonly intervals: readonly TimeSpan[];
  /** How often it was pending without firing. */
  readonly pendingOnly: number;
  readonly evidence: string;
}

export interface ScrapeFacts {
  readonly up: number;
  readonly total: number;
  /** Labels of the targets that are down now, at most 20. */
  readonly down: readonly LabelSet[];
  /** Why some of them are, in the words of Prometheus; null if it does not say. */
  readonly failed: { readonly scrapes: readonly FailedScrape[]; readonly evidence: string } | null;
  /** Null if nothing shows that others are down with them for what they share. */
  readonly shared: SharedOutage | null;
  /** When targets were down, in order of time, without single failed scrapes. */
  readonly outages: readonly Outage[];
  /** Gaps longer than 2.5 scrape intervals in the own series or its `up` within the window. */
  readonly gaps: readonly TimeSpan[];
  /** The alert's own series has disappeared. */
  readonly isStale: boolean;
  readonly evidence: readonly string[];
}

/** What all targets that are down together share, such as a host. */
export interface SharedOutage {
  readonly label: string;
  readonly value: string;
  readonly isHost: boolean;
  /** How many targets have it, all of which are down, and of how many jobs they are. */
  readonly targets: number;
  readonly jobs: number;
}

export interface Outage {
  readonly labels: LabelSet;
  readonly fromMs: number;
  /** Null if it goes on. */
  readonly toMs: number | null;
}

export interface PeerFacts {
  readonly total: number;
  /** How many of them are beyond the threshold now, including the alert's own. */
  readonly beyond: number;
  readonly evidence: string;
}

export interface EventFact {
  /** `event`: a process was OOM-killed, without a restart of its container. */
  readonly kind: 'restart' | 'version' | 'config' | 'event';
  /** When it happened, or was first seen to have. */
  readonly atMs: number;
  /** When it was last seen not to have happened; absent where `atMs` is exact or nothing tells. */
  readonly sinceMs?: number;
  readonly component: Component | null;
  /** What it happened to, such as "checkout", and what happened. */
  readonly subject: string;
  readonly verb: EventVerb;
  /** "checkout restarted", "The image of checkout changed from 1.4 to 1.5" */
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly labels: LabelSet;
  /** By how many seconds a clock was set, forward if positive. */
  readonly clockSeconds?: number;
  /** Where a version came up, and what became of it; absent where that is not known. */
  readonly release?: ReleaseFacts;
  /** What restarted on the same machines with a version that another thing there tells. */
  readonly restarted?: readonly string[];
  /** How the memory of the process grew until its restart; absent if it did not. */
  readonly memory?: MemoryFacts;
  /** It certainly happened to what the alert is about. */
  readonly isOfAlert?: true;
  /** It happened to what reports on the component, and not to the component. */
  readonly isOfExporter?: true;
  readonly evidence: string;
}

/** The memory of a process that grew until its restart, and what it had after that. */
export interface MemoryFacts {
  readonly fromBytes: number;
  readonly peakBytes: number;
  readonly afterBytes: number;
  /** When it began to grow. */
  readonly sinceMs: number;
}

interface ReleaseFacts {
  /** Instances that have it, of all that there are; null if unknown. */
  readonly on: number | null;
  readonly of: number | null;
  /** It is a return to the version that ran before. */
  readonly isBack: boolean;
  /** When the version before it came back; null if it did not. */
  readonly takenBackMs: number | null;
}

export interface Component {
  readonly label: string;
  readonly value: string;
}

export interface RankingFacts {
  readonly ranking: ChangeRanking;
  /** The alert's own component, if its labels name one. */
  readonly ownComponent: string | null;
  /** The grid that onsets are indexes on. */
  readonly grid: TimeGrid;
  /** When the alert's own series began to move; null if it did not, or if unknown. */
  readonly ownOnsetIndex: number | null;
  /** The seasonal check, by candidate id, for those that were checked. */
  readonly seasonal: ReadonlyMap<string, { readonly z: number; readonly isUsual: boolean }>;
  /** The changes that stand out at the interval of the scrapes, by candidate id. */
  readonly close: ReadonlyMap<string, ScrapeDetail>;
  /**
   * Ids of candidates that measure how a machine is used, where that is not near its limit: they
   * are on the move whatever happens.
   */
  readonly slack: ReadonlySet<string>;
  /** The ledger item of a listed series, by candidate id. */
  readonly evidenceOf: ReadonlyMap<string, string>;
  /** The item on the search as a whole. */
  readonly evidence: string;
  /** The scope of the search: "namespace shop", "job api". */
  readonly searched: string;
  readonly isTruncated: boolean;
}

/** What a change looks like at the interval of the scrapes. */
export interface ScrapeDetail {
  /** When it began; null if that is not seen. */
  readonly onsetMs: number | null;
  readonly stepMs: number;
  /** The last value, and the median of the last three. */
  readonly last: number | null;
  readonly level: number;
}

/** Which changes had recovered by the end of the alert. */
export interface RecoveryFacts {
  /** By candidate id, for the changes that were asked about again. */
  readonly states: ReadonlyMap<string, ChangeAtEnd>;
  readonly evidence: string;
}

export interface ChangeAtEnd {
  readonly state: Recovery['state'];
  /** When it recovered; null if it did not. */
  readonly backMs: number | null;
  /** It had already recovered at the first point that was looked at. */
  readonly isFromStart: boolean;
  readonly level: number | null;
}

/** `samples` are the values of an instant query; none is a valid answer too. */
export interface TestAnswer {
  readonly query: string;
  /** The test as it was bound to the alert's world; null where that changed nothing. */
  readonly bound: string | null;
  /** Labels of the one series behind a number that supports the cause; null without one. */
  readonly named: LabelSet | null;
  readonly samples: readonly number[];
  /** The labels of each sample. */
  readonly labels: readonly LabelSet[];
  readonly failed: string | null;
  /** It was not asked, since its series may be of another world than the alert's. */
  readonly isUntold: boolean;
  readonly evidence: string;
  /** It averages over more time before the problem than since. */
  readonly isDiluted: boolean;
  /** What supports the cause happened long before the problem began. */
  readonly isFromBefore: boolean;
  /** How long the problem had lasted at the time that it asks about, in seconds. */
  readonly problemSeconds: number;
}
