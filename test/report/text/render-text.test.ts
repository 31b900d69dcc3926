import assert from 'node:assert/strict';
import { test } from 'node:test';

import { renderReportPage } from '../../../src/report/pages/render-report-page.ts';
import { renderText } from '../../../src/report/text/render-text.ts';
import { displayWidth, wrap } from '../../../src/report/text/wrap.ts';
import { naughtyReports, withEveryText } from '../../support/samples/hostile-report.ts';
import { emptyReport, sampleNow, sampleReport } from '../../support/samples/sample-report.ts';

const control = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

test('renderText() lets no control character of a naughty string through', () => {
  for (const { naughty, seed } of naughtyReports(sampleReport())) {
    const plain = renderText(naughty, { color: false, width: 80 });
    assert.doesNotMatch(plain, control, `seed ${seed}`);
    const colored = renderText(naughty, { color: true, width: 80 });
    const bare = colored.replace(/\u001b\[\d+m/g, '');
    assert.equal(bare, plain, `seed ${seed}`);
  }
});

test('renderText() shows an escape character as a symbol', () => {
  const report = withEveryText(emptyReport('ready'), () => '\u001b[2Jx');
  assert.match(renderText(report, { color: false, width: 80 }), /\u241b\[2Jx/);
});

for (const width of [40, 80, 120]) {
  test(`renderText() keeps to ${width} columns, except for commands`, () => {
    const commands = [...sampleReport().next_steps, ...sampleReport().evidence]
      .map((item) => ('command' in item ? item.command : item.query));
    const report = sampleReport();
    const lines = renderText(report, { color: false, width }).split('\n');
    const rest = lines.filter((line) => !commands.includes(line.trim()));
    const tests = report.hypotheses.map(({ test: query }) => query);
    const long = rest.filter((line) => displayWidth(line) > width && !tests.includes(line.trim()));
    assert.deepEqual(long, []);
  });
}

test('renderText() uses its least width for an invalid one', () => {
  for (const width of [0, -1, Number.NaN]) {
    assert.match(renderText(sampleReport(), { color: false, width }), /CheckoutLatencyH/);
  }
});

test('renderText() numbers the next steps', () => {
  const text = renderText(sampleReport(), { color: false, width: 80 });
  assert.match(text, /^NEXT STEPS\n1\. See who holds[^]*\n2\. Restart/m);
});

const wrapped: readonly (readonly [string, number, readonly string[]])[] = [
  ['', 5, ['']],
  ['one two', 7, ['one two']],
  ['one two', 6, ['one', 'two']],
  ['abcdefgh', 3, ['abc', 'def', 'gh']],
  ['a abcdefgh', 3, ['a', 'abc', 'def', 'gh']],
  ['сбой', 4, ['сбой']],
  ['決済決済', 4, ['決済', '決済']],
  ['e\u0301e\u0301e\u0301', 3, ['e\u0301e\u0301e\u0301']],
];

for (const [text, columns, expected] of wrapped) {
  test(`wrap() breaks "${text}" at ${columns} columns`, () => {
    assert.deepEqual(wrap(text, columns), expected);
  });
}

test('an error that equals the summary is shown once, in a terminal and on the page', () => {
  const error = 'Cannot read from Prometheus: it answered 401.';
  const [item] = sampleReport().evidence;
  assert.ok(item !== undefined);
  const evidence = [{ ...item, state: 'failed' as const, summary: error, error, warnings: [] }];
  const report = { ...emptyReport('ready'), evidence };
  const page = renderReportPage(report, { now: sampleNow });
  for (const text of [renderText(report, { color: false, width: 80 }), page]) {
    assert.equal(text.split(error).length, 2);
  }
});
