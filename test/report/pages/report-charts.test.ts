import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReportPage } from '../../../src/report/pages/render-report-page.ts';
import type { Report } from '../../../src/report/report.ts';
import type { SeriesData } from '../../../src/report/series-data.ts';
import { brokenAnywhere } from '../../support/broken-anywhere.ts';
import { shopReport } from '../../support/samples/shop-report.ts';
import { firedAt, present, shopSeries } from '../../support/samples/shop-scenario.ts';
import { fakeSeries } from '../../support/sources/fake-prometheus.ts';

const minute = 60_000;

function figures(report: Report, now: number = present): string[] {
  const page = brokenAnywhere(renderReportPage(report, { now }));
  return [...page.matchAll(/<figure[^]*?<\/figure>/gu)].map(([figure]) => figure);
}

test('the page draws what the alert watches, the day before, and what happened when', async () => {
  const [own = '', change = ''] = figures(await shopReport());
  assert.match(own, /from 2\d\d ms to 1\.0\d s\./u);
  for (const name of ['threshold &gt; 500 ms', 'a day before', 'began', 'fired']) {
    assert.ok(own.includes(`>${name}</text>`), name);
  }
  assert.match(own, /class="shade"/u);
  assert.match(change, /db CPU rose from 0\.2\d* cores to 0\.9\d* cores</u);
  assert.match(change, /· rate/u);
  assert.ok(own.length < 7 * 1024 && change.length < 3 * 1024, `${own.length} ${change.length}`);
});

test('what moved is drawn below the alert over the same time, with the same moments', async () => {
  const report = await shopReport();
  const [first] = report.changes;
  assert.ok(first !== undefined);
  const drawn = figures({
    ...report,
    changes: Array.from({ length: 8 }, (_, index) => ({ ...first, rank: index + 1 })),
  });
  const [, ...below] = drawn;
  assert.equal(below.length, 5);
  const marksOf = (figure: string): string[] =>
    [...figure.matchAll(/class="mark (\w+)" d="M([\d.]+) /gu)].map(([, kind, x]) => `${kind} ${x}`);
  const zoomOf = (figure: string): string => /transform="([^"]*)"/u.exec(figure)?.[1] ?? '';
  const [own = ''] = drawn;
  assert.ok(marksOf(own).length >= 2 && zoomOf(own) !== '');
  for (const figure of below) {
    assert.deepEqual(marksOf(figure), marksOf(own));
    assert.equal(zoomOf(figure), zoomOf(own));
  }
});

test('without a curve of its own the alert\'s page draws large what moved most', async () => {
  const report = await shopReport();
  const [first = ''] = figures({ ...report, reality: { ...report.reality, evidence: [] } });
  assert.match(first, /^<figure class="chart large">[^]*db CPU rose/u);
  assert.match(first, />fired<\/text>/u);
});

/** The same report with other values in the course of the alert's own series. */
async function withCourse(
  change: (data: SeriesData) => Partial<SeriesData>,
  over: Partial<Report['reality']> = {},
): Promise<Report> {
  const report = await shopReport();
  const evidence = report.evidence.map((item) => {
    if (!item.title.startsWith('Course')) return item;
    const data = item.data as SeriesData;
    return { ...item, data: { ...data, ...change(data) } };
  });
  return { ...report, evidence, reality: { ...report.reality, ...over } };
}

test('the chart begins the problem where the rule did, whatever crossed before', async () => {
  const report = await withCourse(({ values }) => {
    // Beyond the threshold for a minute of every four, and since the onset.
    return { values: values.map((value, index) => (index % 4 === 0 ? 1.2 : value)) };
  });
  const [own = ''] = figures(report);
  assert.match(renderReportPage(report, { now: present }),
    /Began <time datetime="2026-11-20T09:55:00.000Z"/u);
  assert.match(own, /The value rose from 2\d\d ms to 1\.0\d s\./u);
  assert.match(own, />began<\/text>/u);
});

