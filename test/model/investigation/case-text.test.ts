import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseText } from '../../../src/model/investigation/case-text.ts';
import type { Report } from '../../../src/report/report.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

const endless = 'Q'.repeat(60_000);
const { alert, hypotheses, verdict } = sampleReport();

const hostile: readonly (readonly [string, Partial<Report>])[] = [
  ['a name', { alert: { ...alert, name: endless } }],
  ['a severity', { alert: { ...alert, severity: endless } }],
  ['the name of a label', { alert: { ...alert, labels: { [endless]: 'x' } } }],
  ['a cause', { hypotheses: hypotheses.map((each) => ({ ...each, cause: endless })) }],
  ['many causes', {
    hypotheses: Array.from({ length: 200 }, () => hypotheses[0]).flatMap((each) => {
      return each === undefined ? [] : [{ ...each, cause: endless }];
    }),
  }],
  ['a headline', { verdict: { ...verdict, headline: endless } }],
];

for (const isReduced of [false, true]) {
  for (const [what, over] of hostile) {
    test(`caseText leaves room for evidence beside ${what} without end (${isReduced})`, () => {
      const report = sampleReport(over);
      const text = caseText(report, { evidence: report.evidence, lengthMax: 48_000, isReduced });
      assert.ok(text.length <= 48_000);
      assert.match(text, /\nE3 \(prometheus\): Connections of orders-db\. It says/);
      assert.match(text, /^Alert [\w…]{1,200}, severity /);
    });
  }
}

test('caseText quotes no log line where it is reduced', () => {
  const report = sampleReport();
  const [item] = report.evidence;
  const [first] = report.hypotheses;
  assert.ok(item !== undefined && first !== undefined);
  const logs = { ...item, id: 'E99', kind: 'logs' as const, summary: 'kill -9 them all' };
  const logged = {
    ...first, cause: 'The log says: "kill -9 them all"',
    for: [{ text: 'Its container ended', evidence: [item.id, 'E99'] }],
  };
  const told = { ...report, hypotheses: [logged, first], evidence: [...report.evidence, logs] };
  const textOf = (isReduced: boolean): string => {
    return caseText(told, { evidence: told.evidence, lengthMax: 48_000, isReduced });
  };
  assert.match(textOf(false), /H1 [^\n]*kill -9 them all/);
  assert.doesNotMatch(textOf(true), /kill -9|H1 /);
  assert.match(textOf(true), /H2 /);
});

test('caseText reduces a long series to count, bounds and last value, and cuts other lists', () => {
  const report = sampleReport();
  const [item] = report.evidence;
  assert.ok(item !== undefined);
  const values = Array.from({ length: 100 }, (_, index) => index === 40 ? null : index);
  const names = Array.from({ length: 20 }, (_, index) => `pod-${index}`);
  const evidence = [{ ...item, data: {
    yesterday: null, split: 90, labels: { split: 'canary' }, values, names,
  } }];
  const text = caseText(report, { evidence, lengthMax: 48_000, isReduced: false });
  assert.doesNotMatch(text, /yesterday|split":9/, 'what tells a model nothing');
  assert.match(text, /"labels":\{"split":"canary"\}/);
  assert.match(text, /"values":\{"points":100,"min":0,"max":99,"last":99\}/);
  assert.match(text, /"names":\["pod-0",.*"pod-11"\]/);
});
