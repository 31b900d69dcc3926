import type { CaseFile } from '../report/case-file.ts';
import type { SourceState } from '../report/report.ts';
import type { AskedSource } from '../sources/asked-source.ts';
import { addAlertEvidence } from './from-alert.ts';
import { addGroupEvidence } from './from-notification.ts';
import { addStoreEvidence } from './from-store.ts';
import { historyFacts, type HistoryFacts } from './history-facts.ts';
import { withRollouts } from './kubernetes/with-rollouts.ts';
import type { Ledger } from './ledger.ts';
import type { LogFacts } from './logs/log-facts.ts';
import type { KubernetesFacts } from './kubernetes/kubernetes-facts.ts';
import { isFiring, limitUnitOf, measure, type Measurement } from './measurement.ts';
import type { MetricFacts, OwnSeries } from './metric-facts.ts';
import { addMissingSources } from './missing-sources.ts';
import { numbersInAnnotations, type TextNumber } from './numbers-in-text.ts';
import { expressionIn, readExpression, type RuleReading } from './rule/rule-expression.ts';

/** Everything an investigation knows, and the evidence item that each piece of it rests on. */
export interface Evidence {
  readonly ledger: Ledger;
  readonly rule: RuleReading | null;
  readonly numbers: readonly TextNumber[];
  readonly measurement: Measurement;
  readonly history: HistoryFacts;
  /** Null when no metric source is configured. */
  readonly metrics: MetricFacts | null;
  /** Null when no source of logs is configured. */
  readonly logs: LogFacts | null;
  /** Null when no cluster is configured. */
  readonly kubernetes: KubernetesFacts | null;
  readonly ids: EvidenceIds;
  /** What each outside source said of itself. */
  readonly sources: Readonly<Record<AskedSource, SourceState>>;
}

export interface EvidenceIds {
  readonly labels: string;
  readonly annotations: string;
  readonly rule: string;
  /** Grafana's values; null when the alert has none. */
  readonly values: string | null;
  readonly group: string;
  readonly history: string;
  readonly open: string;
  /** What people said of earlier reports; null while nobody has said anything. */
  readonly feedback: string | null;
  readonly sources: Readonly<Record<AskedSource, string>>;
}

export interface CollectOptions {
  /** What the collectors of outside sources wrote is in it already. */
  readonly ledger: Ledger;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** Unit in which alerts of this family are read; null when unknown. */
  readonly familyUnit: string | null;
  readonly metrics: MetricFacts | null;
  readonly logs: LogFacts | null;
  readonly kubernetes: KubernetesFacts | null;
  /** The sources that somebody set up, whether they answered or not. */
  readonly configured: ReadonlySet<AskedSource>;
}

/** Items that {@linkcode collectEvidence} itself needs room for. */
export const ownItemsMax = 12;

/** Writes down what the alert, its notification and the service's own store tell. */
export function collectEvidence(caseFile: CaseFile, options: CollectOptions): Evidence {
  const { ledger, now, familyUnit, logs, kubernetes, configured } = options;
  const metrics = withRollouts(options.metrics, kubernetes);
  const { alert } = caseFile;
  const sent = readRule(expressionIn(alert.generatorURL), familyUnit);
  const written = sent ?? readRule(metrics?.rule?.expression ?? null, familyUnit);
  const holding = metrics?.holding ?? null;
  const rule = holding === null ? written : withUnit(holding, familyUnit);
  const numbers = numbersInAnnotations(alert.annotations, alert.labels);
  const history = historyFacts(caseFile, now);
  const alertIds = addAlertEvidence(ledger, caseFile, { rule: sent, numbers });
  const ids = {
    ...alertIds,
    rule: sent === null ? (metrics?.rule?.evidence ?? alertIds.rule) : alertIds.rule,
    group: addGroupEvidence(ledger, caseFile),
    ...addStoreEvidence(ledger, caseFile, history),
  };
  const { items, states } = addMissingSources(ledger, configured);
  const told = measure({ rule, numbers, values: alert.values });
  return {
    ledger, rule, numbers, history, metrics, logs, kubernetes,
    measurement: measuredBy(metrics, {
      told, limitUnit: limitUnitOf(rule, numbers), isEnded: history.current.end !== null,
    }),
    ids: { ...ids, sources: withOwn(items, metrics?.source.evidence) },
    sources: withOwn(states, metrics?.source.state),
  };
}

function readRule(expression: string | null, familyUnit: string | null): RuleReading | null {
  return expression === null ? null : withUnit(readExpression(expression), familyUnit);
}

