import { parseTime } from '../alert/timestamp.ts';
import { askAlertmanager } from '../evidence/alertmanager/ask-alertmanager.ts';
import {
  alertmanagerItemsMax, collectAlertmanager,
} from '../evidence/alertmanager/collect-alertmanager.ts';
import type { AskContext } from '../evidence/ask-within.ts';
import { ownItemsMax } from '../evidence/collect-evidence.ts';
import { askKubernetes } from '../evidence/kubernetes/ask-kubernetes.ts';
import {
  collectKubernetes, kubernetesItemsMax,
} from '../evidence/kubernetes/collect-kubernetes.ts';
import type { Ledger } from '../evidence/ledger.ts';
import { askLogs } from '../evidence/logs/ask-logs.ts';
import { collectLogs, logItemsMax } from '../evidence/logs/collect-logs.ts';
import type { MetricFacts } from '../evidence/metric-facts.ts';
import { collectMetrics } from '../evidence/metrics/collect-metrics.ts';
import type { RuleReading } from '../evidence/rule/rule-expression.ts';
import { noFacts, type SourceFacts } from '../evidence/source-facts.ts';
import type { CollectContext } from '../evidence/source-report.ts';
import { planTests } from '../knowledge/plan-tests.ts';
import type { Clock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';
import { caseEndOf, caseStartOf } from '../report/new-report.ts';
import { createAlertmanager } from '../sources/alertmanager.ts';
import {
  askedSources, identities, type AskedSource, type Sources,
} from '../sources/asked-source.ts';
import { createKubernetes } from '../sources/kubernetes/kubernetes.ts';
import { createLoki } from '../sources/loki.ts';
import { createPrometheus } from '../sources/prometheus.ts';
import { QueryBudget } from '../sources/query-budget.ts';
import type { AskableSource } from '../sources/source-client.ts';

/** Reports should be there within three seconds, so slower answers are left out of them. */
const firingDeadlineMs = 2_500;
/** Nobody waits for the report of an alert that has ended. */
const endedDeadlineMs = 5_000;
const momentMs = 15_000;
const prometheusQueriesMax = 100;
const alertmanagerQueriesMax = 12;
const lokiQueriesMax = 12;
const kubernetesQueriesMax = 24;

interface AskingContext {
  readonly sources: Sources;
  /** Secrets of the service, which evidence must not show. */
  readonly secrets: readonly string[];
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Wall time in milliseconds. */
  readonly now: number;
  readonly rule: RuleReading | null;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
  /** Called when a bug in this service keeps it from reading a source's answers. */
  readonly onBroken: (source: AskedSource, error: unknown) => void;
}

interface AskedFacts extends SourceFacts {
  readonly configured: ReadonlySet<AskedSource>;
}

/**
 * Queries all configured sources at once; none for an alert of a storm that has a representative.
 * Rejects only when the signal is aborted.
 */
export async function askSources(caseFile: CaseFile, context: AskingContext): Promise<AskedFacts> {
  const { ledger, now } = context;
  const representative = caseFile.storm?.representative ?? null;
  if (representative !== null) return skipSources(context, representative.name);
  ledger.reserve(ownItemsMax + alertmanagerItemsMax + logItemsMax + kubernetesItemsMax);
  const ended = new AbortController();
  const asking = {
    ...context, asking: AbortSignal.any([context.signal, ended.signal]),
    deadlineMs: caseEndOf(caseFile) === null ? firingDeadlineMs : endedDeadlineMs,
  };
  const [metrics, alertmanager, logs, kubernetes] = await Promise.all([
    askUnlessBroken('prometheus', asking, async (source) => {
      const facts = await askPrometheus(source, caseFile, asking);
      return () => facts;
    }),
    askUnlessBroken('alertmanager', asking, withinBudget(asking, {
      queriesMax: alertmanagerQueriesMax, create: createAlertmanager,
      ask: (asked) => askAlertmanager(caseFile, asked),
      collect: (answers, into) => collectAlertmanager(caseFile, answers, into),
    })),
    askUnlessBroken('loki', asking, withinBudget(asking, {
      queriesMax: lokiQueriesMax, create: createLoki,
      ask: (asked) => askLogs(caseFile, momentOf(now, caseFile), asked),
      collect: collectLogs,
    })),
    askUnlessBroken('kubernetes', asking, withinBudget(asking, {
      queriesMax: kubernetesQueriesMax, create: createKubernetes,
      ask: (asked) => askKubernetes(caseFile, now, asked),
      collect: collectKubernetes,
    })),
  ]).finally(() => ended.abort()); // Cancels queries that are late.
  ledger.reserve(0);
  // Added to the ledger when all have ended, so that the order of items is always the same.
  return {
    metrics: metrics(), alertmanager: alertmanager(), logs: logs(), kubernetes: kubernetes(),
    configured: configuredIn(context.sources),
  };
}

const broken = 'could not be used: a bug in this service kept it from reading the answers.';

function configuredIn(sources: Sources): Set<AskedSource> {
  return new Set(askedSources.filter((name) => sources[name] !== null));
}

/**
 * Asks a source, if it is configured, and resolves to what adds its facts to the ledger. The alert
 * gets its report even if an answer breaks the code that reads it: then an item says so.
 */
async function askUnlessBroken<Facts>(
  name: AskedSource,
  { sources, ledger, asking, onBroken }: Asking,
  ask: (source: AskableSource) => Promise<() => Facts>,
): Promise<() => Facts | null> {
  const source = sources[name];
  if (source === null) return () => null;
  const addBroken = (): null => {
    addSource(ledger, name, { state: 'failed', what: broken });
    return null;
  };
  try {
    const add = await ask(source);
    return () => {
      const before = ledger.items.length;
      try {
        return add();
      } catch (error) {
        onBroken(name, error);
        ledger.takeBack(before);
        return addBroken();
      }
    };
  } catch (error) {
    if (asking.aborted) throw error;
    onBroken(name, error);
    return addBroken;
  }
}

/** Adds an item for each configured source, saying why it was not asked. */
function skipSources({ sources, ledger }: AskingContext, representative: string): AskedFacts {
  const configured = configuredIn(sources);
  const what = 'was not asked: in an alert storm, evidence is collected for a few alerts only. ' +
    `See the report of ${representative}, or have this alert analysed again.`;
  for (const source of configured) addSource(ledger, source, { state: 'empty', what });
  return { ...noFacts, configured };
}

function addSource(
  ledger: Ledger,
  source: AskedSource,
  { state, what }: { readonly state: 'empty' | 'failed'; readonly what: string },
): void {
  const { title } = identities[source];
  ledger.add({ kind: 'source', source, title, state, summary: `${title} ${what}` });
}

interface Asking extends AskingContext {
  /** Aborts with the investigation, and once no more answers can be used. */
  readonly asking: AbortSignal;
  readonly deadlineMs: number;
}

function askPrometheus(
  source: AskableSource,
  caseFile: CaseFile,
  { ledger, clock, now, rule, asking, deadlineMs, onStep }: Asking,
): Promise<MetricFacts> {
  const budget = new QueryBudget(source, prometheusQueriesMax);
  onStep('Asking Prometheus');
  return collectMetrics(caseFile, {
    ledger, budget, clock, rule, signal: asking,
    open: (signal) => createPrometheus(budget, signal),
    now: momentOf(now, caseFile),
    testsFor: (known, place) => planTests(caseFile.alert, rule?.expression ?? known, place),
    deadlineMs,
    onProgress: onStep,
  });
}

interface Questions<Source, Answers, Facts> {
  readonly queriesMax: number;
  readonly create: (source: AskableSource, signal: AbortSignal) => Source;
  readonly ask: (context: AskContext<Source>) => Promise<Answers>;
  readonly collect: (answers: Answers, into: CollectContext) => Facts;
}

function withinBudget<Source, Answers, Facts>(
  { clock, asking, deadlineMs, ledger, now, secrets }: Asking,
  { queriesMax, create, ask, collect }: Questions<Source, Answers, Facts>,
): (source: AskableSource) => Promise<() => Facts> {
  return async (source) => {
    const budget = new QueryBudget(source, queriesMax);
    const answers = await ask({
      clock, signal: asking, deadlineMs,
      open: (signal) => create(budget, signal),
    });
    const queries = budget.used;
    return () => collect(answers, { ledger, now, queries, secrets });
  };
}

/**
 * Rounds the time down, so that alerts of one group ask as of the same time and share answers; but
 * not to before the alert began or ended, when its value was another. Then it is the time of the
 * notification: at the very beginning, another server of a pair may not have seen it yet.
 */
function momentOf(now: number, caseFile: CaseFile): number {
  const rounded = Math.floor(now / momentMs) * momentMs;
  const changedMs = caseEndOf(caseFile) ?? caseStartOf(caseFile);
  if (rounded >= changedMs) return rounded;
  return Math.min(now, Math.max(changedMs, parseTime(caseFile.receivedAt) ?? now));
}
