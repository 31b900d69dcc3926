import { hasNoData } from '../alert/alert.ts';
import { expressionIn } from '../alert/rule-link.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { SourceState } from '../report/report.ts';
import { bySource, type AskedSource } from '../sources/asked-source.ts';
import { addAlertEvidence, type AlertIds } from './from-alert.ts';
import { addGroupEvidence } from './from-notification.ts';
import { addStoreEvidence, type StoreIds } from './from-store.ts';
import { historyFacts, type HistoryFacts } from './history-facts.ts';
import { withRollouts } from './kubernetes/rollouts.ts';
import type { Ledger } from './ledger.ts';
import { measuredBy } from './measured-value.ts';
import type { Measurement } from './measurement.ts';
import { addMissingSources } from './missing-sources.ts';
import { numbersInAnnotations, type TextNumber } from './numbers-in-text.ts';
import { readExpression, withFamilyUnit, type RuleReading } from './rule/rule-expression.ts';
import type { SourceFacts } from './source-facts.ts';
import { limitUnitOf, statedMeasurement } from './stated-value.ts';

/** Everything an investigation knows, with the evidence item behind each piece of it. */
export interface Evidence extends SourceFacts {
  readonly ledger: Ledger;
  readonly rule: RuleReading | null;
  readonly numbers: readonly TextNumber[];
  readonly measurement: Measurement;
  readonly history: HistoryFacts;
  readonly ids: EvidenceIds;
  readonly sources: Readonly<Record<AskedSource, SourceState>>;
}

interface EvidenceIds extends AlertIds, StoreIds {
  readonly group: string;
  readonly sources: Readonly<Record<AskedSource, string>>;
}

export interface CollectOptions extends SourceFacts {
  /** Already holds the items of the outside sources' collectors. */
  readonly ledger: Ledger;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** Unit in which alerts of this family are usually measured; null when unknown. */
  readonly familyUnit: string | null;
  /** The sources that are configured, whether or not they answered. */
  readonly configured: ReadonlySet<AskedSource>;
}

/** Most items that {@linkcode collectEvidence} adds itself. */
export const ownItemsMax = 12;

/** Adds the evidence from the alert, its notification and the service's own store. */
export function collectEvidence(caseFile: CaseFile, options: CollectOptions): Evidence {
  const { ledger, now, familyUnit, logs, kubernetes, alertmanager, configured } = options;
  const metrics = withRollouts(options.metrics, kubernetes);
  const { alert } = caseFile;
  // Where the query of a rule fails, Grafana fills -1 into its text.
  const numbers = hasNoData(alert.annotations) ? []
    : numbersInAnnotations(alert.annotations, alert.labels);
  const read = (expression: string | null): RuleReading | null =>
    expression === null ? null : readExpression(expression);
  const withUnit = (reading: RuleReading | null): RuleReading | null =>
    reading === null || limitUnitOf(reading, numbers) !== null ? reading
      : withFamilyUnit(reading, familyUnit);
  const sent = withUnit(read(expressionIn(alert.generatorURL)));
  const rule = withUnit(metrics?.holding ?? null) ?? sent ??
    withUnit(read(metrics?.rule?.expression ?? null));
  const history = historyFacts(caseFile, metrics, now);
  const alertIds = addAlertEvidence(ledger, caseFile, { rule: sent, numbers });
  const ids = {
    ...alertIds,
    rule: sent === null ? (metrics?.rule?.evidence ?? alertIds.rule) : alertIds.rule,
    group: addGroupEvidence(ledger, caseFile),
    ...addStoreEvidence(ledger, caseFile, history),
  };
  const sources = addMissingSources(ledger, configured);
  const stated = statedMeasurement({ rule, numbers, values: alert.values });
  const limitUnit = limitUnitOf(rule, numbers);
  return {
    ledger, rule, numbers, history, metrics, logs, kubernetes, alertmanager,
    measurement: metrics === null || metrics.own === null ? stated
      : measuredBy(metrics.own, { stated, limitUnit, isEnded: history.current.end !== null }),
    ids: { ...ids, sources: bySource((name) => sources[name].id) },
    sources: bySource((name) => sources[name].state),
  };
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
