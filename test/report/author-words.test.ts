import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { authorAdviceOf, authorWordsOf } from '../../src/report/author-words.ts';
import { renderReportPage } from '../../src/report/pages/render-report-page.ts';
import type { Report } from '../../src/report/report.ts';
import { renderMarkdown } from '../../src/report/text/render-markdown.ts';
import { renderText } from '../../src/report/text/render-text.ts';
import { sampleReport } from '../support/samples/sample-report.ts';

const disk = { alertname: 'HostOutOfDiskSpace', instance: 'db-1:9100', severity: 'warning' };

function reportOf(annotations: LabelSet, labels: LabelSet = disk, headline = ''): Report {
  const report = sampleReport();
  const name = labels['alertname'] ?? '';
  return {
    ...report,
    alert: { ...report.alert, name, labels, annotations },
    verdict: { ...report.verdict, headline, gist: '' },
  };
}

/** What is shown of an author's texts beside the alert's name and place. */
const told: readonly (readonly [annotations: LabelSet, quoted: string | null])[] = [
  [{ summary: 'Less than 10 % of /data is left' }, '“Less than 10 % of /data is left”'],
  [{ summary: 'Host out of disk space' }, null],
  [{ summary: 'Host out of disk space (instance db-1:9100)' }, null],
  [{ summary: 'Host out of disk space (instance )' }, null],
  [{ summary: 'Host out of disk space', description: 'Disk is almost full\n  VALUE = 6.25' },
    '“Disk is almost full”'],
  [{ description: 'Disk is almost full (< 10% left)\\n  VALUE = 6' },
    '“Disk is almost full (< 10% left)”'],
  [{ description: 'Writes will fail soon. Free some space.' }, '“Writes will fail soon.”'],
  [{ summary: '<error expanding template: x: nil data>', message: 'It fills up' },
    '“It fills up”'],
  [{ summary: '{{ $labels.service }} is slow', message: 'It fills up' }, '“It fills up”'],
  [{ summary: 'Error expanding template: template: a:1:95: wrong number', message: 'It fills up' },
    '“It fills up”'],
  [{ summary: 'Read <https://g.example/d?v=1|the dashboard> now' },
    '“Read the dashboard (https://g.example/d?v=1) now”'],
  [{ summary: 'unknown', description: '[no value]', message: '<no value>' }, null],
  [{ summary: '[<no value>][<no value>][blue] It fills up' }, '“[blue] It fills up”'],
  [{ summary: 'It is at -1 %', Error: 'parse error: unterminated string',
    grafana_state_reason: 'Error' }, '“parse error: unterminated string”'],
  [{ runbook_url: 'https://wiki.example/disk' }, null],
  [{ summary: 'x'.repeat(300) }, `“${'x'.repeat(199)}…”`],
  [{}, null],
];

for (const [annotations, quoted] of told) {
  test(`authorWordsOf() of ${JSON.stringify(annotations).slice(0, 90)} is ${quoted}`, () => {
    assert.equal(authorWordsOf(reportOf(annotations))?.quoted ?? null, quoted);
  });
}

test('authorWordsOf() leaves out what the headline says', () => {
  const headline = 'Watchdog: Everything is well. Firing since 02:14 UTC.';
  const report = reportOf({ summary: 'Everything is well.' }, disk, headline);
  const verdict = { ...report.verdict, is_quoted: true as const };
  assert.equal(authorWordsOf({ ...report, verdict }), null);
});

test('authorWordsOf() names the annotation that holds nothing else', () => {
  const whole = { summary: 'Writes fail soon' };
  assert.equal(authorWordsOf(reportOf(whole))?.wholeOf, 'summary');
  const part = { description: 'Writes fail soon. Free some space.' };
  assert.equal(authorWordsOf(reportOf(part))?.wholeOf, null);
});

test('a page, Markdown and a terminal show the words once', () => {
  const report = reportOf({ summary: 'Writes fail soon', runbook: 'see wiki' }, disk,
    '6.25 %, below its minimum of 10 %.');
  const texts = [
    renderReportPage(report, { now: 0 }), renderMarkdown(report),
    renderText(report, { color: false, width: 100 }),
  ];
  for (const text of texts) {
    const [read = ''] = text.split(/<section[^>]* id="evidence"/u);
    const [before = '', ...after] = read.split('Writes fail soon');
    assert.match(before, /The alert says:(?:<[^>]*>| )*“$/u);
    assert.equal(after.length, 1);
    assert.match(after.join(''), /see wiki/su);
  }
});

test('the words are text on a page, whatever is in them', () => {
  const page = renderReportPage(reportOf({ summary: 'Writes <b>fail' }), { now: 0 });
  assert.match(page, /“Writes &lt;b&gt;fail”/u);
  assert.doesNotMatch(page, /<b>/u);
});

test('the words of a longer annotation stand in full among those of the alert', () => {
  const text = 'Writes fail soon. Free some space.';
  const page = renderReportPage(reportOf({ description: text }), { now: 0 });
  assert.match(page, /“Writes fail soon\.”/u);
  assert.ok(page.includes(text));
});

/** What is taken of a description as advice. */
const advised: readonly (readonly [description: string, advice: string | null])[] = [
  ['It fills up. Check the size of /var/log.', 'It fills up. Check the size of /var/log.'],
  ['The disk of db-1:9100 is at 97 %.', null],
  ['full: free some room. warning: it fills up. slow: wait.', 'warning: it fills up.'],
  [`Run ${'x'.repeat(400)}`, `Run ${'x'.repeat(295)}…`],
  ['', null],
  ['Unusual read latency. The first replica is behind a set limit.', null],
  ['Read latency is high.', null],
  ['Read-only since the last check, run after run.', null],
  ['Slow (set by the operator), read, write or run.', null],
  ['Increase of errors; lower than usual traffic.', null],
  ['It stands still, please check it.', 'It stands still, please check it.'],
  ['First: systemctl status x', 'First: systemctl status x'],
  ['Log message: . Please investigate this issue on node wrk-3.', null],
];
for (const [description, advice] of advised) {
  test(`authorAdviceOf() of ${JSON.stringify(description).slice(0, 60)}`, () => {
    const found = authorAdviceOf({ annotations: { description }, labels: disk });
    assert.equal(found, advice);
  });
}
