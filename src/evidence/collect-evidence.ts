import type { CaseFile } from '../report/case-file.ts';
import type { SourceState } from '../report/report.ts';
import { addAlertEvidence } from './from-alert.ts';
import { addGroupEvidence } from './from-notification.ts';
import { addStoreEvidence } from './from-store.ts';
import { historyFacts, type HistoryFacts } from './history-facts.ts';
import { Ledger } from './ledger.ts';
import { measure, type Measurement } from './measurement.ts';
import { addMissingSources, type SourceName } from './missing-sources.ts';
import { numbersInAnnotations, type TextNumber } from './numbers-in-text.ts';
import { expressionIn, readExpression, type RuleReading } from './rule-expression.ts';

/** Everything an investigation knows, and the evidence item that each piece of it rests on. */
export interface Evidence {
  readonly ledger: Ledger;
  readonly rule: RuleReading | null;
  readonly numbers: readonly TextNumber[];
  readonly measurement: Measurement;
  readonly history: HistoryFacts;
  readonly ids: EvidenceIds;
  /** What each outside source said of itself. */
  readonly sources: Readonly<Record<SourceName, SourceState>>;
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
  readonly sources: Readonly<Record<SourceName, string>>;
}

export interface CollectOptions {
  /** Wall time in milliseconds. */
  readonly now: number;
  /** Unit in which alerts of this family are read; null when unknown. */
  readonly familyUnit: string | null;
}

/** Writes down what the alert, its notification and the service's own store tell. */
export function collectEvidence(caseFile: CaseFile, { now, familyUnit }: CollectOptions): Evidence {
  const { alert } = caseFile;
  const ledger = new Ledger();
  const expression = expressionIn(alert.generatorURL);
  const rule = expression === null ? null : withUnit(readExpression(expression), familyUnit);
  const numbers = numbersInAnnotations(alert.annotations, alert.labels);
  const measurement = measure({ rule, numbers, values: alert.values });
  const history = historyFacts(caseFile, now);
  const ids = {
    ...addAlertEvidence(ledger, caseFile, { rule, numbers }),
    group: addGroupEvidence(ledger, caseFile),
    ...addStoreEvidence(ledger, caseFile, history),
  };
  const { items, states } = addMissingSources(ledger);
  return {
    ledger, rule, numbers, measurement, history, ids: { ...ids, sources: items }, sources: states,
  };
}

/**
 * Where names do not tell the unit, the family's is taken, unless the limit is out of its range:
 * rules of one family are written with ratios by some and with percentages by others.
 */
function withUnit(rule: RuleReading, familyUnit: string | null): RuleReading {
  if (rule.unit !== null || rule.threshold === null || familyUnit === 'state') return rule;
  // A rule on equality asks for a state, whatever the family measures.
  if (rule.operator === '==' || rule.operator === '!=') return rule;
  const isBelowOne = Math.abs(rule.threshold) <= 1;
  if (familyUnit === 'ratio' && !isBelowOne) return rule;
  if (familyUnit === 'percent' && isBelowOne) return rule;
  return { ...rule, unit: familyUnit };
}

/** The items that the value and its limit were read from. */
export function measurementEvidence({ measurement, rule, ids }: Evidence): string[] {
  const cited: string[] = [];
  if (measurement.origin === 'text') cited.push(ids.annotations);
  if (measurement.origin === 'values' && ids.values !== null) cited.push(ids.values);
  if (rule !== null) cited.push(ids.rule);
  return cited;
}
