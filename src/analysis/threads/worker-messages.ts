/** The messages between the pool and a worker thread: plain data, which is cloned in transit. */
import type { Conclusion } from '../../episodes/conclusion.ts';
import type { TokenPrices } from '../../lib/token-prices.ts';
import type { Permit, Spent } from '../../model/client/meter.ts';
import type { ModelAccess } from '../../model/client/model-access.ts';
import type { ModelCall } from '../../model/client/model-client.ts';
import type { UsedTool } from '../../model/tools/tool.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { Narrative, Progress, ReportStatus } from '../../report/report.ts';
import type { AskedSource, SourceAccesses } from '../../sources/asked-source.ts';
import type { RequestOutcome } from '../../sources/source-client.ts';

/** `load` asks for `loaded`, before the first work; `end` asks the thread to exit by itself. */
export type ToWorker =
  | ToWork
  | { readonly kind: 'ping' }
  | { readonly kind: 'load' }
  | { readonly kind: 'end' };

export type ToWork =
  | {
      readonly kind: 'investigate';
      readonly id: number;
      readonly caseFile: CaseFile;
      /** Null without a model. */
      readonly coming: ComingNarrative | null;
    }
  | ({ readonly kind: 'narrate'; readonly id: number } & NarrationJob)
  /** The answer to the narration's last `permit`. */
  | { readonly kind: 'permitted'; readonly id: number; readonly permit: Permit }
  | { readonly kind: 'cancel'; readonly id: number; readonly reason: 'deadline' | 'ended' }
  /** Secrets have changed: new investigations and narrations use these. */
  | {
      readonly kind: 'sources';
      readonly sources: SourceAccesses;
      readonly model: WorkerModel | null;
    };

export type FromWorker =
  /** `memoryBytes` is the thread's heap plus external memory. */
  | { readonly kind: 'ready'; readonly memoryBytes: number }
  | { readonly kind: 'pong'; readonly memoryBytes: number }
  /** Whatever its work needs is loaded. */
  | { readonly kind: 'loaded' }
  | { readonly kind: 'asked'; readonly asked: SourceCall }
  /** A bug in this service kept it from reading the source's answer. */
  | { readonly kind: 'broken'; readonly source: AskedSource; readonly error: unknown }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly id: number; readonly report: FinishedReport }
  /** Asks whether a request of this many tokens may be made. */
  | { readonly kind: 'permit'; readonly id: number; readonly tokens: number }
  | { readonly kind: 'spent'; readonly id: number; readonly spent: Spent }
  /** A request to the model has ended. */
  | { readonly kind: 'model-asked'; readonly asked: ModelCall }
  | { readonly kind: 'tool-used'; readonly used: UsedTool }
  /** Follows `done` once packed; null if there is no recording. */
  | { readonly kind: 'recorded'; readonly id: number; readonly recording: Uint8Array | null }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

/** Where the narrative of a report in the making comes from. */
export interface ComingNarrative {
  /** Used if the old report has no narrative that can be kept. */
  readonly narrative: Narrative;
  /** The text of the report that the new one replaces; null if there is none. */
  readonly previous: string | null;
  /** How long an old narrative is kept although the evidence has changed. */
  readonly freshMs: number;
}

export interface NarrationJob {
  /** What a person asks about the report; null for its narrative. */
  readonly question: string | null;
  readonly caseFile: CaseFile;
  /** The stored report's text. */
  readonly report: string;
  readonly grant: Grant;
}

export interface Grant {
  /** Rounds of tool calls. */
  readonly rounds: number;
  /** Input and output together; input that the provider had cached counts a tenth. */
  readonly tokens: number;
  /** Most tokens of one answer. */
  readonly outputTokens: number;
  readonly deadlineMs: number;
  /** Per million tokens; null when unknown. */
  readonly prices: TokenPrices | null;
}

/** Access to a model, with secrets in clear text. */
export interface WorkerModel {
  readonly access: ModelAccess;
  /** All secrets of the service, none of which may be sent to the model. */
  readonly secrets: readonly string[];
}

/** A finished request to a source. */
export interface SourceCall extends RequestOutcome {
  readonly source: AskedSource;
}

/** A report as text, so that the main thread can store it without serializing it again. */
export interface FinishedReport {
  readonly json: string;
  readonly status: ReportStatus;
  readonly conclusion: Conclusion;
  /** When a recheck is due (wall time in ms); null when none is. */
  readonly recheckAt: number | null;
  /** How many of its checks failed because of a source. */
  readonly failedChecks: number;
}

/** The `workerData` of a worker thread. */
export interface WorkerSettings {
  readonly version: string;
  /** Secrets in clear text: they reach the thread only this way, and are never logged. */
  readonly sources: SourceAccesses;
  /** Most concurrent queries of the thread to one source. */
  readonly atOnce: number;
  /** Whether the answers of the sources are recorded. */
  readonly records: boolean;
  /** Null for threads that do not narrate. */
  readonly model: WorkerModel | null;
}
