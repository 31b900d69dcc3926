import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { readExpression } from '../../../src/evidence/rule/rule-expression.ts';
import type { Path } from '../../../src/report/path.ts';
import { hopText } from '../../../src/report/path-text.ts';
import { activeAt, aRule, collected } from '../../support/samples/shop-scenario.ts';
import { fakeCounter, fakeSeries, type FakeSeries } from '../../support/sources/fake-prometheus.ts';

const beginning = activeAt - 3_600_000;
const troubleAt = activeAt - 60_000;
const rule = 'sum(rate(http_request_duration_seconds_sum{job="web"}[1m])) / ' +
  'sum(rate(http_request_duration_seconds_count{job="web"}[1m])) > 0.3';

function counter(
  name: string, labels: LabelSet, [before, after]: readonly [number, number],
): FakeSeries {
  return fakeSeries(name, { instance: `${labels['job']}:80`, ...labels },
    fakeCounter((atMs) => (atMs >= troubleAt ? after : before), beginning));
}

function of(job: string): FakeSeries {
  return fakeSeries('up', { job, instance: `${job}:80` }, () => 1);
}

interface Rates {
  readonly requests?: readonly [number, number];
  readonly calls: readonly [number, number];
  readonly failed?: readonly [number, number];
}

async function pathOf({ requests = [10, 10], calls, failed = [0, 0] }: Rates) {
  const series = [
    of('web'), of('stock'),
    counter('http_request_duration_seconds_sum', { job: 'web' }, [1, requests[1] * 0.8]),
    counter('http_request_duration_seconds_count', { job: 'web' }, requests),
    counter('http_client_requests_total', { job: 'web', peer: 'stock', code: '200' }, calls),
    counter('http_client_requests_total', { job: 'web', peer: 'stock', code: '503' }, failed),
    counter('http_request_duration_seconds_sum', { job: 'stock' }, [0.1, calls[1] * 0.1]),
    counter('http_request_duration_seconds_count', { job: 'stock' }, calls),
  ];
  const { facts } = await collected(
    { series, rules: [aRule({ name: 'Slow', query: rule, labels: {} })], budget: 400 },
    { alert: { labels: { alertname: 'Slow' } }, context: { rule: readExpression(rule) } });
  return facts.path;
}

function originOf(path: Path | null): string {
  const hop = path?.hops[path.origin ?? -1];
  return hop === undefined ? ''
    : `${hop.component} ${hop.faults.map(({ kind }) => kind).join(' ')}`;
}

test('who calls more often for each request is the origin, not who is called', async () => {
  const path = await pathOf({ calls: [10, 210] });
  assert.equal(originOf(path), 'web repeats slow');
  const [hop] = path?.hops ?? [];
  const [fault] = hop?.faults ?? [];
  assert.deepEqual([fault?.what, Math.round(fault?.value ?? 0), Math.round(fault?.before ?? 0)],
    ['stock', 21, 1]);
  assert.match(hop === undefined ? '' : hopText(hop, activeAt), /2\d calls of stock .* before 1,/u);
});

test('more calls with more requests mean nothing, and what fails is tried again', async () => {
  assert.doesNotMatch(originOf(await pathOf({ requests: [10, 40], calls: [10, 210] })), /repeats/u);
  const tried = await pathOf({ calls: [10, 200], failed: [0, 180] });
  assert.equal(originOf(tried), 'stock slow fails');
  assert.ok(tried?.hops[0]?.faults.some(({ kind }) => kind === 'repeats'), 'though it is said');
});
