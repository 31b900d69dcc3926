import type { NewEvidence } from '../../evidence/ledger.ts';
import type { Clock } from '../../lib/clock.ts';
import { fieldsOf } from '../../lib/parse.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { EvidenceItem, Report } from '../../report/report.ts';
import type { Turns } from '../../sources/query-gate.ts';
import type { AskableSource } from '../../sources/source-client.ts';
import type { ToolSpec } from '../client/conversation.ts';

/** What tools may ask. Null when it is not configured: its tools are then not offered. */
export type ToolSources =
  Readonly<Record<'prometheus' | 'loki' | 'kubernetes', AskableSource | null>>;

/** What tools work with: the sources of the settings and what the service knows; no address. */
export interface ToolContext {
  readonly sources: ToolSources;
  readonly report: Report;
  readonly caseFile: CaseFile;
  readonly clock: Clock;
  /** The moment the investigation is of, wall time in milliseconds. */
  readonly now: number;
  /**
   * Masks secrets in plain data of the same shape: evidence is cut to bounds when it is kept, and
   * a model may have put into a query what it knows.
   */
  readonly mask: (data: unknown) => unknown;
  /** A call of a tool has ended, or was refused. */
  readonly onUsed: (used: UsedTool) => void;
}

/** Plain data, for metrics. */
export interface UsedTool {
  /** As the model called it: may be a tool that there is not. */
  readonly tool: string;
  readonly seconds: number;
  readonly isError: boolean;
}

export interface ToolOutcome {
  /** For the model. */
  readonly text: string;
  /** Missing data, which supports nothing. */
  readonly isError: boolean;
  /** What joins the report's evidence; null for nothing new. */
  readonly evidence: NewEvidence | null;
  /** What else the same call found, each with a text and an id of its own. */
  readonly more?: readonly { readonly text: string; readonly evidence: NewEvidence }[];
}

/** Throws ToolProblem for arguments it cannot use, and SourceFailure of the source. */
export interface Tool {
  readonly spec: ToolSpec;
  readonly run: (given: unknown, signal: AbortSignal) => Promise<ToolOutcome>;
}

/** Said to the model, which can do better. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem';
}

export function argumentsOf(given: unknown): ReturnType<typeof fieldsOf> {
  return fieldsOf(given, 'arguments');
}

/** Calls are counted where they are made: at the source they wait for no turn but its own. */
export const unbounded: Turns = { run: (query) => query() };

/** Begins the title of evidence that a model asked for, so that readers can tell. */
export const askedTitle = 'Asked by the model: ';

/** Whether a model asked for the evidence: its title and its query are the model's own words. */
export function isAsked({ title }: Pick<EvidenceItem, 'title'>): boolean {
  return title.startsWith(askedTitle);
}

export function failed(text: string): ToolOutcome {
  return { text, isError: true, evidence: null };
}
