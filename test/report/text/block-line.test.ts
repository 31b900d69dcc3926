import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockLine } from '../../../src/report/text/block-line.ts';
import { renderMarkdown } from '../../../src/report/text/render-markdown.ts';
import { renderText } from '../../../src/report/text/render-text.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import { typicalReport } from '../../support/samples/typical-report.ts';

const drawn: readonly (readonly [readonly (number | null)[], number, string])[] = [
  [[], 8, ''],
  [[1], 8, ''],
  [[null, 3, null], 8, ''],
  [[0, 7], 8, '▁█'],
  [[0, 1, 2, 3, 4, 5, 6, 7], 8, '▁▂▃▄▅▆▇█'],
  [[5, 5, 5], 8, '▁▁▁'],
  [[0, null, 8], 8, '▁·█'],
  [[0, 0, 4, 4, 8, 8], 3, '▁▅█'],
];

for (const [values, columns, expected] of drawn) {
  test(`blockLine() draws ${JSON.stringify(values)} in ${columns} columns`, () => {
    assert.equal(blockLine(values, columns), expected);
  });
}

test('renderText() draws the series of the changes that stand out', () => {
  const lines = renderText(typicalReport(), { color: false, width: 80 }).split('\n');
  const at = lines.findIndex((line) => line.includes('Connections of orders-db rose'));
  const drawing = lines.slice(at + 1).find((line) => /[▁█]/u.test(line));
  assert.match(drawing ?? '', /^ {2}▁{20,}.*█$/);
});

test('a drawing keeps its gaps, even the first one, in a terminal and in Markdown', () => {
  const report = sampleReport();
  const [change] = report.changes;
  const data = {
    values: [null, null, 0, null, null, null, 7, null], unit: null,
    start: '2026-11-20T01:00:00Z', step_seconds: 60,
  };
  const evidence = report.evidence.map((item) =>
    item.id === change?.evidence[0] ? { ...item, data } : item);
  for (const render of [renderMarkdown, renderText]) {
    const text = render({ ...report, evidence }, { color: false, width: 80 });
    assert.ok(text.includes('··▁···█·'), text);
  }
});
