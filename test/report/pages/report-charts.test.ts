import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReportPage } from '../../../src/report/pages/render-report-page.ts';
import type { Report } from '../../../src/report/report.ts';
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
    /from 2\d\d ms to 1\.0\d s and crossed its threshold of 500 ms at <time [^>]*>09:53 UTC</u);
  for (const name of ['threshold &gt; 500 ms', 'a day before', 'began', 'fired', 'now']) {
    assert.ok(own.includes(`>${name}</text>`), name);
  }
  assert.match(own, /class="shade"/u);
  assert.match(own, /The last 52 min of 5 h 17 min are drawn\./u);
  assert.match(change, /db CPU rose from 0\.2\d* cores to 0\.9\d* cores<.* at <time [^>]*>09:5\d/u);
  assert.match(change, /A counter, shown as its rate\./u);
  assert.ok(own.length < 8 * 1024 && change.length < 3.5 * 1024, `${own.length} ${change.length}`);
});

test('the chart takes from the rule when the problem began, within its own step', async () => {
  const report = await shopReport();
  const titleWith = (onset: string | null): string => {
    const evidence = report.evidence.map((item) => (item.title.startsWith('Course')
      ? { ...item, data: { ...(item.data as object), onset } } : item));
    const [own = ''] = figures({ ...report, evidence });
    return /at <time datetime="([^"]*)"/u.exec(own)?.[1] ?? '';
  };
  const drawn = titleWith(null);
  const before = (seconds: number): string =>
    new Date(Date.parse(drawn) - 1000 * seconds).toISOString();
  assert.equal(titleWith(before(5)), before(5));
  assert.equal(titleWith(before(900)), drawn, 'the points say otherwise');
});

test('the chart of a state says what it was and is, and since when', async () => {
  const report = await shopReport();
  const evidence = report.evidence.map((item) => {
    const data = item.data as { values?: readonly (number | null)[] } | null;
    if (!item.title.startsWith('Course') || !data?.values) return item;
    const values = data.values.map((_, index, all) => (index < all.length - 1 ? 1 : 0));
    return { ...item, data: { ...data, values, threshold: 0, later: null } };
  });
  const reality = { ...report.reality, operator: '==' as const, threshold: 0 };
  const episode = { ...report.episode, starts_at: new Date(present).toISOString() };
  const [own = ''] = figures({ ...report, evidence, reality, episode });
  assert.match(own, /The value fell from 1 s to 0 s at <time/u);
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

test('the page says since when a value has been beyond a moving threshold', async () => {
  const report = await shopReport();
  const titleWith = (limitAtLast: number): string => {
    const evidence = report.evidence.map((item) => {
      const data = item.data as { values?: readonly (number | null)[] } | null;
      if (!item.title.startsWith('Course') || !data?.values) return item;
      const limits = data.values.map((_, index, all) =>
        (index === all.length - 1 ? limitAtLast : 0.5));
      return { ...item, data: { ...data, limits, threshold: null } };
    });
    const threshold_series = { expression: 'allowed', at_fire: 0.5, now: limitAtLast };
    const reality = { ...report.reality, threshold_series };
    return figures({ ...report, evidence, reality })[0] ?? '';
  };
  assert.match(titleWith(0.5), /s, beyond its threshold since <time [^>]*>09:5\d UTC</u);
  assert.match(titleWith(9), /s and was beyond its threshold from <time [^>]*>09:5\d UTC</u);
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
    item.kind === 'series' ? { ...item, data: { values: [3, 0.2, 1, 0.1], unit: null } } : item);
  const page = renderReportPage({ ...report, evidence }, { now: present });
  assert.match(page, /median <data value="0\.6" /u);
});
