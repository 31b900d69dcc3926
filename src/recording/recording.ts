/** The format of recordings: what it takes to replay investigations without asking the sources. */
import type { CaseFile } from '../report/case-file.ts';
import { shownText } from '../report/shown-text.ts';
import type { AskedSource } from '../sources/asked-source.ts';
import type { Fault } from '../sources/source-failure.ts';

/** Raised with every change that older versions would misread. */
export const recordingFormat = 1;

export interface Recording {
  readonly format: typeof recordingFormat;
  /** Version of the service that made the recording. */
  readonly version: string;
  readonly investigations: readonly RecordedInvestigation[];
  /** Answers as received; one that several questions share is stored once. */
  readonly bodies: readonly string[];
}

export interface RecordedInvestigation {
  readonly caseFile: CaseFile;
  /** The time limit of one query to each source, in ms; null where it was not configured. */
  readonly timeoutsMs: Readonly<Record<AskedSource, number | null>>;
  /** What the clock returned, in order. */
  readonly now: readonly number[];
  readonly monotonic: readonly number[];
  /** What happened, in the order in which the investigation saw it. */
  readonly events: readonly RecordedEvent[];
  /** Questions that were still open when the report was written. */
  readonly unanswered: readonly RecordedQuery[];
  /** The report as JSON, byte for byte. */
  readonly report: string;
}

export interface RecordedQuery {
  readonly source: AskedSource;
  readonly path: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** How many times the same question had been asked before. */
  readonly nth: number;
}

export type RecordedEvent =
  /** `body` is an index into `bodies`. */
  | { readonly kind: 'answer'; readonly question: RecordedQuery; readonly body: number }
  | { readonly kind: 'failure'; readonly question: RecordedQuery; readonly fault: Required<Fault> }
  /** A timer of `ms` ended; `nth` counts those of the same length before it. */
  | { readonly kind: 'slept'; readonly ms: number; readonly nth: number };

/** Equal for the same question with the same `nth`. */
export function questionKey({ source, path, parameters, nth }: RecordedQuery): string {
  return JSON.stringify([source, path, parameters, nth]);
}

export function sleepKey(ms: number, nth: number): string {
  return `slept ${ms} ${nth}`;
}

const questionLengthMax = 300;

/** One line for people: `prometheus /api/v1/query?query=up&time=…`. */
export function questionText({ source, path, parameters }: RecordedQuery): string {
  const query = parameters.map(([name, value]) => `${name}=${value}`).join('&');
  return shownText(`${source} ${path}${query === '' ? '' : `?${query}`}`, questionLengthMax);
}
