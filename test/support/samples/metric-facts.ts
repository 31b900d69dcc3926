import { expressionIn } from '../../../src/alert/rule-link.ts';
import { concludeFrom, type Conclusions } from '../../../src/diagnosis/conclude.ts';
import { relatedAlerts } from '../../../src/diagnosis/related.ts';
import type { Situation } from '../../../src/diagnosis/situation.ts';
import { collectEvidence, type CollectOptions } from '../../../src/evidence/collect-evidence.ts';
import { Ledger } from '../../../src/evidence/ledger.ts';
import type {
  ChangeAtEnd, EventFact, MetricFacts, OwnSeries, RankingFacts, TestAnswer,
} from '../../../src/evidence/metric-facts.ts';
import { noFacts } from '../../../src/evidence/source-facts.ts';
import type { SourceFault } from '../../../src/evidence/source-report.ts';
import { knowledgeFor } from '../../../src/knowledge/knowledge-for.ts';
import type { CaseFile } from '../../../src/report/case-file.ts';
import { newReport } from '../../../src/report/new-report.ts';
import type { Report } from '../../../src/report/report.ts';
import type { ChangeCandidate } from '../../../src/statistics/change-candidate.ts';
import { rankChanges } from '../../../src/statistics/rank-changes.ts';
import { anAlert } from './alerts.ts';
import { aCaseFile, caseNow } from './case-files.ts';

/** Five minutes, the rule's `for`, before `anAlert` fired. */
export const problemBegan: number = Date.parse('2026-11-20T09:55:00Z');

const stepSeconds = 60;
export const points = 90;
/** The point at which the problem begins. */
export const onPoint = 60;
const startMs = problemBegan - onPoint * stepSeconds * 1000;

/** The case file of a latency alert with its rule, half an hour old at `caseNow`. */
export function latencyCase(over: Partial<CaseFile> = {}): CaseFile {
  return aCaseFile({
    alert: anAlert({
      labels: {
        alertname: 'CheckoutLatencyHigh', service: 'checkout', namespace: 'shop',
        severity: 'critical',
      },
      generatorURL: 'http://p/graph?g0.expr=l_seconds+%3E+0.5',
    }),
    ...over,
  });
}

/** A series that goes from `before` to `after` at point `at`, with deterministic noise. */
export function moving(
  component: string,
  metric: string,
  {
    before = 40, after = before, at = onPoint - 5, side = 'internal', labels = {}, from = 0,
    unit = null,
  }: {
    readonly before?: number;
    readonly after?: number;
    readonly at?: number;
    readonly side?: ChangeCandidate['side'];
    readonly labels?: Readonly<Record<string, string>>;
    /** First point with a value. */
    readonly from?: number;
    readonly unit?: string | null;
  } = {},
): ChangeCandidate {
  const values = Float64Array.from({ length: points }, (_, index) => {
    if (index < from) return Number.NaN;
    const noise = (((index * 7919) % 13) - 6) / 100;
    return (index < at ? before : after) * (1 + noise / 2);
  });
  const signal = side === 'external' ? 'latency' : 'saturation';
  return {
    id: `${component}/${metric}`, component, metric, values, unit, side, signal,
    kind: 'gauge', valueless: null,
    named: component === '' ? null : { label: 'service', value: component },
    labels: { namespace: 'shop', service: component, ...labels },
  };
}

