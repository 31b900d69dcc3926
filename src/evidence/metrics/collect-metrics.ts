import { noLabels } from '../../alert/labels.ts';
import { compareText } from '../../lib/compare-text.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { isoTime } from '../../report/time-text.ts';
import { prometheusIdentity, type Prometheus } from '../../sources/prometheus.ts';
import type { QueryBudget } from '../../sources/query-budget.ts';
import { askWithin, type Ask, type AskContext, type Asked, type Failure } from '../ask-within.ts';
import type { Ledger } from '../ledger.ts';
import type { MetricFacts, Window } from '../metric-facts.ts';
import type { RuleReading } from '../rule/rule-expression.ts';
import { addOtherServer, addSourceReport } from '../source-report.ts';
import { askFirst } from './ask-first.ts';
import { askMoments, windowOf } from './ask-moments.ts';
import { askOverTime, type Answers } from './ask-over-time.ts';
import { Asker, parts, type Part } from './asking.ts';
import type { TestsFor } from './cause-tests.ts';
import { otherByLabels, otherByValue } from './other-server.ts';
import { questionOf, type Question } from './question.ts';
import { writeFacts } from './write-facts.ts';

export interface MetricsContext extends AskContext<Prometheus> {
  readonly ledger: Ledger;
  readonly budget: Pick<QueryBudget, 'used' | 'left'>;
  /** Wall time in milliseconds that all queries take as now. */
  readonly now: number;
  /** The rule from the alert's link; null without one. */
  readonly rule: RuleReading | null;
  /** The queries that decide between causes, given the rule's expression. */
  readonly testsFor: TestsFor;
  readonly onProgress?: (step: string) => void;
}

/**
 * Collects what a Prometheus-compatible server knows about an alert: its rule, its own series,
 * scrape health, its past, and what else moved. Asks in three rounds, as each decides what the next
 * one asks. Rejects only with the signal's reason; failures of the server become faults, and late
 * answers are left out.
 */
export async function collectMetrics(
  caseFile: CaseFile,
  context: MetricsContext,
): Promise<MetricFacts> {
  const { ledger, budget, now } = context;
  const asked = await askWithin(prometheusIdentity, context, (prometheus, ask: Ask<Part>) =>
    askAll(caseFile, context, new Asker(prometheus, ask)));
  const { question, answers, other } = asked;
  const add = ledger.adderFor('prometheus', isoTime(now));
  const reported = { ...asked, queries: budget.used, questions: byPart(asked.questions) };
  const source = other === null ? addSourceReport(add, 'prometheus', reported)
    : addOtherServer(add, 'prometheus', reported, other);
  if (answers === null || other !== null) return { ...nothing, source, window: asked.window };
  const writing = { ...question, ledger, add, questions: asked.questions };
  return { source, ...writeFacts(writing, answers) };
}

async function askAll(
  caseFile: CaseFile,
  { budget, now, rule: linked, testsFor, onProgress }: MetricsContext,
  asker: Asker,
): Promise<{
  question: Question;
  /** As far as it is known from the first answers. */
  window: Window;
  /** Null if the server did not answer at first, or is not that of the alert. */
  answers: Answers | null;
  /** Why all this is of another server than the alert; null if it is not. */
  other: Failure | null;
}> {
  const question = questionOf(caseFile, { asker, budget, now, linked, testsFor });
  onProgress?.('Reading the rule and when it fired before');
  const first = await askFirst(question);
  const window = windowOf(question, first, { scrapeSeconds: null, historyMs: null });
  const unanswered = { question, window, answers: null };
  if (!asker.hasAnswers) return { ...unanswered, other: null };
  const byLabels = await otherByLabels(question, first);
  if (byLabels !== null) return { ...unanswered, other: byLabels };
  onProgress?.("Reading the alert's own series");
  const moments = await askMoments(question, first);
  onProgress?.('Comparing what moved before the alert');
  const [overTime, path] = await Promise.all([
    askOverTime(question, { first, moments }), moments.path,
  ]);
  const answers = { first, moments, overTime, path };
  return { question, window, answers, other: otherByValue(question, answers) };
}

const nothing = {
  place: null, names: null, world: noLabels, rule: null, isRuleUnlisted: false, unrun: null,
  holding: null, own: null, whole: null,
  lastSeen: null, fired: null, scrape: null, peers: null, inside: null, events: [],
  ranking: null, lone: [], recovery: null,
  answers: new Map(), answersAtEnd: new Map(), path: null,
} as const;

/** With their subjects in words, in an order that does not depend on which came first. */
function byPart(questions: Asked<Part>['questions']): Asked['questions'] {
  const order = Object.keys(parts);
  return questions
    .toSorted((a, b) => order.indexOf(a.what) - order.indexOf(b.what) ||
      compareText(a.failure?.why ?? '', b.failure?.why ?? ''))
    .map(({ what, failure }) => ({ what: parts[what], failure }));
}
