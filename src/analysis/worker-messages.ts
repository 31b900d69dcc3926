/** What the pool and a worker thread say to each other. Plain data: it is cloned on its way. */
import type { CaseFile } from '../report/case-file.ts';
import type { Certainty, Classification, Progress, ReportStatus } from '../report/report.ts';
import type { FailureReason } from '../sources/source-failure.ts';
import type { AskedSource, SourceAccesses } from './thread-sources.ts';

export type ToWorker =
  | { readonly kind: 'investigate'; readonly id: number; readonly caseFile: CaseFile }
  | { readonly kind: 'cancel'; readonly id: number; readonly reason: 'deadline' | 'stopping' }
  /** Secrets have changed: what is asked from now on is asked with these. */
  | { readonly kind: 'sources'; readonly sources: SourceAccesses }
  | { readonly kind: 'ping' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'asked'; readonly asked: Asked }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly id: number; readonly report: FinishedReport }
  /** After `done`, once packed; null when there is none. */
  | { readonly kind: 'recorded'; readonly id: number; readonly recording: Uint8Array | null }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

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
}
