import type { Alert } from '../alert/alert.ts';
import { labelOf } from '../alert/labels.ts';
import { parseTime } from '../alert/timestamp.ts';
import { subjectOf } from '../report/alert-place.ts';
import { alertText } from '../report/author-words.ts';
import type { CaseFile } from '../report/case-file.ts';
import { counted } from '../report/plain-text.ts';
import { webAddress } from '../report/web-address.ts';
import type { AddItem, Ledger } from './ledger.ts';
import type { TextNumber } from './numbers-in-text.ts';
import type { RuleReading } from './rule/rule-expression.ts';

export interface AlertIds {
  readonly labels: string;
  readonly annotations: string;
  readonly rule: string;
  /** Grafana's values; null when the alert has none. */
  readonly values: string | null;
}

/** Adds what came with the alert itself: labels, annotations, rule and values. */
export function addAlertEvidence(
  ledger: Ledger,
  caseFile: CaseFile,
  { rule, numbers }: { rule: RuleReading | null; numbers: readonly TextNumber[] },
): AlertIds {
  const { alert, receivedAt } = caseFile;
  const add = ledger.adderFor('alert', receivedAt);
  return {
    labels: addLabels(add, alert), annotations: addAnnotations(add, alert, numbers),
    rule: addRule(add, alert, rule), values: addValues(add, alert),
  };
}

/** When the alert began to fire, in wall time in milliseconds. */
export function startsAtOf({ alert, episode, receivedAt }: CaseFile, now: number): number {
  return parseTime(alert.startsAt ?? episode.startsAt) ?? parseTime(receivedAt) ?? now;
}

function addLabels(add: AddItem, { labels, startsAt, endsAt }: Alert): string {
  return add({
    kind: 'alert',
    title: 'Labels of the alert',
    summary: `${subjectOf(labels)}, severity ${labelOf(labels, 'severity') ?? 'not given'}.`,
    data: { labels, startsAt, endsAt },
  });
}

function addAnnotations(add: AddItem, alert: Alert, numbers: readonly TextNumber[]): string {
  const count = Object.keys(alert.annotations).length;
  return add({
    kind: 'alert',
    title: 'Annotations of the alert',
    state: count === 0 ? 'empty' : 'ok',
    summary: count === 0
      ? 'The alert carries no annotations.'
      : (alertText(alert) ?? `${counted(count, 'annotation')}, but no summary or description.`),
    data: count === 0 ? null : { annotations: alert.annotations, numbers },
  });
}

function addRule(add: AddItem, { generatorURL }: Alert, rule: RuleReading | null): string {
  const common = { kind: 'rule', title: 'Expression of the rule' } as const;
  if (rule === null) {
    const summary = generatorURL === ''
      ? 'The alert carries no link to its rule.'
      : "The alert's link does not contain the expression of its rule.";
    return add({ ...common, state: 'empty', summary });
  }
  const { comparison, unread } = rule;
  return add({
    ...common,
    query: rule.expression,
    summary: ruleSummary(rule),
    link: webAddress(generatorURL),
    data: {
      compared: comparison?.compared ?? null, operator: comparison?.operator ?? null,
      threshold: comparison?.threshold ?? null,
      ...(comparison?.limit && { limit: comparison.limit.text }),
      unit: comparison?.unit ?? null, metrics: rule.metrics, functions: rule.functions,
    },
    warnings: comparison !== null || unread === null ? [] : [unread],
  });
}

function addValues(add: AddItem, { values }: Alert): string | null {
  const named = Object.entries(values).map(([name, value]) => `${name} = ${value}`);
  return named.length === 0 ? null : add({
    kind: 'alert', role: 'sent_values', title: 'Values sent with the alert',
    summary: `${named.join(', ')}.`,
    data: { values },
  });
}

function ruleSummary({ comparison, unread }: RuleReading): string {
  if (comparison === null) return unread ?? 'The expression could not be read.';
  const { compared, operator, threshold, limit, hasMoreConditions } = comparison;
  const more = hasMoreConditions ? ' and further conditions hold' : '';
  return `Fires when ${compared} ${operator} ${threshold ?? limit?.text ?? ''}${more}.`;
}
