/** What a report says about the series inside a rule's aggregation, with a real Prometheus. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseAlert } from '../../scripts/ranking/case-alert.ts';
import { seriesText } from '../../scripts/ranking/openmetrics.ts';
import { reportOn } from '../../scripts/ranking/reported-case.ts';
import type { LabelSet } from '../../src/alert/labels.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { clockRate } from '../support/programs/node-options.ts';
import { startAnalyst, unlimited } from '../support/programs/running-analyst.ts';
import { startPrometheus } from '../support/programs/running-prometheus.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const stepSeconds = 60;
const nowSeconds = Math.floor(Date.now() / 60_000) * 60;
const onsetSeconds = nowSeconds - 20 * 60;
const fromSeconds = onsetSeconds - 2 * 3600;

/** Twelve pods on four nodes: one begins to fail, and the queues of all begin to grow. */
function* samples(): Generator<string> {
  for (let pod = 0; pod < 12; pod += 1) {
    const of = { job: 'api', pod: `api-${pod}`, node: `node-${pod % 4}` };
    const [isBad, isDown] = [pod === 3, pod === 1 || pod === 4];
    for (const path of ['/pay', '/cart']) {
      const errors = { ...of, path, code: '500' };
      const failing = isBad && path === '/pay' ? 5 : 0.02;
      yield* course('http_requests_total', errors, counter(0.02, failing));
      yield* course('http_requests_total', { ...of, path, code: '200' }, counter(10, 10));
    }
    yield* course('queue_waiting', of, (at) => at < onsetSeconds ? 10 : 40 + pod / 4);
    yield* course('disk_used_ratio', of, (at) => isBad && at >= onsetSeconds ? 0.97 : 0.4);
    yield* course('up', of, (at) => isDown && at >= onsetSeconds ? 0 : 1);
  }
  yield* course('jobs_failed', { job: 'api', pod: 'api-0' }, (at) => at < onsetSeconds ? 0 : 7);
}

function counter(usual: number, since: number): (at: number) => number {
  return (at) => usual * (Math.min(at, onsetSeconds) - fromSeconds) +
    since * Math.max(0, at - onsetSeconds);
}

function* course(
  name: string,
  labels: LabelSet,
  valueAt: (at: number) => number,
): Generator<string> {
  for (let at = fromSeconds; at <= nowSeconds; at += stepSeconds) {
    yield `${seriesText(name, labels)} ${valueAt(at)} ${at}`;
  }
}

function alertOf(expression: string, labels: LabelSet): CaseAlert {
  return {
    namespace: 'none', expression, forSeconds: 300, ruleLabels: {},
    labels: { alertname: `Alert${expression.length}`, ...labels },
    activeSeconds: onsetSeconds + 60,
    startsAt: new Date((onsetSeconds + 360) * 1000).toISOString(),
  };
}

const addresses = forAllTests(async (cleanup) => {
  const prometheus = await startPrometheus(cleanup, { samples: samples() });
  const analyst = await startAnalyst({
    dataDirectory: temporaryDirectory(),
    env: { ...unlimited, ...clockRate(0.2), PROMETHEUS_URL: prometheus.url },
  }, cleanup);
  return { analyst: analyst.url, prometheus: prometheus.url };
});

const failing = 'rate(http_requests_total{code="500"}[5m])';
const all = 'rate(http_requests_total[5m])';
const jobApi = { job: 'api' };
const culprits = 'pod api-3 (1 of 12); all from path /pay (1 of 2).';
const cases: readonly (readonly [string, LabelSet, string | null])[] = [
  [`sum(${failing}) > 1`, {}, `All of the rise comes from ${culprits}`],
  [`sum(${failing}) > 0.001 * sum(${all})`, {}, `All of the rise comes from ${culprits}`],
  [`sum by (job) (${failing}) / sum by (job) (${all}) * 100 > 1`, jobApi,
    `All of the rise comes from ${culprits}`],
  [`sum without (pod, node, code) (${failing}) > 1`, { ...jobApi, path: '/pay' },
    'All of the rise comes from pod api-3 (1 of 12).'],
  [`sum by (node, tier) (${failing}) > 1`, { node: 'node-3' },
    'All of the rise comes from pod api-3 (1 of 3); all from path /pay (1 of 2).'],
  ['sum(queue_waiting) > 300', {}, 'The rise is spread roughly evenly over 12 pods.'],
  ['count(up == 0) > 1', {}, 'It counted 2 when it fired: pod api-1 and api-4.'],
  ['count by (job) (up == 0) / count by (job) (up) > 0.1', jobApi,
    'Its numerator counted 2 when it fired: pod api-1 and api-4.'],
  ['sum(up) < 11', {}, 'All of the fall comes from pod api-1 and api-4 (2 of 12).'],
  ['max(disk_used_ratio) > 0.9', {},
    'The highest of 12 series when it fired was pod api-3 with 97 %; the next had 40 %.'],
  ['sum(jobs_failed) > 5', {}, 'It consists of one series: pod api-0.'],
  ['sum(up) > 5', {}, null],
];

for (const [expression, labels, expected] of cases) {
  test(`a report says which series are behind ${expression}`, async () => {
    const { report } = await reportOn(alertOf(expression, labels), addresses());
    const item = report.evidence.find(({ title }) =>
      title.startsWith("What is inside the rule's") || title === 'Whose share moved');
    assert.equal(item?.state, 'ok');
    const said = report.findings.find(({ evidence }) => evidence.includes(item.id));
    assert.equal(said?.text ?? null, expected);
    assert.deepEqual(report.evidence.filter(({ state }) => state === 'failed'), []);
  });
}
