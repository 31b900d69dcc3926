import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import type { ChangeVerb } from '../../../src/report/kinds.ts';
import { pageSecurityPolicy } from '../../../src/report/pages/page.ts';
import { renderNotFoundPage } from '../../../src/report/pages/render-notice-page.ts';
import { renderReportPage } from '../../../src/report/pages/render-report-page.ts';
import type { Report } from '../../../src/report/report.ts';
import { brokenAnywhere } from '../../support/broken-anywhere.ts';
import { assertOnlyOwnMarkup } from '../../support/own-markup.ts';
import { naughtyReports } from '../../support/samples/hostile-report.ts';
import {
  emptyReport, resolvedReport, sampleNow as now, sampleReport,
} from '../../support/samples/sample-report.ts';
import { typicalReport } from '../../support/samples/typical-report.ts';

function assertSoundStructure(page: string): void {
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id ?? '');
  assert.deepEqual(ids, [...new Set(ids)], 'ids are unique');
  for (const [, target = ''] of page.matchAll(/href="#([^"]*)"/g)) {
    assert.ok(ids.includes(target), `#${target} has a target`);
  }
  for (const [, source = ''] of page.matchAll(/data-copy-from="([^"]*)"/g)) {
    assert.ok(ids.includes(source), `#${source} can be copied`);
  }
  for (const [, labels = ''] of page.matchAll(/aria-labelledby="([^"]*)"/g)) {
    for (const label of labels.split(' ')) {
      assert.ok(ids.includes(label), `${label} labels something`);
    }
  }
  const levels = [...page.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
  assert.equal(levels.filter((level) => level === 1).length, 1);
  levels.reduce((previous, level) => {
    assert.ok(level <= previous + 1, `h${level} after h${previous}`);
    return level;
  }, 0);
}

const states: readonly (readonly [string, Report])[] = [
  ['rich', sampleReport()],
  ['resolved', resolvedReport()],
  ['queued', emptyReport('queued')],
  ['analysing', emptyReport('analysing')],
  ['ready without anything', emptyReport('ready')],
  ['failed', emptyReport('failed')],
];

