/**
 * How alerts of rules that nobody here wrote are read, without any source: whether the rule's
 * comparison is found, where its unit and value come from, how its family is found, and whether the
 * first step says anything.
 *
 *   npx tsx scripts/score-rules.ts rules.json [--repository acme/rules] [--list unread]
 *
 * The file is an array of `{alert, expr, labels?, annotations?, repo?}`, as of the groups of
 * Prometheus' rule files. --repository takes only the rules of one; --list prints the rules that
 * are `unread`, have a unit of the `family`, a `value` from their text, are matched by `words`, or
 * have an `empty` first step.
 */
import { readFileSync } from 'node:fs';
import type { LabelSet } from '../src/alert/labels.ts';
import { numbersInAnnotations } from '../src/evidence/numbers-in-text.ts';
import { absenceIn } from '../src/evidence/rule/comparison.ts';
import {
  conditionsOf, readExpression, withFamilyUnit,
} from '../src/evidence/rule/rule-expression.ts';
import { limitUnitOf, statedMeasurement } from '../src/evidence/stated-value.ts';
import { matchFamily } from '../src/knowledge/match-family.ts';
import { allParts, parsePromql } from '../src/lib/promql/promql-tree.ts';
import { anAlert } from '../test/support/samples/alerts.ts';
import { aCaseFile, investigated } from '../test/support/samples/case-files.ts';
import { scriptOptions } from './script-options.ts';

interface PublishedRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels?: LabelSet;
  readonly annotations?: LabelSet;
  readonly repo?: string;
}

const lists = ['none', 'unread', 'family', 'value', 'words', 'empty'] as const;
const { repository, list, file } = scriptOptions(import.meta.url, {
  file: { type: 'string', default: 'rules.json' },
  repository: { type: 'string' },
  list: { type: 'string', oneOf: lists, default: 'none' },
});

const rules = (JSON.parse(readFileSync(file, 'utf8')) as readonly PublishedRule[])
  .filter(({ repo }) => repository === undefined || repo === repository);
const counts = new Map<string, number>();
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

for (const rule of rules) await score(rule);
process.stdout.write(`${rules.length} rules\n`);
for (const [what, number] of [...counts].sort(([a], [b]) => a < b ? -1 : 1)) {
  const share = (100 * number / rules.length).toFixed(1);
  process.stdout.write(`${what.padEnd(36)} ${String(number).padStart(5)}  ${share} %\n`);
}

async function score({ alert, expr, labels = {}, annotations = {} }: PublishedRule): Promise<void> {
  const mark = (what: string, name: (typeof lists)[number]): void => {
    count(what);
    if (list === name) process.stdout.write(`${alert}: ${expr.replace(/\s+/gu, ' ')}\n`);
  };
  const tree = parsePromql(expr);
  if (tree === null) return mark('expression not parsed', 'unread');
  const reading = readExpression(expr);
  const compares = absenceIn(tree) === null && allParts(tree).some((part) =>
    part.kind === 'binary' && /^(?:[<>]=?|[=!]=)$/u.test(part.operator));
  // Conditions joined by `or` are read and asked one by one.
  const conditions = conditionsOf(reading);
  const isRead = conditions.length > 0 && conditions.every((each) => each.reading.comparison);
  if (reading.comparison !== null || isRead) count('comparison found');
  else if (compares) mark('comparison not found', 'unread');
  else count('no comparison in it');

  const match = matchFamily({ name: alert, labels, expression: expr });
  if (match === null) count('family: none');
  else if (match.how === 'words') mark('family by words', 'words');
  else count(`family by ${match.how}`);

  const numbers = numbersInAnnotations(annotations, labels);
  const { comparison } = reading;
  const withUnit = limitUnitOf(reading, numbers) === null
    ? withFamilyUnit(reading, match?.family.unit ?? null) : reading;
  if (comparison !== null) {
    if (comparison.unit !== null) count('unit by name');
    else if (limitUnitOf(reading, numbers) !== null) count('unit by text');
    else if (withUnit.comparison?.unit != null) mark('unit of the family', 'family');
    else count('unit: none');
  }
  const { origin } = statedMeasurement({ rule: withUnit, numbers, values: {} });
  if (origin === 'text') mark('value from the text', 'value');

  const generatorURL = `http://prometheus.example/graph?g0.expr=${encodeURIComponent(expr)}`;
  const report = await investigated(aCaseFile({
    alert: anAlert({ labels: { ...labels, alertname: alert }, annotations, generatorURL }),
  }));
  const [first] = report.next_steps;
  if (first === undefined) mark('first step: none', 'empty');
  else count(first.command === null ? 'first step without a command' : 'first step with a command');
}
