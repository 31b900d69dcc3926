import type { NewEvidence } from '../../evidence/ledger.ts';
import type { Clock } from '../../lib/clock.ts';
import { fieldsOf } from '../../lib/parse.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { Report } from '../../report/report.ts';
import type { AskableSource } from '../../sources/source-client.ts';
import type { ToolSpec } from '../client/conversation.ts';

/** The sources that tools may query; null when not configured, and its tools are not offered. */
export type ToolSources =
  Readonly<Record<'prometheus' | 'loki' | 'kubernetes', AskableSource | null>>;

/** What tools work with: the configured sources and what the service knows. No addresses. */
export interface ToolContext {
  readonly sources: ToolSources;
  readonly report: Report;
  readonly caseFile: CaseFile;
  readonly clock: Clock;
  /** End of the time that is investigated, wall time in milliseconds. */
  readonly now: number;
  /**
   * Masks secrets in plain data, whose shape stays the same. Applied before evidence is cut to its
   * bounds; a model may have put a secret into a query.
   */
  readonly mask: (data: unknown) => unknown;
  /** Secrets of the service, to be masked before a text is shortened. */
  readonly secrets: readonly string[];
  /** Called when a call has ended or was refused. */
  readonly onUsed: (used: UsedTool) => void;
}

/** Plain data, for metrics. */
export interface UsedTool {
  /** Name as the model gave it; there may be no such tool. */
  readonly tool: string;
  readonly seconds: number;
  readonly isError: boolean;
}

export interface ToolOutcome {
  /** For the model. */
  readonly text: string;
  /** True for a refused or failed call, which is missing data. */
  readonly isError: boolean;
  /** Added to the report's evidence; null for nothing new. */
  readonly evidence: NewEvidence | null;
  /** Further results of the same call, each with its own evidence id. */
  readonly more?: readonly { readonly text: string; readonly evidence: NewEvidence }[];
}

/** `run` rejects with a FormatError or ToolProblem for its arguments, or with a SourceFailure. */
export interface Tool {
  readonly spec: ToolSpec;
  readonly run: (given: unknown, signal: AbortSignal) => Promise<ToolOutcome>;
}

/** A problem that the model can correct; the message is for it. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem';
}

export function argumentsOf(given: unknown): ReturnType<typeof fieldsOf> {
  return fieldsOf(given, 'arguments');
}

export function failed(text: string): ToolOutcome {
  return { text, isError: true, evidence: null };
}
