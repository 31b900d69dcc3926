/** What the pool and a worker thread say to each other. Plain data: it is cloned on its way. */
import type { CaseFile } from '../report/case-file.ts';
import type { Certainty, Classification, Progress, ReportStatus } from '../report/report.ts';

export type ToWorker =
  | { readonly kind: 'investigate'; readonly id: number; readonly caseFile: CaseFile }
  | { readonly kind: 'cancel'; readonly id: number; readonly reason: 'deadline' | 'stopping' }
  | { readonly kind: 'ping' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly id: number; readonly report: FinishedReport }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

/** A report as text, so that storing it costs the main thread no second pass over it. */
export interface FinishedReport {
  readonly json: string;
  readonly status: ReportStatus;
  readonly classification: Classification;
  readonly certainty: Certainty;
  readonly headline: string;
}

/** What a worker thread is started with. */
export interface WorkerSettings {
  readonly version: string;
}
