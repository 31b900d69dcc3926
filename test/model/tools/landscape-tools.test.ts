import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../../src/evidence/ledger.ts';
import { Toolbox, type ToolRun } from '../../../src/model/tools/toolbox.ts';
import type { EvidenceItem } from '../../../src/report/report.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile, caseNow } from '../../support/samples/case-files.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import { calling, cannedPrometheus, noSources } from '../../support/scripted-model.ts';

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

async function asked(
  tool: string,
  given: object,
  samples: readonly Sample[],
  labels: Readonly<Record<string, string>> = { alertname: 'Slow', namespace: 'shop' },
): Promise<{ run: ToolRun; queries: readonly string[]; item: EvidenceItem | undefined }> {
  const result = samples.map(([metric, value]) => ({ metric, value: [1_795_000_000, `${value}`] }));
  const prometheus = cannedPrometheus((path) => path.endsWith('/rules')
    ? { groups: [{ name: 'g', interval: 30, rules: [{
      type: 'alerting', name: 'Slow', query: 'latency > 1', duration: 300, health: 'ok',
      labels: {}, annotations: {}, alerts: [],
    }] }] }
    : { resultType: 'vector', result });
  const ledger = new Ledger([], 20);
  const toolbox = new Toolbox({
    ledger, sources: { ...noSources, prometheus }, report: sampleReport(), now: caseNow,
    caseFile: aCaseFile({ alert: anAlert({ labels }) }), clock: new ManualClock(caseNow),
    onUsed: () => {}, mask: (data) => data, secrets: [],
  });
  const run = await toolbox.run(calling(tool, given), new AbortController().signal);
  return { run, queries: prometheus.asked, item: ledger.items[0] };
}

test('metric_names lists the metrics of a namespace, those of most series first', async () => {
  const given = { namespace: null, containing: 'http' };
  const { run, queries, item } = await asked('metric_names', given, [
    [{ __name__: 'http_errors_total' }, 2], [{ __name__: 'up' }, 9],
    [{ __name__: 'http_requests_total' }, 40],
  ]);
  assert.deepEqual(queries, ['/api/v1/query count by (__name__) ({namespace="shop"})']);
  assert.match(run.text, /2 lines found\nhttp_requests_total 40\nhttp_errors_total 2$/);
  assert.deepEqual(item?.data, { rules: [], metrics: [
    { name: 'http_requests_total', series: 40 }, { name: 'http_errors_total', series: 2 },
  ] });
});

test('without a namespace the job of the alert is asked about, never a server', async () => {
  const given = { namespace: null, containing: null };
  const { queries } = await asked('metric_names', given, [], { alertname: 'Slow', job: 'a"b' });
  assert.deepEqual(queries, ['/api/v1/query count by (__name__) ({job="a\\"b"})']);
  const { run, queries: none } = await asked('metric_names', given, [], { alertname: 'Slow' });
  assert.deepEqual([none, run.isError], [[], true]);
});

test('label_values takes plain names only', async () => {
  const { run, queries } = await asked('label_values', { metric: 'up', label: 'pod' }, [
    [{ pod: 'web-1' }, 3], [{}, 1],
  ]);
  assert.deepEqual(queries, ['/api/v1/query count by (pod) (up)']);
  assert.match(run.text, /web-1 3/);
  for (const bad of ['up) or (x', 'up{a="b"}', '', '1up', 'up offset 1d']) {
    const refused = await asked('label_values', { metric: bad, label: 'pod' }, []);
    assert.deepEqual([refused.queries, refused.run.isMalformed], [[], true], bad);
  }
});

test('dependencies tells who calls whom, by whichever labels say so', async () => {
  const { run, item } = await asked('dependencies', { namespace: null }, [
    [{ service: 'web', peer: 'cart' }, 3],
    [{ source_workload: 'cart', destination_workload: 'db' }, 2],
    [{ service: 'web', server: 'web' }, 1], [{ job: 'node' }, 8],
  ]);
  assert.deepEqual(item?.data, { rules: [], calls: [
    { from: 'web', to: 'cart', series: 3 }, { from: 'cart', to: 'db', series: 2 },
  ] });
  assert.match(run.text, /web cart 3\ncart db 2$/);
});

test('alerts_and_rules tells what fires, and the rule of a name that evidence has', async () => {
  const firing: readonly Sample[] = [[{ alertname: 'Down', alertstate: 'firing' }, 1]];
  const { run, item } = await asked('alerts_and_rules', { namespace: null, rule: 'Slow' }, firing);
  assert.match(run.text, /Down firing 1\nSlow latency > 1 300$/);
  assert.match(JSON.stringify(item?.data), /"for_seconds":300/);
  const strange = await asked('alerts_and_rules', { namespace: null, rule: 'Secret' }, firing);
  assert.deepEqual([strange.queries, strange.run.isError], [[], true]);
});

test('an empty answer is missing data, and evidence of that', async () => {
  const { run, item } = await asked('dependencies', { namespace: null }, []);
  assert.match(run.text, /missing data, not a finding/);
  assert.equal(item?.state, 'empty');
});