for (const [name, report] of states) {
  test(`renderReportPage() renders a valid page if the report is ${name}`, () => {
    const page = renderReportPage(report, { now });
    assertOnlyOwnMarkup(page);
    assertSoundStructure(page);
    assert.ok(page.length < 150 * 1024);
    assert.doesNotMatch(page, /undefined|\bnull\b(?!,)|NaN|\[object/);
  });
}

test('renderReportPage() escapes naughty strings in every text of the report', () => {
  for (const report of [sampleReport(), resolvedReport(), emptyReport('analysing')]) {
    for (const { naughty } of naughtyReports(report)) {
      const page = renderReportPage(naughty, { now });
      assertOnlyOwnMarkup(page);
      assertSoundStructure(page);
    }
  }
});

test('renderReportPage() escapes naughty strings that follow an address', () => {
  for (const { naughty } of naughtyReports(sampleReport(), 'https://host.example/')) {
    assertOnlyOwnMarkup(renderReportPage(naughty, { now }));
  }
});

test('renderReportPage() stays small if labels are as many and as long as allowed', () => {
  const labels = Object.fromEntries(
    Array.from({ length: 256 }, (_, index) => [`${index}`.padEnd(1024, '<'), '"'.repeat(65_536)]),
  );
  const { alert } = sampleReport();
  const report = sampleReport({ alert: { ...alert, labels, annotations: labels } });
  const page = renderReportPage(report, { now });
  assertOnlyOwnMarkup(page);
  assert.ok(page.length < 1024 * 1024, `${page.length}`);
  assert.match(page, /65456 more characters in the JSON/);
});

test('renderReportPage() names the object of an alert without pod or instance', () => {
  const { alert } = sampleReport();
  const pageOf = (labels: Readonly<Record<string, string>>): string =>
    renderReportPage(sampleReport({ alert: { ...alert, labels } }), { now });
  const header = /<header class="top">([^]*?)<\/header>/u;
  assert.match(header.exec(pageOf({ alertname: 'A', queue: 'emails' }))?.[1] ?? '', /emails/u);
});

test('renderReportPage() stays small if lists are long', () => {
  const findings = Array.from({ length: 5000 }, () => ({ text: 'x'.repeat(50), evidence: ['E1'] }));
  const page = renderReportPage(sampleReport({ findings }), { now });
  assert.ok(page.length < 150 * 1024);
  assert.match(page, /and 4900 more in the JSON/);
});

test('renderReportPage() links a citation only if its evidence is on the page', () => {
  const findings = [{ text: 'known', evidence: ['E1'] }, { text: 'unknown', evidence: ['E77'] }];
  const page = renderReportPage(sampleReport({ findings }), { now });
  assert.match(page, /<a href="#E1">\[E1\]<\/a>/);
  assert.match(page, /<article id="E1">/);
  assert.doesNotMatch(page, /href="#E77"/);
  assert.match(page, /\[<bdi>E77<\/bdi>\]/);
});

test('renderReportPage() draws the series behind a change and behind the alert', () => {
  const [first] = sampleReport().evidence;
  const [change] = sampleReport().changes;
  assert.ok(first && change);
  const data = {
    start: '2026-11-20T01:10:00Z', step_seconds: 60, values: [1, 2, null, 3], unit: 'seconds',
    split: 2, threshold: 2.5, onset: null,
  };
  const page = renderReportPage(sampleReport({
    evidence: [{ ...first, id: 'E1', data }, { ...first, id: 'E2', data }],
    changes: [{ ...change, evidence: ['E2'] }, { ...change, strength: 'weak', evidence: ['E1'] }],
    reality: { ...sampleReport().reality, evidence: ['E1'] },
  }), { now });
  assertOnlyOwnMarkup(page);
  assertSoundStructure(page);
  assert.equal([...page.matchAll(/<figure class="chart (?:large|small)">/g)].length, 2);
  assert.match(page, /<a href="#own-chart-title">See the chart<\/a>/);
  assert.match(page, /<a href="#change-chart-1-title">See the chart<\/a>/);
  assert.match(page, /1 more checked, no notable change/);
});

test('renderReportPage() lists exactly its sections in the contents', () => {
  for (const [, report] of states) {
    const page = renderReportPage(report, { now });
    const [, contents = ''] = /<nav class="jump[^>]*>([^]*?)<\/nav>/.exec(page) ?? [];
    const listed = [...contents.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    const sections = [...page.matchAll(/<section (?:class="\w+" )?id="([^"]*)"/g)]
      .map(([, id]) => id);
    assert.deepEqual(['verdict', ...listed], sections);
  }
});

test('renderReportPage() renders a typical report in 150 KB, and a large one in 250', () => {
  assert.ok(renderReportPage(typicalReport(), { now }).length < 150 * 1024);
  const { changes, related, evidence } = typicalReport();
  const large = typicalReport({
    changes: Array.from({ length: 30 }, (_, index) =>
      ({ ...changes.at(index % changes.length), rank: index + 1 })) as Report['changes'],
    related: Array.from({ length: 300 }, () => related).flat(),
    evidence: Array.from({ length: 4 }, () => evidence).flat(),
  });
  assert.ok(renderReportPage(large, { now }).length < 250 * 1024);
});

test('renderReportPage() links the incident in its header, or else counts the group', () => {
  const headerOf = (over: Partial<Report>): string =>
    /<header.*?<\/header>/s.exec(renderReportPage(sampleReport(over), { now }))?.[0] ?? '';
  assert.match(headerOf({}),
    / · <a href="https:\/\/alerts\.example\/incident\/i7">part of an incident of 2 alerts<\/a>/);
  assert.match(headerOf({ incident: null }), / · one of 2 alerts in its group/);
  const { alert } = sampleReport();
  const alone = { ...alert, group: { listed: 1, truncated: 0 } };
  assert.doesNotMatch(headerOf({ incident: null, alert: alone }), /group|incident/);
});

test('renderReportPage() offers the silence as a form and as a command', () => {
  const page = renderReportPage(typicalReport(), { now });
  assert.match(page, /href="https:\/\/alertmanager\.example\/#\/silences\/new\?filter=/);
  assert.match(brokenAnywhere(page), /amtool silence add --alertmanager\.url=&#39;https:/);
  assert.match(page, / <span class="whole">--alertmanager<\/span>\.url=/);
  assert.doesNotMatch(renderReportPage(sampleReport(), { now }), /amtool|Silence/);
});

test('renderReportPage() links to the list, also with a path prefix', () => {
  const report = { ...sampleReport(), report_url: 'https://alerts.example/base/report/abc/2' };
  const page = renderReportPage(report, { now });
  assert.match(page, /<a href="https:\/\/alerts\.example\/base\/"[^>]*>All alerts</);
});

test('renderReportPage() says the values of a change only once', () => {
  const [change] = sampleReport().changes;
  assert.ok(change);
  const listed = (verb: ChangeVerb): string => {
    const page = renderReportPage(sampleReport({ changes: [{ ...change, verb }] }), { now });
    return /<section id="changes"([^]*?)<\/section>/.exec(page)?.[1] ?? '';
  };
  assert.match(listed('appeared'), /40 → 198/);
  assert.doesNotMatch(listed('rose'), /40 → 198/);
});

test('renderReportPage() links the address in a step if it is http or https', () => {
  const step = (action: string): string => renderReportPage(sampleReport({
    verdict: { ...sampleReport().verdict, do_first: action },
  }), { now });
  const linked = /<p class="action"><span dir="ltr">Open <a href="https:\/\/r\.example\/a"/;
  assert.match(step('Open https://r.example/a, then read.'), linked);
  assert.match(step('Open https://r.example/a)”.'), linked);
  assert.doesNotMatch(step('Open javascript:alert(1).'), /href="javascript/);
});

test('renderReportPage() marks up the times and the code in its sentences', () => {
  const { verdict } = sampleReport();
  const headline = 'It fires since 19 Nov 23:50 UTC, and worse since 01:09 UTC.';
  const page = renderReportPage(sampleReport({ verdict: { ...verdict, gist: headline } }), { now });
  assert.match(page, /since <time datetime="2026-11-19T23:50:00Z" title="[^"]*">19 Nov 23:50 UTC</);
  assert.match(page, /since <time datetime="2026-11-20T01:09:00Z" title="[^"]*">01:09 UTC</);
  const exact = renderReportPage(sampleReport({
    verdict: { ...verdict, gist: 'Down since 01:09:30 UTC: see `for`.' },
  }), { now });
  assert.match(exact, /<time datetime="2026-11-20T01:09:30Z" [^>]* data-seconds>01:09:30 UTC</);
  assert.match(exact, /see <code dir="auto">for<\/code>\./);
});

test('renderReportPage() lets a long name break where a word begins', () => {
  const name = 'KubernetesPersistentVolumeFillingUp';
  const { alert } = sampleReport();
  const page = renderReportPage(sampleReport({ alert: { ...alert, name } }), { now });
  assert.match(page, /Kubernetes<wbr>Persistent<wbr>Volume<wbr>Filling<wbr>Up/);
});

test('renderReportPage() says how many affected objects it leaves out', () => {
  const { impact } = sampleReport();
  const affected = Array.from({ length: 24 }, (_, index) => `pod=p${index}`);
  const page = renderReportPage(sampleReport({ impact: { ...impact, affected } }), { now });
  assert.match(page, /pod=p19<\/code><br>and 4 more in the JSON</);
});

test('renderReportPage() uses an id only once, even if the report has it twice', () => {
  const [first] = sampleReport().evidence;
  assert.ok(first);
  assertSoundStructure(renderReportPage(sampleReport({ evidence: [first, first] }), { now }));
});

test('renderReportPage() says first what somebody who was just woken needs', () => {
  const page = brokenAnywhere(renderReportPage(sampleReport(), { now }));
  const needed = [
    'Firing for <time data-age="span"', '<bdi>critical</bdi>', '<p class="place"><span><bdi>',
    'CheckoutLatencyHigh', '<bdi>payments</bdi>', '<h1>', '3.8 times its threshold',
    'Needs action', 'Since <time datetime="2026-11-20T01:14:10Z"',
    'Certainty: likely', 'connections rose 5 min before',
    'database connections are exhausted', 'Do first', 'See who holds',
    'kubectl -n payments exec', 'id="hypotheses"', 'id="narrative"',
    'id="findings"', 'id="feedback"', 'id="changes"',
    'id="impact"', 'id="timeline"', 'id="related"', 'id="history"', 'id="alert"',
    'id="evidence"', 'id="unknowns"', 'id="provenance"',
  ];
  const body = page.slice(page.indexOf('<main'));
  const places = needed.map((text) => body.indexOf(text));
  assert.ok(places.every((place) => place >= 0), needed[places.indexOf(-1)]);
  assert.deepEqual(places, places.toSorted((a, b) => a - b));
});

const refreshes: readonly (readonly [Report['status'], boolean])[] = [
  ['queued', true], ['analysing', true], ['ready', false], ['final', false], ['failed', false],
];

for (const [status, isRefreshed] of refreshes) {
  test(`renderReportPage() ${isRefreshed ? 'reloads' : 'stays'} while it is ${status}`, () => {
    const page = renderReportPage(sampleReport({ status }), { now });
    assert.equal(page.includes('http-equiv="refresh"'), isRefreshed);
  });
}

test('renderReportPage() says progress, failure and resolution in words', () => {
  const text = (report: Report): string => brokenAnywhere(renderReportPage(report, { now }));
  assert.match(text(emptyReport('queued')), /Waiting to be analysed/);
  assert.match(text(emptyReport('analysing')), /Ranking 412 series, 3 of 7/);
  assert.match(text(emptyReport('failed')), /Analysis failed<\/strong> after\s0 attempts/);
  assert.match(text(resolvedReport()), /Resolved after 10 min/);
});

test('renderReportPage() has no verdict before the analysis has begun', () => {
  assert.doesNotMatch(renderReportPage(emptyReport('queued'), { now }), /Certainty|Not measured/);
  assert.match(renderReportPage(emptyReport('ready'), { now }), /Certainty: inconclusive/);
});

test('pageSecurityPolicy() allows the style sheet of the page and nothing else', () => {
  const page = renderReportPage(sampleReport(), { now });
  const other = hashOf(renderNotFoundPage({ newest: null, reportBase: '', keptMs: 0 }), 'style');
  assert.equal(
    pageSecurityPolicy(),
    `default-src 'none'; style-src ${hashOf(page, 'style')} ${other}; img-src data:; `
      + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  assert.doesNotMatch(page, /<script|style=/);
});

test('pageSecurityPolicy() allows the script of the page, and requests to its service', () => {
  const script = "'use strict';\nif (1 < 2 && '\"' !== `&amp;`) document.title = 'é';";
  const page = renderReportPage(sampleReport(), { now, script });
  assert.ok(page.includes(`<script>${script}</script>`));
  const policy = pageSecurityPolicy([script, '', script]);
  const allowed = `; script-src ${hashOf(page, 'script')}; connect-src 'self'; `;
  assert.ok(policy.includes(allowed), policy);
});

test('renderReportPage() is updated by its script, and reloads only without it', () => {
  const report = emptyReport('analysing');
  const page = renderReportPage(report, { now, script: 'follow();', revision: '7-1-analysing' });
  assert.match(page, /<body [^>]*data-live="7-1-analysing" data-episode="1"/);
  assert.match(page, /<noscript><meta http-equiv="refresh" content="\d+"><\/noscript>/);
  for (const options of [{ script: 'follow();' }, { revision: '7-1-analysing' }]) {
    const unled = renderReportPage(report, { now, ...options });
    assert.doesNotMatch(unled, /<noscript>|data-live/);
    assert.match(unled, /<meta http-equiv="refresh"/);
  }
});

test('renderReportPage() has a progress bar during the analysis and none after it', () => {
  const bar = /<progress data-progress="bar"( value="3" max="7")? aria-label="[^"]+"><\/progress>/;
  assert.equal(bar.exec(renderReportPage(emptyReport('queued'), { now }))?.[1], undefined);
  assert.match(renderReportPage(emptyReport('queued'), { now }), bar);
  assert.ok(bar.exec(renderReportPage(emptyReport('analysing'), { now }))?.[1]);
  assert.doesNotMatch(renderReportPage(sampleReport(), { now }), /<progress/);
});

function hashOf(page: string, element: 'style' | 'script'): string {
  const [, text = ''] = new RegExp(`<${element}>([^]*)</${element}>`).exec(page) ?? [];
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function feedbackPart(report: Report, feedbackBy?: 'form' | 'command'): string {
  const page = renderReportPage(report, { now, ...(feedbackBy && { feedbackBy }) });
  return /<section id="feedback"[^]*?<\/section>/.exec(page)?.[0] ?? '';
}

test('renderReportPage() has forms for feedback and for a new analysis', () => {
  const part = feedbackPart(emptyReport('ready'));
  assert.match(part, /<form class="say" method="post" action="\/report\/3b1c2d4e5f60718a\/3\/feed/);
  assert.match(part, /action="\/report\/3b1c2d4e5f60718a\/analyse"/);
  assert.equal(part.match(/<input type="radio" name="verdict"/g)?.length, 3);
  for (const [, id = ''] of part.matchAll(/<(?:input|textarea)[^>]* id="([^"]*)"/g)) {
    assert.ok(part.includes(`<label for="${id}">`), id);
  }
});

test('renderReportPage() has the feedback form from the first report on', () => {
  assert.equal(feedbackPart(emptyReport('queued')), '');
  assert.match(feedbackPart(sampleReport({ status: 'analysing' })), /<form class="say"/);
  const { provenance } = emptyReport('queued');
  const said = feedbackPart(sampleReport({ status: 'queued', provenance }));
  assert.match(said, /pool too small/);
  assert.doesNotMatch(said, /<form/);
});

test('renderReportPage() lets only the newest episode be analysed again', () => {
  const { episode } = sampleReport();
  const part = feedbackPart(sampleReport({ episode: { ...episode, of: episode.number + 1 } }));
  assert.match(part, /\/feedback"/);
  assert.doesNotMatch(part, /\/analyse"/);
});

test('renderReportPage() shows a command instead of forms if feedback needs a token', () => {
  const url = "https://a.example/base/report/it's/1";
  const report = sampleReport({ report_url: url, feedback: [] });
  const part = brokenAnywhere(feedbackPart(report, 'command'));
  assert.doesNotMatch(part, /<form/);
  assert.match(part, /&#39;https:\/\/a\.example\/base\/report\/it%27s\/1\/feedback&#39;/);
  assert.match(part, /-X POST &#39;https:\/\/a\.example\/base\/report\/it%27s\/analyse&#39;/);
});

test('renderReportPage() links each id that a sentence of the narrative names', () => {
  const { narrative } = sampleReport();
  assert.ok(narrative.state === 'present');
  const text = 'It is slow [E1, E3, E999].';
  const page = renderReportPage(sampleReport({ narrative: { ...narrative, text } }), { now });
  assert.ok(page.includes('It is slow <a href="#E1">[E1]</a> <a href="#E3">[E3]</a> [E999].'));
});

test('renderReportPage() says when the narrative was written, and what tried to steer it', () => {
  const { narrative } = sampleReport();
  assert.ok(narrative.state === 'present');
  const page = (isSteered: boolean): string => renderReportPage(sampleReport({
    narrative: { ...narrative, suspicious_content: isSteered },
  }), { now });
  assert.match(page(false), /Written by a model from the evidence above,[^.]*10:05/);
  assert.doesNotMatch(page(false), /attempt to steer it/);
  assert.match(page(true), /attempt to steer it/);
});

test('the page counts failed sources where it says how it was made', () => {
  const report = sampleReport();
  const [first, ...rest] = report.provenance.sources;
  assert.ok(first !== undefined);
  const pageWith = (state: 'ok' | 'failed'): string => {
    const provenance = { ...report.provenance, sources: [{ ...first, state }, ...rest] };
    return renderReportPage({ ...report, provenance }, { now });
  };
  assert.match(pageWith('ok'), /1 of 2 sources configured</);
  assert.match(pageWith('failed'), /1 of 2 sources configured, 1 failed</);
});
