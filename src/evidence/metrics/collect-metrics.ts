import type { Clock } from '../../lib/clock.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { counted } from '../../report/plain-text.ts';
import type { Prometheus } from '../../sources/prometheus.ts';
import type { QueryBudget } from '../../sources/query-budget.ts';
import type { Ledger } from '../ledger.ts';
import type { MetricFacts, SourceReport, Window } from '../metric-facts.ts';
import type { RuleReading } from '../rule/rule-expression.ts';
import { alertWindow, longestRange } from './alert-window.ts';
import { askCourse } from './ask-course.ts';
import { askHistory, type KnownHistory } from './ask-history.ts';
import { askMatters, type Matters } from './ask-matters.ts';
import { Asker, parts } from './asking.ts';
import type { TestsFor } from './cause-tests.ts';
import { questionOf, type Question } from './question.ts';
import { writeDown } from './write-down.ts';

export interface MetricsContext {
  readonly ledger: Ledger;
  readonly prometheus: Prometheus;
  readonly budget: Pick<QueryBudget, 'used' | 'left'>;
  readonly clock: Clock;
  /** Wall time in milliseconds that all queries take as now. */
  readonly now: number;
  /** The rule from the alert's link; null without one. */
  readonly rule: RuleReading | null;
  /** The queries that decide between causes, given the rule's expression. */
  readonly testsFor: TestsFor;
  readonly signal: AbortSignal;
  /** How long all queries together may take. */
  readonly deadlineMs: number;
  readonly onProgress?: (step: string) => void;
}

/**
 * Collects what a Prometheus-compatible server knows about an alert: its rule, its own series,
 * scrape health, its past, and what else moved. Rejects only with the signal's reason; failures of
 * the server become faults, and late answers are left out.
 */
export async function collectMetrics(
  caseFile: CaseFile,
  context: MetricsContext,
): Promise<MetricFacts> {
  const { prometheus, clock, signal, deadlineMs, ledger, budget, onProgress } = context;
  const startedAt = clock.monotonic();
  const usedBefore = budget.used;
  const asker = new Asker({ prometheus, clock, deadlineMs, signal });
  try {
    const { now, rule: linked, testsFor } = context;
    const question = questionOf(caseFile, { asker, budget, now, linked, testsFor });
    onProgress?.('Reading the rule and when it fired before');
    const history = await askHistory(question);
    const source = (): SourceReport => reportOf(ledger, asker, {
      durationMs: Math.round(clock.monotonic() - startedAt), queries: budget.used - usedBefore,
      fetchedAt: question.fetchedAt,
    });
    if (!asker.hasAnswers) {
      return { ...nothing, window: windowOf(question, history, null), source: source() };
    }
    onProgress?.("Reading the alert's own series");
    const matters = await askMatters(question, history);
    const window = windowOf(question, history, matters);
    onProgress?.('Comparing what moved before the alert');
    const course = await askCourse(question, { history, matters, window });
    return writeDown(ledger, question, { history, matters, course, source: source() });
  } finally {
    asker.close();
  }
}

const nothing = {
  rule: null, holding: null, own: null, fired: null, scrape: null, peers: null, inside: null,
  events: [], ranking: null, recovery: null, answers: new Map(),
} as const;

function windowOf(
  { startsAtMs, now }: Question,
  { activeAtMs, found, reading }: KnownHistory,
  matters: Matters | null,
): Window {
  return alertWindow({
    startsAtMs, now, activeAtMs, forSeconds: found?.rule.durationSeconds ?? null,
    rangeSeconds: reading === null ? 0 : longestRange(reading.expression),
    scrapeSeconds: matters?.scrapeSeconds ?? null,
  });
}

const faultsMax = 12;
const wholeWhat = 'The value now, its past, and what else moved before the alert';

/** Adds the item on how the source did, which lists all faults. */
function reportOf(
  ledger: Ledger,
  asker: Asker,
  { durationMs, queries, fetchedAt }: {
    readonly durationMs: number; readonly queries: number; readonly fetchedAt: string;
  },
): SourceReport {
  const state = asker.hasAnswers ? 'ok' : 'failed';
  const faults = asker.faults.slice(0, faultsMax);
  const [first] = faults;
  const missing = new Set(asker.faults.map(({ part }) => part)).size;
  const failed = missing === 0 ? ''
    : `; ${counted(missing, 'part')} ${missing === 1 ? 'is' : 'are'} missing`;
  const evidence = ledger.add({
    kind: 'source', source: 'prometheus', title: 'Prometheus', state, fetched_at: fetchedAt,
    summary: state === 'failed' ? (first?.why ?? 'There was no answer.')
      : `${queries === 1 ? '1 query' : `${queries} queries`} in ${durationMs} ms${failed}.`,
    error: state === 'failed' ? (first?.why ?? null) : null,
    warnings: state === 'failed' ? [] : faults.map(({ part, why }) => `${parts[part]}: ${why}`),
  });
  // If nothing was answered, everything is missing, not only what was asked first.
  const told = state === 'failed' ? faults.slice(0, 1) : faults;
  const failures = told.map(({ part, why, hint }) => {
    return { what: state === 'failed' ? wholeWhat : parts[part], why, hint, evidence };
  });
  const mayAnswerLater = asker.faults.some(({ mayPass }) => mayPass);
  return { state, durationMs, queries, evidence, failures, mayAnswerLater };
}
