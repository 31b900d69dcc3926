/**
 * The report: one shape in every state, from the moment an alert is accepted. HTML, Markdown and
 * terminal text are rendered from this object, and `/report/<fingerprint>.json` serves it.
 *
 * The service's own members are snake_case; an alert's own fields keep their names. What is unknown
 * is null or an empty list, never left out; only a member that reports of earlier versions lack is
 * optional, as they are read as stored. Times are RFC 3339 in UTC unless they are the alert's own,
 * which stay as sent. `evidence` members hold ids of items in `evidence`.
 */
import type { Suppression } from '../alert/alert.ts';
import type { LabelSet } from '../alert/labels.ts';
import type { ImpactExtent } from './impact-extent.ts';
import type { CauseFacts, ChangeVerb, EvidenceRole, StepKind } from './kinds.ts';
import type { Path } from './path.ts';
import type { ReportedAlert } from './reported-alert.ts';
import type { ReportedIncident } from './reported-incident.ts';

export type ReportStatus = 'queued' | 'analysing' | 'ready' | 'final' | 'failed';

export interface Report {
  readonly schema: 1;
  readonly fingerprint: string;
  readonly report_url: string;
  readonly status: ReportStatus;
  readonly updated_at: string;
  readonly progress: null | Progress;
  readonly episode: ReportedEpisode;
  readonly alert: ReportedAlert;
  readonly verdict: Verdict;
  readonly reality: Reality;
  readonly impact: Impact;
  /** Best first, at most 30; weak ones last. */
  readonly changes: readonly Change[];
  readonly findings: readonly Statement[];
  readonly hypotheses: readonly Hypothesis[];
  readonly ruled_out: readonly RuledOut[];
  readonly next_steps: readonly NextStep[];
  readonly timeline: readonly TimelineEntry[];
  readonly evidence: readonly EvidenceItem[];
  readonly related: readonly RelatedAlert[];
  readonly incident: null | ReportedIncident;
  /** Null where nothing behind the alert is known; absent from reports of earlier versions. */
  readonly path?: null | Path;
  readonly history: History;
  readonly unknowns: readonly Unknown[];
  readonly narrative: Narrative;
  /** Those that people asked, oldest first. Absent from reports of earlier versions. */
  readonly questions?: readonly AskedQuestion[];
  readonly resolution: null | Resolution;
  readonly feedback: readonly Feedback[];
  readonly provenance: Provenance;
}

/** `step` is a short phrase such as `Ranking 412 series`; `done` of `of` steps are complete. */
export interface Progress {
  readonly step: string;
  readonly done: number;
  readonly of: number;
}

export interface ReportedEpisode {
  /** 1 for the fingerprint's first stretch of firing. */
  readonly number: number;
  readonly of: number;
  readonly starts_at: string;
  readonly ends_at: string | null;
  /** No end was notified: `ends_at` is when Alertmanager was found not to have it any more. */
  readonly end_unknown: boolean;
  /** Why Alertmanager notifies nobody of it now; null if it does, or if that is unknown. */
  readonly suppressed: Suppression | null;
  readonly state: 'firing' | 'resolved';
  /** Notifications accepted for this episode, without duplicates. */
  readonly notifications: number;
}

export const classifications = [
  'actionable', 'informational', 'noisy', 'recovered', 'data_problem', 'inconclusive',
] as const;
export type Classification = (typeof classifications)[number];

/** In descending order. */
export const certainties = ['confirmed', 'likely', 'possible', 'inconclusive'] as const;
export type Certainty = (typeof certainties)[number];

export interface Verdict {
  readonly classification: Classification;
  readonly headline: string;
  /**
   * The headline without the alert's name, place and times, which stand beside it in lists; empty
   * if nothing is left. Absent from reports of earlier versions.
   */
  readonly gist?: string;
  /** What the gist is about, if it does not name it; absent if not, and from old reports. */
  readonly subject?: string;
  /** Where the alert is, without what only its rule's author says. Absent from old reports. */
  readonly place?: string;
  /** The headline is in the words of the alert's author. Absent if not, and from old reports. */
  readonly is_quoted?: true;
  /** The first cause; or, where that is inconclusive, those that are too close to call. */
  readonly most_likely: string | null;
  readonly certainty: Certainty;
  readonly reasons: readonly Reason[];
  readonly do_first: string | null;
  /** Id of the next step that this is; absent if it is none, and from old reports. */
  readonly first_step?: string;
}

/** A sentence and the evidence it rests on. */
export interface Statement {
  readonly text: string;
  readonly evidence: readonly string[];
}

/** A statement that raises or lowers the certainty of the verdict. */
export interface Reason extends Statement {
  readonly effect: 'raises' | 'lowers';
  /** Whose reason it is, if not that of code. */
  readonly by?: 'model';
}

