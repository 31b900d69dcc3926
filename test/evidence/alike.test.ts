import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { Ledger } from '../../src/evidence/ledger.ts';
import type { MetricFacts } from '../../src/evidence/metric-facts.ts';
import { alternativesOf } from '../../src/evidence/metrics/alike.ts';
import { collectMetrics } from '../../src/evidence/metrics/collect-metrics.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import { aRule, firedAt, present, troubleAt } from '../support/samples/shop-scenario.ts';
import { fakeCounter, fakePrometheus, fakeSeries } from '../support/sources/fake-prometheus.ts';

const startsAt = new Date(firedAt).toISOString();

function caseOf(labels: LabelSet, others: readonly LabelSet[]) {
  return aCaseFile({
    alert: anAlert({ labels: { ...labels }, startsAt }),
    openAlerts: others.map((each, index) =>
      ({ fingerprint: `f${index}`, startsAt, labels: { ...each } })),
  });
}

function at(instance: string, over: LabelSet = {}): LabelSet {
  return { alertname: 'Errors', job: 'api', instance, severity: 'page', ...over };
}

test('alerts of one rule and job are alike where they differ in an instance', () => {
  const told = (others: readonly LabelSet[]): unknown =>
    [...alternativesOf(caseOf(at('a:80'), others))];
  assert.deepEqual(told([at('c:80'), at('b:80')]), [['instance', ['a:80', 'b:80', 'c:80']]]);
  assert.deepEqual(told([]), []);
  const foreign = [
    at('b:80', { job: 'web' }), at('b:80', { alertname: 'Slow' }), at('b:80', { cluster: 'x' }),
    at('b:80', { queue: 'q' }),
  ];
  assert.deepEqual(told(foreign), []);
  assert.deepEqual(told(Array.from({ length: 30 }, (_, index) => at(`n${index}:80`))), []);
});

const expression = 'sum by (job, instance) (rate(errors_total{code="500"}[1m])) > 1';
const instances = ['a:80', 'b:80', 'c:80', 'd:80'];

async function facts(index: number, others: readonly string[]): Promise<{
  readonly facts: MetricFacts; readonly questions: readonly string[];
}> {
  const series = instances.flatMap((instance, nth) => [
    fakeSeries('up', { job: 'api', instance }, () => 1),
    fakeSeries('errors_total', { job: 'api', instance, code: '500' },
      fakeCounter((atMs) => (atMs >= troubleAt ? 5 + nth : 0), firedAt - 86_400_000)),
    fakeSeries('queue_length', { job: 'api', instance }, (atMs) =>
      (atMs >= troubleAt ? 90 : 2 + ((atMs / 15_000) % 2))),
  ]);
  const rule = readExpression(expression);
  const prometheus = fakePrometheus({
    series, rules: [aRule({ name: 'Errors', query: expression, labels: {} })], budget: 400,
    expressions: {
      [rule.comparison?.compared ?? '']: instances.map((instance, nth) => ({
        labels: { job: 'api', instance }, valueAt: (atMs: number) =>
          (atMs >= troubleAt ? 5 + nth : 0),
      })),
    },
  });
  const own = instances[index] ?? '';
  const found = await collectMetrics(caseOf(at(own), others.map((each) => at(each))), {
    ledger: new Ledger(), open: prometheus.open, budget: prometheus.budget, now: present,
    clock: new ManualClock(present), signal: new AbortController().signal, deadlineMs: 2500,
    rule, testsFor: () => [],
  });
  return { facts: found, questions: prometheus.questions };
}

test('a group asks little more than one of its alerts, and each learns of itself', async () => {
  const alone = await facts(1, []);
  const all = await Promise.all(instances.map((own, index) =>
    facts(index, instances.filter((each) => each !== own))));
  const distinct = new Set(all.flatMap(({ questions }) => questions));
  assert.ok(distinct.size <= alone.questions.length + 2 * instances.length,
    `${distinct.size} of ${alone.questions.length} alone`);
  for (const [index, { facts: own }] of all.entries()) {
    assert.equal(own.place?.labels['instance'], instances[index]);
    assert.equal(own.own?.labels['instance'], instances[index]);
    assert.equal(own.scrape?.total, 1);
  }
  const [, second] = all;
  assert.deepEqual(second?.facts.place, alone.facts.place);
  assert.equal(second.facts.own?.valueNow, alone.facts.own?.valueNow);
});
