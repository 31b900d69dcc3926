import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { readExpression } from '../../../src/evidence/rule/rule-expression.ts';
import { activeAt, aRule, collected } from '../../support/samples/shop-scenario.ts';
import { fakeCounter, fakeSeries, type FakeSeries } from '../../support/sources/fake-prometheus.ts';

const beginning = activeAt - 3_600_000;
const troubleAt = activeAt - 60_000;
const rule = 'sum(rate(http_requests_total{job="web",namespace="front",code="500"}[1m])) > 1';

function of(job: string, labels: LabelSet = {}): LabelSet {
  const namespace = job === 'web' ? 'front' : 'back';
  return { job, instance: `${job}:80`, namespace, ...labels };
}

function failing(name: string, labels: LabelSet): FakeSeries {
  return fakeSeries(name, labels, fakeCounter((atMs) => (atMs >= troubleAt ? 5 : 0), beginning));
}

function versions(labels: LabelSet, [before, after]: readonly [string, string]): FakeSeries[] {
  const at = (version: string, isIt: (atMs: number) => boolean): FakeSeries =>
    fakeSeries('app_build_info', { ...labels, version }, (atMs) =>
      (isIt(atMs) ? 1 : Number.NaN));
  const changedAt = troubleAt - 10_000;
  return [at(before, (ms) => ms < changedAt), at(after, (ms) => ms >= changedAt)];
}

test('a release of what is behind an alert is an event of it, however far that is', async () => {
  const pay = (index: number): LabelSet => of('pay', { instance: `pay-${index}:80` });
  const series = [
    fakeSeries('up', of('web'), () => 1),
    failing('http_requests_total', of('web', { code: '500' })),
    failing('calls_total', of('web', { peer: 'pay', code: '500' })),
    ...[0, 1, 2].flatMap((index) => [
      fakeSeries('up', pay(index), () => 1),
      fakeSeries('http_requests_total', { ...pay(index), code: '200' },
        fakeCounter(() => 5, beginning)),
      ...(index === 1 ? [failing('http_requests_total', { ...pay(index), code: '500' })] : []),
      ...index === 1 ? versions(pay(index), ['1.4', '1.5'])
        : [fakeSeries('app_build_info', { ...pay(index), version: '1.4' }, () => 1)],
    ]),
    // Nothing leads there.
    fakeSeries('up', of('other'), () => 1), ...versions(of('other'), ['7', '8']),
  ];
  const { facts } = await collected(
    { series, rules: [aRule({ name: 'Errors', query: rule, labels: {} })], budget: 400 },
    {
      alert: { labels: { alertname: 'Errors', namespace: 'front' } },
      context: { rule: readExpression(rule) },
    });
  assert.deepEqual(facts.path?.hops.map(({ component }) => component), ['web', 'pay pay-1:80']);
  const released = facts.events.filter(({ kind }) => kind === 'version');
  assert.deepEqual(released.map(({ component, before, after, release, labels }) =>
    [component?.value, before, after, release?.on, release?.of, labels['instance']]),
  [['pay', '1.4', '1.5', 1, 3, 'pay-1:80']]);
  const [event] = released;
  assert.ok(event !== undefined && event.atMs >= troubleAt - 10_000 &&
    event.atMs <= troubleAt + 15_000);
});
