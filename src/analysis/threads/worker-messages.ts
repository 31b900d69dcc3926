/** What the pool and a worker thread say to each other. Plain data: it is cloned on its way. */
import type { Permit, Spent } from '../../model/client/meter.ts';
import type { ModelAccess } from '../../model/client/model-access.ts';
import type { Asked as ModelAsked } from '../../model/client/model-client.ts';
import type { UsedTool } from '../../model/tools/tool.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type {
  Certainty, Classification, Narrative, Progress, ReportStatus,
} from '../../report/report.ts';
import type { AskedSource } from '../../sources/asked-source.ts';
import type { FailureReason } from '../../sources/source-failure.ts';
import type { SourceAccesses } from '../thread-sources.ts';

/** `end`: the thread is to end by itself. */
export type ToWorker = ToWork | { readonly kind: 'ping' } | { readonly kind: 'end' };

export type ToWork =
  | {
      readonly kind: 'investigate';
      readonly id: number;
      readonly caseFile: CaseFile;
      /** Null without a model. */
      readonly coming: ComingNarrative | null;
    }
  /** Of an investigation that was told of one: the report it replaces, null when that is gone. */
  | { readonly kind: 'previous'; readonly id: number; readonly report: string | null }
  | ({ readonly kind: 'narrate'; readonly id: number } & NarrationJob)
  /** The answer to the narration's last `permit`. */
  | { readonly kind: 'permitted'; readonly id: number; readonly permit: Permit }
  | { readonly kind: 'cancel'; readonly id: number; readonly reason: CancelReason }
  /** Secrets have changed: what is asked from now on is asked with these. */
  | {
      readonly kind: 'sources';
      readonly sources: SourceAccesses;
      readonly model: WorkerModel | null;
    };

export type FromWorker =
  /** `memoryBytes` is the thread's heap and what its objects hold outside. */
  | { readonly kind: 'ready'; readonly memoryBytes: number }
  | { readonly kind: 'pong'; readonly memoryBytes: number }
  | { readonly kind: 'asked'; readonly asked: Asked }
  /** An error of this service kept it from reading what the source answered. */
  | { readonly kind: 'broken'; readonly source: AskedSource; readonly error: unknown }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly id: number; readonly report: FinishedReport }
  /** May a request of so many tokens be made? */
  | { readonly kind: 'permit'; readonly id: number; readonly tokens: number }
  | { readonly kind: 'spent'; readonly id: number; readonly spent: Spent }
  /** A request to the model has ended. */
  | { readonly kind: 'model-asked'; readonly asked: ModelAsked }
  | { readonly kind: 'tool-used'; readonly used: UsedTool }
  /** After `done`, once packed; null when there is none. */
  | { readonly kind: 'recorded'; readonly id: number; readonly recording: Uint8Array | null }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

type CancelReason = 'deadline' | 'stopping' | 'ended';

/** What becomes of the narrative of a report that is being made. */
export interface ComingNarrative {
  /** What the new report says of it, if the old one has none to keep. */
  readonly narrative: Narrative;
  /** Whether the new report replaces one, which follows in a message of its own. */
  readonly hasPrevious: boolean;
  /** How long the old one's is kept although the evidence has changed. */
  readonly freshMs: number;
}

export interface NarrationJob {
  readonly caseFile: CaseFile;
  /** The stored report's text. */
  readonly report: string;
  readonly grant: Grant;
}

/** What one narration may use. */
export interface Grant {
  /** Rounds of tool calls. */
  readonly rounds: number;
  /** Read and written. */
  readonly tokens: number;
  readonly deadlineMs: number;
  /** Per million tokens; null when not known. */
  readonly prices: { readonly input: number; readonly output: number } | null;
}

/** A model as a thread is given it, secrets in clear. */
export interface WorkerModel {
  readonly access: ModelAccess;
  /** Every secret of the service: none of them may be sent. */
  readonly secrets: readonly string[];
}

/** A request to a source has ended. */
export interface Asked {
  readonly source: AskedSource;
  readonly result: 'ok' | FailureReason;
  readonly durationMs: number;
}

/** A report as text, so that storing it costs the main thread no second pass over it. */
export interface FinishedReport {
  readonly json: string;
  readonly status: ReportStatus;
  readonly classification: Classification;
  readonly certainty: Certainty;
  readonly headline: string;
  /** When more could be seen than now, in wall time; null when no more is awaited. */
  readonly lookAgainAt: number | null;
  /** How many of its checks a source kept from being made. */
  readonly failedChecks: number;
}

/** What a worker thread is started with. */
export interface WorkerSettings {
  readonly version: string;
  /** Secrets in clear: they reach the thread this way only, and are never logged. */
  readonly sources: SourceAccesses;
  /** Questions that each source is asked at the same time by one thread. */
  readonly atOnce: number;
  /** Whether recordings are kept of what the sources answer. */
  readonly records: boolean;
  /** Null for threads that ask none. */
  readonly model: WorkerModel | null;
}
