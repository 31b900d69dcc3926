import { alertNameOf, type Alert } from '../../alert/alert.ts';
import { labelOf, type LabelSet } from '../../alert/labels.ts';
import type { Bounds, Cause, Family, Step, Store, Template } from './family.ts';
import { fillPromql, fillShell } from './fill-template.ts';
import { matchFamily, type FamilyMatch } from './match-family.ts';

/** A template with the alert's own values in place: ready to be pasted. */
export interface FilledTemplate {
  readonly kind: Template['kind'];
  readonly text: string;
  /** Null for shell commands, and when a person has to read the answer. */
  readonly bounds: Bounds | null;
}

export interface FilledCause {
  readonly id: string;
  readonly cause: string;
  readonly mechanism: string;
  /** Null when the alert lacks a label that the test needs. */
  readonly test: FilledTemplate | null;
  readonly confirms: string;
  readonly refutes: string;
  /** The alert's own words already name this cause. */
  readonly suggestedByAlert: boolean;
}

export interface FilledStep extends Omit<Step, 'command'> {
  readonly command: FilledTemplate | null;
}

/** What is known about one alert's family, filled in for this alert. */
export interface FilledKnowledge {
  readonly family: Family;
  readonly how: FamilyMatch['how'];
  readonly causes: readonly FilledCause[];
  readonly steps: readonly FilledStep[];
}

/**
 * What is known about alerts like this one, or null. `expression` is the rule's PromQL, null when
 * unknown. A cause whose test cannot be filled stays, as a hint; a step whose command cannot, goes.
 */
export function knowledgeFor(alert: Alert, expression: string | null): FilledKnowledge | null {
  const { labels } = alert;
  const match = matchFamily({ name: alertNameOf(labels), labels, expression });
  if (match === null) return null;
  const { family } = match;
  const store = storeOf(`${alertNameOf(labels)} ${labelOf(labels, 'job') ?? ''}`) ??
    storeOf(expression ?? '');
  return {
    ...match,
    causes: family.causes.map((cause) => filledCause(cause, alert, store)),
    steps: family.steps.flatMap((step) => {
      if (step.store !== undefined && store !== null && step.store !== store) return [];
      const command = step.command === null ? null : fill(step.command, labels);
      return command === null && step.command !== null ? [] : [{ ...step, command }];
    }),
  };
}

const storeNames: readonly (readonly [Store, RegExp])[] = [
  ['postgresql', /postgres|pgbouncer|(?<![a-z])pg_/iu],
  ['mysql', /mysql|mariadb|percona/iu],
  ['redis', /redis|valkey/iu],
  ['elasticsearch', /elasticsearch|opensearch/iu],
  ['kafka', /kafka/iu],
  ['rabbitmq', /rabbitmq/iu],
];

/** The product that a text names; null where it names none, or several. */
function storeOf(text: string): Store | null {
  const named = storeNames.filter(([, pattern]) => pattern.test(text.slice(0, 16 * 1024)));
  return named.length === 1 ? (named[0]?.[0] ?? null) : null;
}

function filledCause(cause: Cause, alert: Alert, store: Store | null): FilledCause {
  const { id, mechanism, confirms, refutes } = cause;
  const asked = storeOf(cause.test.template);
  const isOfOther = asked !== null && store !== null && asked !== store;
  return {
    id,
    cause: cause.cause,
    mechanism,
    test: isOfOther ? null : fill(cause.test, alert.labels),
    confirms,
    refutes,
    suggestedByAlert: cause.when?.(alert) ?? false,
  };
}

function fill(template: Template, labels: LabelSet): FilledTemplate | null {
  const isPromql = template.kind === 'promql';
  const filled = isPromql ? fillPromql(template.template, labels)
    : fillShell(template.template, labels);
  if (filled === null) return null;
  return { kind: template.kind, text: filled, bounds: isPromql ? template.bounds : null };
}