export interface FactsOver {
  readonly candidates?: readonly ChangeCandidate[];
  readonly ranking?: Partial<RankingFacts> | null;
  /** The alert's own series, with which the candidates are compared; default none. */
  readonly ownValues?: Float64Array;
  readonly own?: Partial<OwnSeries> | null;
  readonly holding?: MetricFacts['holding'];
  readonly place?: MetricFacts['place'];
  readonly path?: MetricFacts['path'];
  readonly world?: MetricFacts['world'];
  readonly names?: MetricFacts['names'];
  readonly isRuleUnlisted?: boolean;
  readonly unrun?: string | null;
  readonly scrape?: Partial<NonNullable<MetricFacts['scrape']>> | null;
  readonly peers?: { readonly total: number; readonly beyond: number } | null;
  readonly inside?: Omit<NonNullable<MetricFacts['inside']>, 'evidence'>;
  readonly fired?: Omit<NonNullable<MetricFacts['fired']>, 'evidence'> | null;
  readonly events?: readonly Partial<EventFact>[];
  /** What became of the changes by the end of the alert, by candidate id. */
  readonly atEnd?: Readonly<Record<string, Partial<ChangeAtEnd>>>;
  readonly answers?: Readonly<Record<string, Partial<TestAnswer>>>;
  /** Null if it is too early for them. */
  readonly answersAtEnd?: FactsOver['answers'] | null;
  readonly faults?: readonly Partial<SourceFault>[];
  readonly source?: Partial<MetricFacts['source']>;
  readonly rule?: Partial<NonNullable<MetricFacts['rule']>> | null;
  readonly whole?: Partial<NonNullable<MetricFacts['whole']>>;
  readonly lastSeen?: MetricFacts['lastSeen'];
  readonly lone?: readonly Omit<MetricFacts['lone'][number], 'evidence'>[];
}

/** Facts from a metric source; each cites an item that this adds to the ledger. */
export function someFacts(ledger: Ledger, over: FactsOver = {}): MetricFacts {
  const add = (title: string, query: string | null = null): string => {
    return ledger.add({ kind: 'series', source: 'prometheus', title, query, summary: title });
  };
  const source = ledger.add({
    kind: 'source', source: 'prometheus', title: 'Prometheus', summary: 'Prometheus answered.',
    state: over.source?.state ?? 'ok',
  });
  const own = [add('The series of the alert', 'l_seconds')];
  const recovery = over.atEnd === undefined ? null : add('What moved back by the end');
  const scrape = [add('Its targets', 'up')];
  return {
    source: {
      state: 'ok', durationMs: 120, queries: 9, evidence: source,
      failures: (over.faults ?? []).map((fault) => ({
        what: 'The series of the namespace', why: 'The query took too long.',
        hint: 'Raise the limit.', ...fault,
      })),
      mayAnswerLater: false,
      ...over.source,
    },
    place: over.place ?? null, world: over.world ?? {}, names: over.names ?? null,
    path: over.path ?? null,
    window: {
      fromMs: startMs, toMs: startMs + points * stepSeconds * 1000, stepSeconds,
      onMs: problemBegan, splitMs: problemBegan - 600_000,
    },
    isRuleUnlisted: over.isRuleUnlisted ?? false,
    unrun: over.unrun ?? null,
    rule: over.rule === undefined || over.rule === null ? null : {
      name: 'CheckoutLatencyHigh', expression: 'l_seconds > 0.5', forSeconds: 300,
      keepFiringSeconds: 0,
      problem: null, evidence: add('The rule', 'l_seconds > 0.5'),
      ...over.rule,
    },
    holding: over.holding ?? null,
    whole: over.whole === undefined ? null : {
      atFire: 240, counted: 'requests', isRate: true, rangeSeconds: 300,
      evidence: add('What it is a share of'), ...over.whole,
    },
    own: over.own === null ? null : {
      labels: {}, valueAtFire: 1.6, valueNow: 1.9, yesterday: 0.2, lastWeek: 0.21, worst: 1.9,
      overSinceMs: problemBegan, wasOverBefore: false, crossedMs: [problemBegan],
      past: null, level: null, total: null, recoveredMs: null,
      valueAtEnd: null, limit: null, cutOffValue: null, trend: 'rising', exhaustion: null,
      growth: null,
      evidence: own, ...over.own,
    },
    lastSeen: over.lastSeen ?? null,
    fired: over.fired === undefined || over.fired === null ? null
      : { ...over.fired, evidence: add('When it fired', 'ALERTS') },
    scrape: over.scrape === null ? null
      : {
        up: 3, total: 3, down: [], failed: null, shared: null, outages: [], gaps: [],
        isStale: false,
        evidence: scrape,
        ...over.scrape,
      },
    peers: over.peers === undefined || over.peers === null ? null
      : { ...over.peers, evidence: add('Its peers') },
    inside: over.inside === undefined ? null
      : { ...over.inside, evidence: add('What is inside') },
    events: (over.events ?? []).map((event, index) => ({
      kind: 'version', subject: 'checkout', verb: 'image_changed', atMs: problemBegan - 240_000,
      text: 'image of checkout changed from 1 to 2',
      component: { label: 'service', value: 'checkout' }, before: '1', after: '2', labels: {},
      evidence: add(`Event ${index}`, 'kube_pod_container_info'), ...event,
    })),
    lone: (over.lone ?? []).map((fact) => ({ ...fact, evidence: add('What moved alone') })),
    ranking: over.ranking === null ? null : someRanking(over, add),
    recovery: recovery === null ? null : {
      evidence: recovery,
      states: new Map(Object.entries(over.atEnd ?? {}).map(([id, atEnd]) => [id, {
        state: 'back', backMs: null, isFromStart: false, level: null, ...atEnd,
      }])),
    },
    answers: someAnswers(over.answers, add),
    answersAtEnd: over.answersAtEnd === null ? null : someAnswers(over.answersAtEnd, add),
  };
}