export interface Reality {
  readonly value_at_fire: number | null;
  readonly value_now: number | null;
  readonly threshold: number | null;
  /**
   * The series that the rule compares with, if it does: `threshold` is then its value at the time.
   * Null for a constant threshold; absent from reports of earlier versions.
   */
  readonly threshold_series?: null | {
    readonly expression: string;
    readonly at_fire: number | null;
    readonly now: number | null;
  };
  readonly operator: '>' | '>=' | '<' | '<=' | '==' | '!=' | null;
  /** `seconds`, `bytes`, `ratio`, `percent`, `per_second`, `count` …; null when unknown. */
  readonly unit: string | null;
  readonly yesterday: number | null;
  readonly last_week: number | null;
  /** How often the alert began to fire in the last 24 hours. */
  readonly flaps: number | null;
  readonly scrape_ok: boolean | null;
  readonly evidence: readonly string[];
}

export interface Impact {
  readonly scope: 'single' | 'few' | 'many' | 'broad' | null;
  readonly firing_same: number | null;
  readonly targets_up: number | null;
  readonly targets_total: number | null;
  /** What alerts of its family lead to, always or usually. Absent where that is not known. */
  readonly leads_to?: { readonly text: string; readonly is_usual: boolean };
  /** Affected objects, as `label=value`, or `label=value of instance` for a part of one. */
  readonly affected: readonly string[];
  /** How much of it, in the rule's own numbers; absent where the rule does not tell. */
  readonly extent?: ImpactExtent;
  readonly evidence: readonly string[];
}

export interface Change {
  readonly rank: number;
  readonly kind:
    | 'series' | 'appeared' | 'vanished' | 'restart' | 'version' | 'config' | 'event';
  readonly title: string;
  /** What the title says it did. Absent from old reports. */
  readonly verb?: ChangeVerb;
  /** The label that names what changed, and its value. */
  readonly component: { readonly label: string; readonly value: string } | null;
  readonly labels: LabelSet;
  readonly before: number | null;
  readonly after: number | null;
  readonly unit: string | null;
  /** Robust score: below 4 weak, 4 to 8 notable, above strong. */
  readonly z: number | null;
  readonly strength: 'weak' | 'notable' | 'strong';
  /** By how many times its usual size it moved; null where nothing is usual, or in old reports. */
  readonly effect?: number | null;
  /** Seconds relative to when the problem began; negative is before. */
  readonly onset_seconds: number | null;
  readonly agreement: number | null;
  readonly evidence: readonly string[];
}

export interface Hypothesis extends CauseFacts {
  readonly cause: string;
  readonly mechanism: string | null;
  readonly for: readonly Statement[];
  readonly against: readonly Statement[];
  /** A query or command that would confirm it or rule it out. */
  readonly test: string | null;
  readonly certainty: Certainty;
  /** Who says so, if not code. */
  readonly proposed_by?: 'model';
}

export interface RuledOut extends Pick<CauseFacts, 'family_cause'> {
  readonly cause: string;
  readonly why: string;
  readonly evidence: readonly string[];
}

export interface NextStep {
  /** Absent from old reports, as is the id, which is unique in a report. */
  readonly kind?: StepKind;
  readonly id?: string;
  readonly reads_only?: true;
  readonly action: string;
  readonly why: string | null;
  readonly command: string | null;
  readonly expected: string | null;
  readonly risk: string | null;
  readonly undo: string | null;
}

export interface TimelineEntry {
  readonly at: string;
  /** Seconds relative to the episode's start. */
  readonly offset_seconds: number;
  readonly kind: 'started' | 'received' | 'resolved' | 'change' | 'related' | 'episode' | 'note';
  /** Rank of the change that it reports; absent for any other, and from old reports. */
  readonly change?: number;
  readonly text: string;
  readonly evidence: readonly string[];
}

export interface EvidenceItem {
  /** `E1`, `E2` … in the order of collection. */
  readonly id: string;
  readonly kind:
    | 'alert' | 'rule' | 'group' | 'history' | 'related' | 'series' | 'events' | 'logs' | 'source';
  /** Absent where code does not look for it, and from old reports. */
  readonly role?: EvidenceRole;
  /** `alert`, `notification`, `store`, `prometheus`, `alertmanager`, `loki`, `kubernetes`. */
  readonly source: string;
  readonly title: string;
  readonly query: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly step_seconds: number | null;
  readonly summary: string;
  /** What was found: bounded, but enough to check what cites it. `SeriesData` for a series. */
  readonly data: unknown;
  readonly link: string | null;
  readonly fetched_at: string | null;
  readonly truncated: boolean;
  readonly warnings: readonly string[];
  readonly redactions: number;
  readonly state: SourceState;
  readonly error: string | null;
}

