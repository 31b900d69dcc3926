import type { CaseFile } from '../report/case-file.ts';
import type { SourceState } from '../report/report.ts';
import { bySource, type AskedSource } from '../sources/asked-source.ts';
import { addAlertEvidence, type AlertIds } from './from-alert.ts';
import { addGroupEvidence } from './from-notification.ts';
import { addStoreEvidence, type StoreIds } from './from-store.ts';
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

/** Everything an investigation knows, with the evidence item behind each piece of it. */
export interface Evidence {
  readonly ledger: Ledger;
  readonly rule: RuleReading | null;
  readonly numbers: readonly TextNumber[];
  readonly measurement: Measurement;
  readonly history: HistoryFacts;
  /** Null when no metric source is configured. */
  readonly metrics: MetricFacts | null;
  /** Null when no log source is configured. */
  readonly logs: LogFacts | null;
  /** Null when no cluster is configured. */
  readonly kubernetes: KubernetesFacts | null;
  readonly ids: EvidenceIds;
  /** How each outside source did. */
  readonly sources: Readonly<Record<AskedSource, SourceState>>;
}

interface EvidenceIds extends AlertIds, StoreIds {
  readonly group: string;
  readonly sources: Readonly<Record<AskedSource, string>>;
}

export interface CollectOptions {
  /** Already holds the items of the outside sources' collectors. */
  readonly ledger: Ledger;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** Unit in which alerts of this family are usually measured; null when unknown. */
  readonly familyUnit: string | null;
  readonly metrics: MetricFacts | null;
  readonly logs: LogFacts | null;
  readonly kubernetes: KubernetesFacts | null;
  /** The sources that are configured, whether or not they answered. */
  readonly configured: ReadonlySet<AskedSource>;
}

/** Most items that {@linkcode collectEvidence} adds itself. */
export const ownItemsMax = 12;

/** Adds the evidence from the alert, its notification and the service's own store. */
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
  const sources = addMissingSources(ledger, configured);
  const told = measure({ rule, numbers, values: alert.values });
  return {
    ledger, rule, numbers, history, metrics, logs, kubernetes,
    measurement: measuredBy(metrics, {
      told, limitUnit: limitUnitOf(rule, numbers), isEnded: history.current.end !== null,
    }),
    ids: { ...ids, sources: bySource((name) => sources[name].id) },
    sources: bySource((name) => sources[name].state),
  };
}

function readRule(expression: string | null, familyUnit: string | null): RuleReading | null {
  return expression === null ? null : withUnit(readExpression(expression), familyUnit);
}

/**
 * Replaces the value from the text by the measured one, which is exact and has a known time: now
 * if the alert fires and has a value now, else when it fired.
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

/** Value and limit measured at the same moment: a moving limit in the text is out of date. */
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
  // A ratio limit above 1 is a multiple, and nobody writes five times as 500 %.
  const isMultiple = limitUnit === 'ratio' && Math.abs(threshold ?? 0) > 1;
  return {
    ...told, value, threshold, unit: isMultiple ? null : limitUnit, origin: 'series',
    unknownBecause: null,
  };
}

/**
 * Whether the number in the text is the value that was measured, so that its unit applies. Without
 * a limit the number in the text may be anything.
 */
function isReadFrom({ value, threshold }: Measurement, own: OwnSeries): boolean {
  if (threshold === null) return false;
  const measured = [own.valueAtFire, own.valueNow].filter((each) => each !== null);
  return value === null || own.valueAtFire === null || measured.some((each) => {
    return Math.abs(each - value) <= 0.1 * Math.max(Math.abs(each), Math.abs(value));
  });
}

/** Null if even the worst is within the limit: the alert then fired on an infinite value. */
function worstFiring(worst: number | null, { operator, threshold }: Measurement): number | null {
  if (worst === null || operator === null || threshold === null) return worst;
  return isFiring(worst, operator, threshold) ? worst : null;
}

/** A larger limit is most likely in milliseconds, unless the metric's name says seconds. */
const unnamedSecondsMax = 30;

/**
 * Where the metric names do not tell the unit, assumes that of the family, unless the limit is out
 * of its range: in one family some rules use ratios and others percentages.
 */
function withUnit(rule: RuleReading, familyUnit: string | null): RuleReading {
  if (rule.unit !== null || rule.threshold === null || familyUnit === 'state') return rule;
  if (rule.isRescaled) return rule;
  // A rule on equality compares a state, whatever the family measures.
  if (rule.operator === '==' || rule.operator === '!=') return rule;
  const isBelowOne = Math.abs(rule.threshold) <= 1;
  if (familyUnit === 'ratio' && !isBelowOne) return rule;
  if (familyUnit === 'percent' && isBelowOne) return rule;
  const isNamed = rule.metrics.some((name) => name.includes('_seconds'));
  const isLong = Math.abs(rule.threshold) > unnamedSecondsMax;
  if (familyUnit === 'seconds' && isLong && !isNamed) return rule;
  // Nobody compares a duration with 0: the value is a count or a difference.
  if (familyUnit === 'seconds' && rule.threshold <= 0 && !isNamed) return rule;
  return { ...rule, unit: familyUnit };
}

/** The items that the value and its limit come from. */
export function measurementEvidence({ measurement, rule, ids, metrics }: Evidence): string[] {
  const cited: string[] = [];
  if (measurement.origin === 'series') cited.push(...(metrics?.own?.evidence ?? []));
  if (measurement.origin === 'text') cited.push(ids.annotations);
  if (measurement.origin === 'values' && ids.values !== null) cited.push(ids.values);
  if (rule !== null) cited.push(ids.rule);
  return cited;
}