function someAnswers(
  given: FactsOver['answers'] = {},
  add: (title: string) => string,
): MetricFacts['answers'] {
  return new Map(Object.entries(given).map(([id, answer]) => [id, {
    query: `test_of_${id}`, bound: null, named: null, samples: [], labels: [], failed: null,
    isUntold: false,
    isDiluted: false,
    isFromBefore: false, problemSeconds: 300, evidence: add(`Test of ${id}`), ...answer,
  }]));
}

function someRanking(
  { candidates = [], ranking = {}, ownValues }: FactsOver,
  add: (title: string, query: string | null) => string,
): RankingFacts {
  const found = rankChanges(candidates, {
    ownComponent: 'checkout',
    split: onPoint - 10, own: ownValues ?? null,
  });
  return {
    ranking: found,
    ownComponent: 'checkout', ownOnsetIndex: null,
    grid: { startMs, stepMs: stepSeconds * 1000, count: points },
    seasonal: new Map(),
    evidenceOf: new Map(found.series.map(({ candidate }) =>
      [candidate.id, add(candidate.id, `${candidate.metric}{service="${candidate.component}"}`)])),
    evidence: add('What was compared', null),
    searched: 'namespace shop', isTruncated: false, close: new Map(), slack: new Set(), ...ranking,
  };
}

export interface Concluded extends Conclusions {
  readonly situation: Situation;
  /** The complete report. */
  readonly report: Report;
}

/** The conclusions from a case file and facts; null stands for no metric source. */
export function concluded(
  caseFile: CaseFile,
  over: FactsOver | null,
  collect: Partial<CollectOptions> = {},
): Concluded {
  const ledger = new Ledger();
  const metrics = over === null ? null : someFacts(ledger, over);
  const expression = expressionIn(caseFile.alert.generatorURL);
  const knowledge = knowledgeFor(caseFile.alert, expression);
  const evidence = collectEvidence(caseFile, {
    ...noFacts, ledger, now: caseNow, familyUnit: knowledge?.family.unit ?? null, metrics,
    configured: new Set(metrics === null ? [] : ['prometheus'] as const), ...collect,
  });
  const related = relatedAlerts(caseFile);
  const situation = { caseFile, now: caseNow, evidence, related, knowledge };
  const conclusions = concludeFrom(situation);
  const report = {
    ...newReport(caseFile, { status: 'ready', now: caseNow, version: '1' }),
    ...conclusions, evidence: ledger.items,
  };
  return { ...conclusions, situation, report };
}