export type SourceState = 'ok' | 'empty' | 'failed' | 'not_configured';

export interface RelatedAlert {
  readonly fingerprint: string;
  readonly name: string;
  readonly why: string;
  /** 0 to 1. */
  readonly similarity: number;
  readonly report_url: string;
}

export interface History {
  /** Latest first, this one included. */
  readonly episodes: readonly {
    readonly number: number;
    readonly starts_at: string;
    readonly ends_at: string | null;
    readonly classification: Classification | null;
    readonly report_url: string;
  }[];
  readonly last_24h: number;
  readonly last_7d: number;
  readonly last_30d: number;
  readonly median_duration_seconds: number | null;
  readonly self_resolved_share: number | null;
  readonly flapping: boolean;
  /** `usually around 02:00 UTC`; null if there is no rhythm. */
  readonly rhythm: string | null;
  /** The cause or note that people gave last on an earlier episode. Absent from old reports. */
  readonly last_said?: null | {
    readonly number: number;
    readonly starts_at: string;
    readonly ends_at: string | null;
    readonly cause: string | null;
    readonly note: string | null;
    readonly report_url: string;
  };
}

export interface Unknown {
  /** The source whose failure it reports; answers that are awaited. Absent for any other. */
  readonly source?: string;
  readonly is_awaited?: true;
  readonly what: string;
  readonly why: string;
  readonly how_to_get: string;
}

export type Narrative = WrittenNarrative | AbsentNarrative;

export interface WrittenNarrative {
  readonly state: 'present';
  /** What the model makes of it: its values are of the evidence, its sense is unchecked. */
  readonly text: string;
  /** What it points at in the evidence, in words of code. */
  readonly claims: readonly Claim[];
  /** Assertions of the first answer, how many held, how many are shown; absent from old ones. */
  readonly asserted?: Readonly<Record<'made' | 'held_at_first' | 'held', number>>;
  /** Components that the model holds responsible, and since when; absent as above. */
  readonly culprits?: readonly { readonly component: string; readonly since: string | null }[];
  /** What would have to be known, in the model's words; absent as above. */
  readonly missing?: readonly string[];
  readonly suspicious_content: boolean;
  readonly model: string;
  readonly tokens: number;
  readonly cost: number | null;
  readonly duration_ms: number;
  /** When it was written: a newer report may keep the narrative of the one before. */
  readonly written_at: string;
}

export interface Claim extends Statement {
  /** False only in reports of earlier versions: now what does not hold is left out. */
  readonly verified: boolean;
  /** What the model says about it, unchecked; null for nothing. Absent from earlier versions. */
  readonly reading?: string | null;
}

export interface AbsentNarrative {
  readonly state: 'absent';
  readonly reason:
    | 'not_configured' | 'budget' | 'storm' | 'breaker' | 'failed' | 'pending' | 'severity';
  readonly detail: string;
}

/** A question that a person asked, and what a language model answered. */
export interface AskedQuestion {
  readonly asked_at: string;
  readonly question: string;
  readonly state: 'pending' | 'answered' | 'failed';
  /** As in a narrative: the model's own words, and what it points at in words of code. */
  readonly text: string;
  readonly claims: readonly Claim[];
  readonly missing: readonly string[];
  /** How far it is, or why there is no answer; null for an answer. */
  readonly detail: string | null;
}

export interface Resolution {
  readonly ended_at: string;
  readonly duration_seconds: number;
  readonly value_at_end: number | null;
  readonly changes: readonly Statement[];
  readonly hypothesis_held: boolean | null;
}

export interface Feedback {
  readonly at: string;
  readonly verdict: 'right' | 'partly' | 'wrong';
  readonly cause: string | null;
  readonly note: string | null;
  readonly noisy: boolean;
}

export interface Provenance {
  readonly version: string;
  /** Id of what is known of such alerts, or null; absent in reports of earlier versions. */
  readonly family?: string | null;
  readonly sources: readonly {
    readonly name: string;
    readonly state: SourceState; readonly duration_ms: number; readonly queries: number;
  }[];
  readonly checks: readonly {
    readonly name: string; readonly state: 'done' | 'skipped' | 'failed';
    readonly why: string | null;
  }[];
  readonly redactions: number;
  /** Analyses of this episode started so far. */
  readonly attempts: number;
  readonly started_at: string | null; readonly finished_at: string | null;
  /** Address of the recorded answers of the sources; null if they are not kept or not served. */
  readonly recording_url: string | null;
  /** When the report is made again; null if never. Absent in reports of earlier versions. */
  readonly looks_again_at?: string | null;
}
