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
  assert.match(own,
    /from 2\d\d ms to 1\.0\d s\. The problem began at <time [^>]*>09:55 UTC<\/time>\./u);
  for (const name of ['threshold &gt; 500 ms', 'a day before', 'began', 'fired', 'now']) {
    assert.ok(own.includes(`>${name}</text>`), name);
  }
  assert.match(own, /class="shade"/u);
  assert.match(own, /The last 50 min of 5 h 17 min are drawn\./u);
  assert.match(change, /db CPU rose from 0\.2\d* cores to 0\.9\d* cores<.* at <time [^>]*>09:5\d/u);
  assert.match(change, /A counter, shown as its rate\./u);
  assert.ok(own.length < 8 * 1024 && change.length < 4 * 1024, `${own.length} ${change.length}`);
});

test('the first three changes are drawn beside the alert, over the same time', async () => {
  const report = await shopReport();
  const [first] = report.changes;
  assert.ok(first !== undefined);
  const drawn = figures({
    ...report, changes: [1, 2, 3, 4].map((rank) => ({ ...first, rank, strength: 'strong' })),
  }).slice(1);
  const beside = drawn.map((figure) => figure.includes('class="ghost"'));
  assert.deepEqual(beside, [true, true, true, false]);
  const note = /Dots: the alert&#39;s value, to a scale of its own\./u;
  assert.deepEqual(drawn.map((figure) => note.test(figure)), beside);
  // It stands still where the alert's own value does.
  const still = await withCourse(({ values }) => ({ values: values.map(() => 1) }));
  assert.ok(!figures(still)[1]?.includes('class="ghost"'));
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
  const onset = '2026-11-20T09:55:00.000Z';
  const report = await withCourse(({ values }) => {
    // Beyond the threshold for a minute of every four, and since the onset.
    return { values: values.map((value, index) => (index % 4 === 0 ? 1.2 : value)) };
  });
  const [own = ''] = figures(report);
  assert.match(own, /The value rose from 2\d\d ms to 1\.0\d s\./u);
  assert.ok(own.includes(`The problem began at <time datetime="${onset}"`));
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
  assert.match(figures(report)[0] ?? '', />restart<\/text>/u);
});

test('the page marks when the alert resolved, and then no longer marks the present', async () => {
  const report = await shopReport();
  const ended = new Date(firedAt + 3 * minute).toISOString();
  const [own = ''] = figures({
    ...report, status: 'final', episode: { ...report.episode, state: 'resolved', ends_at: ended },
  });
  assert.match(own, />resolved<\/text>/u);
  assert.doesNotMatch(own, />now<\/text>/u);
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
  assert.match(page, /Lowest <data /u);
  assert.doesNotMatch(page, /&quot;values&quot;/u);
});

test('the median of an even number of values is between the two in the middle', async () => {
  const report = await shopReport();
  const evidence = report.evidence.map((item) =>
    item.kind !== 'series' ? item
      : { ...item, data: { ...(item.data as SeriesData), values: [3, 0.2, 1, 0.1], unit: null } });
  const page = renderReportPage({ ...report, evidence }, { now: present });
  assert.match(page, /median <data value="0\.6" /u);
});
