import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReportPage } from '../../../src/report/pages/render-report-page.ts';
import type { Hypothesis, Report } from '../../../src/report/report.ts';
import { brokenAnywhere } from '../../support/broken-anywhere.ts';
import {
  resolvedReport, sampleNow as now, sampleReport,
} from '../../support/samples/sample-report.ts';
import { shopReport } from '../../support/samples/shop-report.ts';

function pageOf(report: Report): string {
  return brokenAnywhere(renderReportPage(report, { now }));
}

/** The markup between the beginning of one element and the next text. */
function partOf(page: string, from: string, to: string): string {
  const start = page.indexOf(from);
  assert.notEqual(start, -1, from);
  return page.slice(start, page.indexOf(to, start));
}

test('an item of evidence is folded to its title and one line', async () => {
  const item = partOf(pageOf(await shopReport()), '<article id="E4">', '</article>');
  assert.match(item, /^<article id="E4"><details>\n<summary><h4>.*Course of the alert/);
  assert.match(item, /<span class="gist">.*318 of 318 points have a value.*<\/summary>/);
  assert.match(item, /<pre.*histogram_quantile/s);
  assert.equal(item.split('318 of 318').length, 2);
});

test('an item with a long summary has its start on the line and all of it inside', () => {
  const [first] = sampleReport().evidence;
  assert.ok(first !== undefined);
  const summary = `It is ${'very '.repeat(60)}long.`;
  const page = pageOf(sampleReport({ evidence: [{ ...first, summary }] }));
  const item = partOf(page, '<article id="E1">', '</article>');
  assert.match(item, /<span class="gist">.{0,20}It is very .{100,140}…/);
  assert.ok(item.includes(summary));
});

test('a resolved report begins with what its end showed, if anything', () => {
  const report = resolvedReport();
  const { resolution } = report;
  assert.ok(resolution);
  const partsOf = (over: Partial<typeof resolution>): readonly string[] =>
    [...renderReportPage({ ...report, resolution: { ...resolution, ...over } }, { now })
      .matchAll(/<section id="([\w-]+)"/g)].map(([, id]) => id ?? '');
  assert.deepEqual(partsOf({}).slice(0, 2), ['resolution', 'hypotheses']);
  assert.equal(partsOf({ value_at_end: null, hypothesis_held: null })[0], 'resolution');
  const [first] = partsOf({ value_at_end: null, hypothesis_held: null, changes: [] });
  assert.equal(first, 'hypotheses');
});

test('the best explanation is open, and of the others those that are likely', () => {
  const explanation = (certainty: Hypothesis['certainty']): Hypothesis => ({
    cause: `It is ${certainty}`, mechanism: null, for: [], against: [], test: null, certainty,
  });
  const itemsOf = (page: string): string[] =>
    partOf(page, '<ol class="hypotheses">', '</ol>').split('<li>').slice(1);
  const hypotheses = [explanation('likely'), explanation('likely'), explanation('possible')];
  const page = pageOf(sampleReport({ hypotheses }));
  const [, second = '', third = ''] = itemsOf(page);
  assert.match(second, /^<h3>/);
  assert.match(third, /^<details><summary><h3>/);
  const unsettled = [...hypotheses, explanation('inconclusive'), explanation('inconclusive')];
  const folded = partOf(pageOf(sampleReport({ hypotheses: unsettled })),
    '<summary>2 not established, 1 ruled out</summary>', '</section>');
  assert.equal(folded.split('It is inconclusive').length, 3);
  assert.match(folded, /ruled out:/);
});

test('the headline of a page names its subject, but not the rule', async () => {
  const page = pageOf(await shopReport());
  const headline = partOf(page, '<h1>', '</h1>');
  assert.match(headline,
    />web in shop: P90 of HTTP time is 1\.01 s, 2× its threshold of 500 ms\.</);
});

test('a headline that only repeats what stands above it is shown nevertheless', () => {
  const { verdict, alert } = sampleReport();
  const headline = `${alert.name}. Firing since 01:14 UTC.`;
  const page = pageOf(sampleReport({
    verdict: { ...verdict, headline, gist: '' },
    alert: { ...alert, labels: { alertname: alert.name } },
  }));
  assert.match(partOf(page, '<h1>', '</h1>'), /Firing since/);
});

test('a runbook is linked by words, both as first step and among the steps', () => {
  const action = 'Open the runbook: https://runbooks.example/latency';
  const { verdict, next_steps: steps } = sampleReport();
  const [step] = steps;
  assert.ok(step !== undefined);
  const page = pageOf(sampleReport({
    verdict: { ...verdict, do_first: action }, next_steps: [{ ...step, id: 'other', action }],
  }));
  const opened = /href="https:\/\/runbooks\.example\/latency" [^>]*>Open the runbook<\/a>/;
  assert.match(partOf(page, '<div class="first">', '</div>'), opened);
  assert.match(partOf(page, '<ol class="steps">', '</ol>'), opened);
  const text = `Read this: https://runbooks.example/a b`;
  assert.match(pageOf(sampleReport({ verdict: { ...verdict, do_first: text } })), /Read this: /);
});

