import type { Clock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { AskedSource } from '../sources/asked-source.ts';
import { QueryBudget } from '../sources/query-budget.ts';
import type { AskableSource } from '../sources/source-client.ts';
import type { AskContext } from './ask-within.ts';
import type { Ledger } from './ledger.ts';
import type { TestsFor } from './metrics/cause-tests.ts';
import type { RuleReading } from './rule/rule-expression.ts';
import type { CollectContext, SourceReport } from './source-report.ts';

/** One source of evidence: what it is asked about an alert, and what becomes of its answers. */
export interface SourceModule<Facts extends { readonly source: SourceReport }> {
  readonly name: AskedSource;
  /** Items of the ledger that are kept free for it. */
  readonly itemsMax: number;
  /**
   * Resolves to what adds its facts to the ledger. Rejects only when the signal is aborted, or if
   * there is a bug.
   */
  readonly ask: (source: AskableSource, asking: SourceAsking) => Promise<() => Facts>;
}

/** What every source is asked about, and within which limits. */
export interface SourceAsking {
  readonly caseFile: CaseFile;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** The same, rounded so that alerts of one group share answers. */
  readonly moment: number;
  /** The rule from the alert's link; null without one. */
  readonly rule: RuleReading | null;
  /** The queries that decide between causes. */
  readonly testsFor: TestsFor;
  /** Secrets of the service, which evidence must not show. */
  readonly secrets: readonly string[];
  /** Aborts with the investigation, and once no more answers can be used. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly onStep: (step: string) => void;
}

interface Questions<Source, Answers, Facts> {
  readonly queriesMax: number;
  readonly create: (source: AskableSource, signal: AbortSignal) => Source;
  readonly ask: (asking: SourceAsking, context: AskContext<Source>) => Promise<Answers>;
  readonly collect: (caseFile: CaseFile, answers: Answers, into: CollectContext) => Facts;
}

/** Asks all questions within a number of queries, and writes nothing down until all have ended. */
export function withinBudget<Source, Answers, Facts>(
  { queriesMax, create, ask, collect }: Questions<Source, Answers, Facts>,
): (source: AskableSource, asking: SourceAsking) => Promise<() => Facts> {
  return async (source, asking) => {
    const { caseFile, ledger, now, secrets, clock, signal, deadlineMs } = asking;
    const budget = new QueryBudget(source, queriesMax);
    const answers = await ask(asking, {
      clock, signal, deadlineMs, open: (aborted) => create(budget, aborted),
    });
    const queries = budget.used;
    return () => collect(caseFile, answers, { ledger, now, queries, secrets });
  };
}