test('the caption tells the value when it fired, though it has recovered since', async () => {
  const report = await withCourse(({ values }) =>
    ({ values: values.map((value, index) => (index > values.length - 9 ? 0.1 : value)) }));
  assert.match(figures(report)[0] ?? '', /The value rose from 2\d\d ms to 1\.0\d s\./u);
});

test('the chart of an older report does not say when the problem began', async () => {
  const [own = ''] = figures(await withCourse(() => ({ onset: null })));
  assert.match(own, /The value rose from 2\d\d ms to 1\.0\d s\.<\/figcaption>/u);
  assert.doesNotMatch(own, /problem began|>began</u);
  assert.match(own, /class="shade"/u);
});

test('the page marks restarts in the chart of the alert', async () => {
  const restartAt = firedAt - 20 * minute;
  const started = shopSeries().map((series) =>
    series.labels['__name__'] !== 'process_start_time_seconds' ? series
      : fakeSeries('process_start_time_seconds', series.labels, (atMs) =>
        (atMs < restartAt ? firedAt - 9e8 : restartAt) / 1000));
  const report = await shopReport({ metrics: { series: started } });
  assert.ok(report.evidence.some(({ kind }) => kind === 'events'));
  const page = renderReportPage(report, { now: present });
  assert.match(figures(report)[0] ?? '', /class="mark event" d="M[^]*>a restart<\/text>/u);
  assert.match(page, /<b>a<\/b> <time[^>]*>[^<]*<\/time> <span dir="ltr">[^<]* restarted/u);
});

test('the curve of an alert goes on to its value when last checked', async () => {
  const report = await shopReport();
  const { reality, provenance } = report;
  const lastOf = (secondsLater: number): string => {
    const item = report.evidence.find(({ id, data }) =>
      reality.evidence.includes(id) && (data as Partial<SeriesData>).values !== undefined);
    const { start = '', step_seconds: step = 0, values = [] } = item?.data as Partial<SeriesData>;
    const lastMs = Date.parse(start) + 1000 * step * (values.length - 1);
    const started_at = new Date(lastMs + 1000 * secondsLater).toISOString();
    const [own = ''] = figures({
      ...report, reality: { ...reality, value_now: 7.77 },
      provenance: { ...provenance, started_at },
    });
    return /class="\w+ last">([^<]*)</u.exec(own)?.[1] ?? '';
  };
  assert.equal(lastOf(40), '7.77 s');
  assert.notEqual(lastOf(3600), '7.77 s', 'nothing is known of the time between');
});

test('the page marks since when the alert is silenced', async () => {
  const report = await shopReport();
  const [item] = report.evidence;
  assert.ok(item);
  const data = { silences: [{ startsAt: new Date(firedAt - minute).toISOString() }, {}, null] };
  const held = { ...item, id: 'E90', role: 'in_alertmanager', data } as const;
  const [own = ''] = figures({ ...report, evidence: [...report.evidence, held] });
  assert.equal(own.match(/>silenced<\/text>/gu)?.length, own.includes('class="near"') ? 2 : 1);
});

test('the page marks when the alert resolved', async () => {
  const report = await shopReport();
  const ended = new Date(firedAt + 3 * minute).toISOString();
  const [own = ''] = figures({
    ...report, status: 'final', episode: { ...report.episode, state: 'resolved', ends_at: ended },
  });
  assert.match(own, />resolved<\/text>/u);
});

test('the page of a report is always the same, and small', async () => {
  const report = await shopReport();
  const page = renderReportPage(report, { now: present });
  const stored = JSON.parse(JSON.stringify(report)) as Report;
  assert.equal(page, renderReportPage(stored, { now: present }));
  assert.ok(page.length < 150 * 1024, `${page.length}`);
});

test('a series in the evidence is drawn once, and its values are not listed', async () => {
  const page = renderReportPage(await shopReport(), { now: present });
  assert.match(page, /<a href="#own-chart-title">See the chart<\/a>/u);
  assert.match(page, /Lowest \d/u);
  assert.doesNotMatch(page, /&quot;values&quot;/u);
});
