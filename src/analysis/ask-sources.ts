import { setMaxListeners } from 'node:events';
import { knowledgeFor, type FilledKnowledge } from '../diagnosis/knowledge/knowledge-for.ts';
import { askAlertmanager } from '../evidence/alertmanager/ask-alertmanager.ts';
import {
  alertmanagerItemsMax, collectAlertmanager, type AlertmanagerFacts,
} from '../evidence/alertmanager/collect-alertmanager.ts';
import { ownItemsMax } from '../evidence/collect-evidence.ts';
import type { Ledger } from '../evidence/ledger.ts';
import type { MetricFacts } from '../evidence/metric-facts.ts';
import { collectMetrics } from '../evidence/metrics/collect-metrics.ts';
import type { CauseTest } from '../evidence/metrics/cause-tests.ts';
import type { SourceName } from '../evidence/missing-sources.ts';
import type { RuleReading } from '../evidence/rule/rule-expression.ts';
import type { Clock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';
import { shownText } from '../report/shown-text.ts';
import { createAlertmanager } from '../sources/alertmanager.ts';
import { createPrometheus } from '../sources/prometheus.ts';
import { QueryBudget, type Turns } from '../sources/query-gate.ts';
import type { AskableSource } from '../sources/source-client.ts';
import type { AskedSource, ThreadSources } from './thread-sources.ts';

/** A report is wanted within three seconds: what takes longer than this is left out of it. */
const sourcesDeadlineMs = 2_500;
/** Alerts of a group ask for the same moment, so that one answer serves them all. */
const momentMs = 15_000;
const prometheusQueriesMax = 80;
const alertmanagerQueriesMax = 12;

export interface AskingContext {
  readonly sources: ThreadSources;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Wall time in milliseconds. */
  readonly now: number;
  readonly rule: RuleReading | null;
  readonly knowledge: FilledKnowledge | null;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

/** Null stands for a source that is not configured. */
export interface SourceFacts {
  readonly metrics: MetricFacts | null;
  readonly alertmanager: (AlertmanagerFacts & { readonly queries: number }) | null;
  readonly configured: ReadonlySet<SourceName>;
}

/**
 * Asks every configured source at once, but for an alert of a storm that another one stands for.
 * Rejects only when the signal is aborted.
 */
export async function askSources(
  caseFile: CaseFile,
  context: AskingContext,
): Promise<SourceFacts> {
  const { ledger, now } = context;
  const representative = caseFile.storm?.representative ?? null;
  if (representative !== null) return spared(context, representative.name);
  const { prometheus, alertmanager } = context.sources;
  ledger.reserve(ownItemsMax + alertmanagerItemsMax);
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  setMaxListeners(0, signal); // As many as there are questions under way.
  const asking = { ...context, asking: signal };
  const [metrics, answered] = await Promise.all([
    prometheus && unlessBroken(askPrometheus(prometheus, caseFile, asking), signal),
    alertmanager && unlessBroken(askForCompany(alertmanager, caseFile, asking), signal),
  ]).finally(() => ended.abort()); // What is late is not waited for any more.
  ledger.reserve(0);
  // Written down when both have ended, so that items come in the same order whoever was first.
  const broken = 'could not be used: an error of this service kept it from reading the answers.';
  if (metrics === 'broken') addSource(ledger, 'prometheus', { state: 'failed', what: broken });
  if (answered === 'broken') addSource(ledger, 'alertmanager', { state: 'failed', what: broken });
  const facts = answered === null || answered === 'broken' ? null : {
    ...collectAlertmanager(caseFile, answered.answers, { ledger, now }),
    queries: answered.queries,
  };
  const configured = configuredIn(context.sources);
  return { metrics: metrics === 'broken' ? null : metrics, alertmanager: facts, configured };
}

function configuredIn(sources: ThreadSources): Set<AskedSource> {
  const names = ['prometheus', 'alertmanager'] as const;
  return new Set(names.filter((name) => sources[name] !== null));
}

/** An alert gets its report whatever a strange answer does to the code that reads it. */
async function unlessBroken<T>(facts: Promise<T>, signal: AbortSignal): Promise<T | 'broken'> {
  try {
    return await facts;
  } catch (error) {
    if (signal.aborted) throw error;
    return 'broken';
  }
}

/** Evidence that sources were left alone on purpose. */
function spared({ sources, ledger }: AskingContext, representative: string): SourceFacts {
  const configured = configuredIn(sources);
  const what = 'was not asked: in a storm of alerts the evidence is gathered once, in the report ' +
    `of ${representative}.`;
  for (const source of configured) addSource(ledger, source, { state: 'empty', what });
  return { metrics: null, alertmanager: null, configured };
}

function addSource(
  ledger: Ledger,
  source: AskedSource,
  { state, what }: { readonly state: 'empty' | 'failed'; readonly what: string },
): void {
  const title = source === 'prometheus' ? 'Prometheus' : 'Alertmanager';
  ledger.add({ kind: 'source', source, title, state, summary: `${title} ${what}` });
}

interface Asking extends AskingContext {
  /** Ends with the investigation, and when all that can be used has been answered. */
  readonly asking: AbortSignal;
}

function askPrometheus(
  source: AskableSource,
  caseFile: CaseFile,
  { ledger, clock, now, rule, knowledge, signal, asking, onStep }: Asking,
): Promise<MetricFacts> {
  const budget = new QueryBudget(ungated, prometheusQueriesMax);
  onStep('Asking Prometheus');
  return collectMetrics(caseFile, {
    ledger, budget, clock, rule, signal,
    prometheus: createPrometheus(source, budget, asking),
    now: Math.floor(now / momentMs) * momentMs,
    testsFor: (expression) => {
      return testsOf(rule === null ? knowledgeFor(caseFile.alert, expression) : knowledge);
    },
    deadlineMs: sourcesDeadlineMs,
    onProgress: onStep,
  });
}

/** The queries whose answers decide causes by a bound. */
function testsOf(knowledge: FilledKnowledge | null): CauseTest[] {
  return (knowledge?.causes ?? []).flatMap(({ id, cause, test }) => {
    if (test?.kind !== 'promql' || test.bounds === null) return [];
    return [{ id, cause: shownText(cause, 200), query: test.text }];
  });
}

async function askForCompany(
  source: AskableSource,
  caseFile: CaseFile,
  { clock, asking }: Asking,
): Promise<{ answers: Awaited<ReturnType<typeof askAlertmanager>>; queries: number }> {
  const budget = new QueryBudget(ungated, alertmanagerQueriesMax);
  const answers = await askAlertmanager(caseFile, {
    clock, signal: asking, deadlineMs: sourcesDeadlineMs,
    open: (ending) => createAlertmanager(source, budget, ending),
  });
  return { answers, queries: budget.used };
}

/** The gate stands behind the answers that are shared: who is given one waits for nobody. */
const ungated: Turns = { run: (query) => query() };
