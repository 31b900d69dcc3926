import { labelOf, type LabelSet } from '../alert/labels.ts';
import { readExpression, withoutGuards } from '../evidence/rule/rule-expression.ts';
import { classifyMetric } from '../statistics/names/metric-class.ts';
import type { Signal } from '../statistics/names/metric-rule.ts';
import { families } from './families.ts';
import type { Family } from './family.ts';
import { familyByForm } from './family-by-form.ts';
import { wordRules, type WordRule } from './word-rules.ts';

export interface FamilyMatch {
  readonly family: Family;
  /** The alert's name, a metric in its rule, words in its name, or what its rule compares. */
  readonly how: 'name' | 'metric' | 'words' | 'form';
}

/** Whether it is known by what its rule is, and not only by what it reads or its author says. */
export function isOfItsRule({ how }: Pick<FamilyMatch, 'how'>): boolean {
  return how === 'name' || how === 'form';
}

/** Only this much of a name or an expression is searched. */
const nameLengthMax = 256;
const expressionLengthMax = 16 * 1024;

const tooLittle = new RegExp('under-?_?utili[sz]ed|low-?_?(?:cpu|memory)-?_?(?:utili[sz]ation' +
  '|usage)|not-?_?enough-?_?connections', 'iu');

/** The alerts that are shipped on the service itself: their own text says what to do. */
const shipped = /^AlertAnalyst(?!Down$|Absent$)/u;

/**
 * The family of an alert: by its name first, then by the metrics of its rule, then by the words in
 * its name, then by what its rule compares. Null when nothing fits: a wrong family would be worse
 * than none.
 */
export function matchFamily(alert: {
  readonly name: string;
  readonly labels: LabelSet;
  /** The rule's PromQL, or null when it is not known. */
  readonly expression: string | null;
}): FamilyMatch | null {
  const name = alert.name.slice(0, nameLengthMax);
  // Families are about too much use; for an alert on too little, they would say the opposite.
  if (tooLittle.test(name) || shipped.test(name)) return null;
  const expression = alert.expression?.slice(0, expressionLengthMax) ?? null;
  const fired = expression === null ? null : withoutGuards(expression);
  const compact = name.toLowerCase().replace(/[^a-z0-9]/gu, '');
  const named = families.find(({ names, reads }) => {
    return names?.test(compact) === true && fits(reads, fired);
  });
  if (named !== undefined) return { family: named, how: 'name' };
  const measured = families.find(({ metrics }) => metrics?.test(fired ?? '') === true);
  if (measured !== undefined) return { family: measured, how: 'metric' };
  const rule = ruleFor(name, alert.labels, fired);
  const worded = families.find(({ id }) => id === rule?.family);
  if (worded !== undefined) return { family: worded, how: 'words' };
  const formed = expression === null ? null : familyByForm(expression);
  return formed === null ? null : { family: formed, how: 'form' };
}

function ruleFor(name: string, labels: LabelSet, expression: string | null): WordRule | undefined {
  const words = wordsOf(name);
  const isOfPod = labelOf(labels, 'pod') !== null || labelOf(labels, 'container') !== null;
  const isAmong = (pattern: RegExp): boolean => words.some((word) => pattern.test(word));
  const metrics = expression === null ? [] : readExpression(expression).metrics;
  const measures = (signal: Signal | undefined): boolean => signal === undefined ||
    expression === null || metrics.some((metric) => classifyMetric(metric).signal === signal);
  return wordRules.find(({ pod = isOfPod, reads, signal, not, words: patterns }) =>
    pod === isOfPod && fits(reads, expression) && measures(signal) &&
      (not === undefined || !isAmong(not)) && patterns.every(isAmong));
}

function fits(reads: RegExp | undefined, expression: string | null): boolean {
  return reads === undefined || expression === null || reads.test(expression);
}

/** `CheckoutP99LatencyHigh` and `checkout_p99-latency high` are the same words. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== '');
}
