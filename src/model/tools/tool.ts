import type { Ledger, NewEvidence } from '../../evidence/ledger.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { Report } from '../../report/report.ts';
import type { Sources } from '../../sources/asked-source.ts';
import type { ToolSpec } from '../client/conversation.ts';
import { objectShape } from '../shape.ts';
import type { Argument } from './argument.ts';

/** The sources that tools may query; for one that is not configured no tools are offered. */
export type ToolSources = Omit<Sources, 'alertmanager'>;

/** What tools work with: the configured sources and what the service knows. No addresses. */
export interface ToolContext {
  readonly sources: ToolSources;
  readonly report: Report;
  readonly caseFile: CaseFile;
  readonly clock: Clock;
  /** Begins with the report's evidence; that of the tools is added. */
  readonly ledger: Ledger;
  /** End of the time that is investigated, wall time in milliseconds. */
  readonly now: number;
  /**
   * Masks secrets in plain data, whose shape stays the same. Applied before evidence is cut to its
   * bounds; a model may have put a secret into a query.
   */
  readonly mask: <T>(data: T) => T;
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
  /** True for a refused or failed call, which is missing data. */
  readonly isError: boolean;
  /** What came of it, at least one; each with evidence has an id of its own. */
  readonly results: readonly [ToolResult, ...ToolResult[]];
}

export interface ToolResult {
  /** For the model. */
  readonly text: string;
  /** Added to the report's evidence; null for nothing new. */
  readonly evidence: NewEvidence | null;
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

/** `A` is the arguments as they have been read. */
export function createTool<A>(
  about: Pick<ToolSpec, 'name' | 'description'> & {
    readonly takes: { readonly [Name in keyof A]: Argument<A[Name]> };
  },
  run: (given: A, signal: AbortSignal) => Promise<ToolOutcome> | ToolOutcome,
): Tool {
  const { takes, ...named } = about;
  const { schema, read } = objectShape<A>(takes);
  return {
    spec: { ...named, schema },
    run: async (given, signal) => run(read(given, 'arguments'), signal),
  };
}

export function found(text: string, evidence: NewEvidence): ToolOutcome {
  return { isError: false, results: [{ text, evidence }] };
}

/** `what` is a sentence that says so. */
export function nothingFound(what: string): ToolOutcome {
  const text = `${what} That is missing data, not a finding.`;
  return { isError: false, results: [{ text, evidence: null }] };
}

export function failed(text: string): ToolOutcome {
  return { isError: true, results: [{ text, evidence: null }] };
}