test('the numbers have the exact number as tooltip', async () => {
  const report = await shopReport();
  const { value_at_fire: value } = report.reality;
  assert.ok(partOf(pageOf(report), '<section id="impact"', '</section>')
    .includes(`<data value="${value}" title="${value} seconds">1.02 s (2× the threshold)</data>`));
});

test('an alert without earlier episodes has no section on its history', () => {
  const { history } = sampleReport();
  const alone = { ...history, episodes: history.episodes.slice(0, 1), last_30d: 1 };
  assert.ok(!pageOf(sampleReport({ history: alone })).includes('id="history"'));
});

test('a query to look at first is opened as a graph where Prometheus is known', () => {
  const { verdict, alert, next_steps: [step] } = sampleReport();
  assert.ok(step !== undefined);
  const firstOf = (command: string, url: string): string => partOf(pageOf(sampleReport({
    verdict: { ...verdict, first_step: 'a', do_first: 'Look.' },
    next_steps: [{ ...step, id: 'a', action: 'Look.', command }],
    alert: { ...alert, links: [{ kind: 'prometheus', title: 'Prometheus', url }] },
  })), '<div class="first">', '</section>');
  const graph = 'http://p.example/graph?g0.expr=x%3E1&g0.tab=0&g0.range_input=2h';
  assert.match(firstOf('up{job="a"} < 1', graph),
    /href="http:\/\/p\.example\/graph\?g0\.expr=up%7Bjob%3D%22a%22%7D\+%3C\+1&amp;g0\.tab=0/u);
  for (const [command, url] of [
    ['kubectl get pods -o jsonpath={.items}', graph], ['top', graph],
    ['up{job="a"} < 1', 'http://p/x'],
  ]) {
    const first = firstOf(command ?? '', url ?? '');
    assert.ok(!first.includes('Open the graph') && first.includes('id="first-command"'), command);
  }
});

test('the steps begin with that of the first screen, without its command', () => {
  const { verdict, next_steps: [step] } = sampleReport();
  assert.ok(step !== undefined);
  const first = { ...step, id: 'a', action: 'Look.', command: 'look' };
  const reportOf = (...next_steps: Report['next_steps']): Report => sampleReport({
    verdict: { ...verdict, first_step: 'a', do_first: 'Look.' }, next_steps,
  });
  const page = pageOf(reportOf(first, { ...step, id: 'b', action: 'Act.', command: 'act' }));
  assert.match(partOf(page, '<div class="first">', '</section>'), /id="first-command"[^]*look/);
  const steps = partOf(page, '<ol class="steps">', '</ol>');
  assert.match(steps, /Look\.[^]*Act\./);
  assert.deepEqual([...steps.matchAll(/id="(step-\d)"/gu)].map(([, id]) => id), ['step-2']);
  assert.ok(!pageOf(reportOf(first)).includes('class="steps"'), 'nothing but the first');
});

test('the time at which an alert usually starts is of no day, so no script converts it', () => {
  const findings = [
    'When it starts: usually around 00:00 UTC.',
    'When it starts: usually on Mondays around 22:00 UTC.',
    'The value came back around 23:30 UTC.',
  ].map((text) => ({ text, evidence: [] }));
  const said = partOf(pageOf(sampleReport({ findings })), '<section id="findings"', '</section>');
  assert.match(said, /usually around 00:00 UTC\./);
  assert.match(said, /usually on Mondays around 22:00 UTC\./);
  assert.match(said, /around <time [^>]*>23:30 UTC<\/time>/);
});

test('an old report draws the episodes of the 30 days before it was made', () => {
  const now = Date.parse('2026-12-15T00:00:00Z'); // Its second episode was more than 30 days ago.
  const page = renderReportPage(sampleReport(), { now, revision: '1' });
  assert.match(partOf(page, '<section id="history"', '</section>'),
    /The latest 2 of 3 episodes in the 30 days before this report\./);
});

test('the header says how old the analysis of a firing alert is, and of no other', () => {
  const report = sampleReport();
  const headOf = (over: Partial<Report['episode']>): string => partOf(
    renderReportPage(sampleReport({ episode: { ...report.episode, ...over } }), {
      now: Date.parse('2026-11-20T21:14:31Z'), revision: '1',
    }), '<header', '</header>',
  );
  const told = /values from <time [^>]*>[^<]*<\/time>, <time data-age="ago" [^>]*>20 h ago</;
  assert.match(headOf({}), told);
  assert.doesNotMatch(headOf({ ends_at: '2026-11-20T02:00:00Z', state: 'resolved' }), told);
});

test('the link bar folds what is needed less often', () => {
  const bar = partOf(pageOf(sampleReport()), '<nav class="links"', '</nav>');
  const more = partOf(bar, '<details class="more">', '</details>');
  for (const name of ['Copy as Markdown', 'Print', 'JSON']) assert.ok(more.includes(name), name);
  for (const name of ['Prometheus', 'Silence']) assert.ok(!more.includes(name), name);
});

test('the badge calls nothing resolved whose trouble goes on', () => {
  const resolved = resolvedReport();
  const badgeOf = (classification: Report['verdict']['classification']): string => partOf(
    pageOf({ ...resolved, verdict: { ...resolved.verdict, classification } }),
    '<strong class="badge', '</strong>');
  assert.match(badgeOf('recovered'), /resolved/u);
  assert.doesNotMatch(badgeOf('actionable'), /resolved/iu);
});