/** The metric source speaks for itself where it was asked. */
function withOwn<T>(
  all: Readonly<Record<AskedSource, T>>,
  own: T | undefined,
): Readonly<Record<AskedSource, T>> {
  return own === undefined ? all : { ...all, prometheus: own };
}

/**
 * The measured value in place of the told one: a series is exact and of a known moment. That is
 * now for an alert whose value is known now, and the start for any other.
 */
function measuredBy(
  metrics: MetricFacts | null,
  { told, limitUnit, isEnded }: {
    readonly told: Measurement; readonly limitUnit: string | null; readonly isEnded: boolean;
  },
): Measurement {
  const own = metrics?.own ?? null;
  if (own === null) return told;
  if (told.limit !== null) return againstSeries(own, { told, limitUnit, isEnded });
  const atMoments = isEnded ? [own.valueAtFire] : [own.valueNow, own.valueAtFire];
  const value = [...atMoments, worstFiring(own.worst, told)].find((number) => {
    return number !== null && !Number.isNaN(number);
  }) ?? null;
  if (value === null) return told;
  const unit = isReadFrom(told, own) ? told.unit : limitUnit;
  return { ...told, value, unit, origin: 'series', unknownBecause: null };
}

/** Value and limit of one moment, both measured: what the text says of a moving limit is old. */
function againstSeries(
  own: OwnSeries,
  { told, limitUnit, isEnded }: {
    readonly told: Measurement; readonly limitUnit: string | null; readonly isEnded: boolean;
  },
): Measurement {
  const isNow = !isEnded && own.valueNow !== null;
  const value = isNow ? own.valueNow : own.valueAtFire;
  if (value === null) return { ...told, threshold: null };
  const threshold = (isNow ? own.limit?.now : own.limit?.atFire) ?? null;
  // A limit of more than the whole is a multiple, and nobody writes five times as 500 %.
  const isMultiple = limitUnit === 'ratio' && Math.abs(threshold ?? 0) > 1;
  return {
    ...told, value, threshold, unit: isMultiple ? null : limitUnit, origin: 'series',
    unknownBecause: null,
  };
}

/**
 * Whether the number of the text is about the value that was measured, so that its unit may be
 * taken. Without a limit the number in the text may be any other.
 */
function isReadFrom({ value, threshold }: Measurement, own: OwnSeries): boolean {
  if (threshold === null) return false;
  const measured = [own.valueAtFire, own.valueNow].filter((each) => each !== null);
  return value === null || own.valueAtFire === null || measured.some((each) => {
    return Math.abs(each - value) <= 0.1 * Math.max(Math.abs(each), Math.abs(value));
  });
}

/** Null where the worst is within the limit: the alert then fired for an infinite value. */
function worstFiring(worst: number | null, { operator, threshold }: Measurement): number | null {
  if (worst === null || operator === null || threshold === null) return worst;
  return isFiring(worst, operator, threshold) ? worst : null;
}

/** A longer limit is in milliseconds, most likely, unless the name says seconds. */
const unnamedSecondsMax = 30;

/**
 * Where names do not tell the unit, the family's is taken, unless the limit is out of its range:
 * rules of one family are written with ratios by some and with percentages by others.
 */
function withUnit(rule: RuleReading, familyUnit: string | null): RuleReading {
  if (rule.unit !== null || rule.threshold === null || familyUnit === 'state') return rule;
  if (rule.isRescaled) return rule;
  // A rule on equality asks for a state, whatever the family measures.
  if (rule.operator === '==' || rule.operator === '!=') return rule;
  const isBelowOne = Math.abs(rule.threshold) <= 1;
  if (familyUnit === 'ratio' && !isBelowOne) return rule;
  if (familyUnit === 'percent' && isBelowOne) return rule;
  const isNamed = rule.metrics.some((name) => name.includes('_seconds'));
  const isLong = Math.abs(rule.threshold) > unnamedSecondsMax;
  if (familyUnit === 'seconds' && isLong && !isNamed) return rule;
  // Nobody compares a duration with 0: it is a number of things, or a difference.
  if (familyUnit === 'seconds' && rule.threshold <= 0 && !isNamed) return rule;
  return { ...rule, unit: familyUnit };
}

/** The items that the value and its limit were read from. */
export function measurementEvidence({ measurement, rule, ids, metrics }: Evidence): string[] {
  const cited: string[] = [];
  if (measurement.origin === 'series') cited.push(...(metrics?.own?.evidence ?? []));
  if (measurement.origin === 'text') cited.push(ids.annotations);
  if (measurement.origin === 'values' && ids.values !== null) cited.push(ids.values);
  if (rule !== null) cited.push(ids.rule);
  return cited;
}
