import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { AnswerBody } from '../../src/sources/answer-body.ts';
import { createPrometheus, type Prometheus } from '../../src/sources/prometheus.ts';
import { gridOf } from '../../src/sources/time-grid.ts';
import type { Cleanup } from '../support/cleanup.ts';
import {
  answering, recorded, startFakeSource, type Answer, type FakeSource,
} from '../support/sources/fake-source.ts';
import { testClient } from '../support/sources/source-clients.ts';

async function fakePrometheus(
  t: Cleanup,
  answers: Answer | readonly Answer[],
): Promise<{ prometheus: Prometheus; source: FakeSource }> {
  const source = await startFakeSource(t, answers);
  const client = testClient({ url: `${source.url}/prometheus`, timeoutMs: 10_000 });
  return { prometheus: createPrometheus(client), source };
}

const given = (name: string, status = 200): Answer => answering(recorded(name), { status });

test('Prometheus.query() reads a vector', async (t) => {
  const { prometheus, source } = await fakePrometheus(t, given('prom-query-vector'));
  const answer = await prometheus.query('up{a="é"} > 0', 1_795_190_800_450);
  assert.equal(answer.samples.length, 4);
  assert.deepEqual(answer.samples[1], {
    labels: { __name__: 'up', instance: '127.0.0.1:19998', job: 'demo-om' },
    value: 1,
  });
  assert.deepEqual(answer.notes, { warnings: [], isPartial: false });
  const [request] = source.requests;
  assert.equal(request?.path, '/prometheus/api/v1/query');
  assert.deepEqual(Object.fromEntries(request.parameters), {
    query: 'up{a="é"} > 0', time: '1795190800.450', limit: '1001', timeout: '9000ms',
    partial_response: 'true',
  });
});

test('Prometheus.query() reads scalars and what is infinite', async (t) => {
  const { prometheus } = await fakePrometheus(t, [
    given('prom-query-scalar'), given('prom-query-inf'),
  ]);
  const scalar = await prometheus.query('scalar(up)', 0);
  assert.deepEqual(scalar.samples, [{ labels: {}, value: Number.NaN }]);
  assert.equal((await prometheus.query('1/0', 0)).samples[0]?.value, Infinity);
});

test('Prometheus.query() hands on warnings', async (t) => {
  const { prometheus } = await fakePrometheus(t, given('prom-query-limit-warning'));
  const { notes } = await prometheus.query('up', 0);
  assert.deepEqual(notes.warnings, ['results truncated due to limit']);
});

test("Prometheus passes on the server's message about a refused query", async (t) => {
  const { prometheus } = await fakePrometheus(t, [
    given('prom-query-parse-error', 400), given('prom-query-exec-error', 422),
  ]);
  await assert.rejects(prometheus.query('up(', 0), {
    name: 'SourceFailure', reason: 'bad_query', detail: /unclosed left parenthesis/,
  });
  await assert.rejects(prometheus.query('up * up', 0), {
    reason: 'bad_query', detail: /found duplicate series.*…$/,
  });
});

test('Prometheus.queryRange() lays the samples on the grid', async (t) => {
  const { prometheus, source } = await fakePrometheus(t, given('prom-query-range'));
  const window = { fromMs: 1_795_190_782_000, toMs: 1_795_190_807_000, stepSeconds: 5 };
  const { grid, series, omitted } = await prometheus.queryRange('up', window);
  assert.deepEqual(grid, { startMs: 1_795_190_780_000, stepMs: 5000, count: 6 });
  assert.equal(omitted, 0);
  assert.equal(series.length, 4);
  assert.deepEqual(series[1]?.labels, {
    __name__: 'up', instance: '127.0.0.1:19090', job: 'prometheus',
  });
  assert.deepEqual([...series[1].values], [Number.NaN, 1, 1, 1, 1, Number.NaN]);
  const { start, end, step } = Object.fromEntries(source.requests[0]?.parameters ?? []);
  assert.deepEqual([start, end, step], ['1795190780.000', '1795190805.000', '5']);
});

test('Prometheus.rawSamples() reads samples at the times of their scrapes', async (t) => {
  const { prometheus, source } = await fakePrometheus(t, answering(JSON.stringify({
    status: 'success', data: { resultType: 'matrix', result: [
      { metric: { __name__: 'v', a: '1' }, values: [[10.123, '2'], [25.1, 'NaN'], [40.5, '3']] },
      { metric: { __name__: 'v', a: '2' }, values: [[10.2, 'NaN']] },
    ] },
  })));
  const { series, omitted } = await prometheus.rawSamples('v', { fromMs: 500, toMs: 60_000 });
  assert.deepEqual([series, omitted], [[
    { labels: { __name__: 'v', a: '1' }, timesMs: [10_123, 40_500], values: [2, 3] },
  ], 0]);
  const [request] = source.requests;
  assert.deepEqual([request?.parameters.get('query'), request?.parameters.get('time')],
    ['v[60s]', '60.000']);
});

test("Prometheus.queryRange() passes on Thanos' warning about a partial response", async (t) => {
  const partial = {
    status: 'success', data: { resultType: 'matrix', result: [] },
    warnings: ['No StoreAPIs matched for this query', 'rpc error: store-2 is gone'],
  };
  const { prometheus, source } = await fakePrometheus(t, answering(JSON.stringify(partial)));
  const { notes } = await prometheus.queryRange('up', { fromMs: 0, toMs: 1000, stepSeconds: 1 });
  assert.deepEqual(notes.warnings, partial.warnings);
  assert.equal(source.requests[0]?.parameters.get('partial_response'), 'true');
});

test('Prometheus names the tenant in every request, in forms as well', async (t) => {
  const source = await startFakeSource(t, given('prom-query-vector'));
  const headers = [['X-Scope-OrgID', 'shop|payments']] as const;
  const client = testClient({ url: `${source.url}/prometheus`, headers });
  const prometheus = createPrometheus(client);
  await prometheus.query('up', 0);
  await prometheus.query(`up{job=~"${'a|'.repeat(2000)}b"}`, 0);
  assert.deepEqual(source.requests.map(({ method, path, headers: sent }) => {
    return [method, path, sent['x-scope-orgid']];
  }), [
    ['GET', '/prometheus/api/v1/query', 'shop|payments'],
    ['POST', '/prometheus/api/v1/query', 'shop|payments'],
  ]);
});

test('Prometheus.series() sends every selector and keeps to the limit by itself', async (t) => {
  const { prometheus, source } = await fakePrometheus(t, given('prom-series'));
  const answer = await prometheus.series(['up', '{job="a"}'], { fromMs: 0, toMs: 1000, limit: 3 });
  assert.equal(answer.series.length, 3);
  assert.equal(answer.omitted, 1);
  assert.equal(answer.series[0]?.['job'], 'nothing');
  const [request] = source.requests;
  assert.deepEqual(request?.parameters.getAll('match[]'), ['up', '{job="a"}']);
  assert.equal(request.parameters.get('limit'), '4');
});

test('Prometheus.query() asks for one sample more than it keeps', async (t) => {
  const samples = Array.from({ length: 1001 }, (_, index) => ({
    metric: { index: String(index) }, value: [0, '1'],
  }));
  const data = { resultType: 'vector', result: samples };
  const { prometheus, source } = await fakePrometheus(
    t, answering(JSON.stringify({ status: 'success', data })),
  );
  const answer = await prometheus.query('up', 0);
  assert.deepEqual([answer.samples.length, answer.omitted], [1000, 1]);
  assert.equal(source.requests[0]?.parameters.get('limit'), '1001');
});

test('Prometheus.externalLabels() reads them, and no more than the beginning', async (t) => {
  const yaml = (lines: string[]): Answer => answering(JSON.stringify({
    status: 'success', data: { yaml: `global:\n  scrape_interval: 1m\n${lines.join('\n')}\n` },
  }));
  const long = Array.from({ length: 100_000 }, (_, index) => `- job_name: job-${index}`);
  const cases: readonly (readonly [Answer, Readonly<Record<string, string>>])[] = [
    [given('prom-config'), { cluster: 'eu1', replica: 'a' }],
    [yaml(['scrape_configs:', ...long]), {}],
    [yaml([
      '  external_labels:', '    a: "1 \\"é\\""', "    b: 'it''s: so'", '    c: x y', '  d: no',
      '    e: "no"', 'scrape_configs:', ...long,
    ]), { a: '1 "é"', b: "it's: so", c: 'x y' }],
    // The beginning ends in the middle of a label.
    [yaml(['  external_labels:', '    a: "1"', `    b: ${'é'.repeat(4000)}`]), { a: '1' }],
    [answering('{"status":"success","data":{}}'), {}],
    [answering('{"status":"success","data":{"yaml":"\\'), {}],
  ];
  for (const [answer, expected] of cases) {
    const { prometheus, source } = await fakePrometheus(t, answer);
    assert.deepEqual(await prometheus.externalLabels(), expected);
    assert.equal(source.requests[0]?.path, '/prometheus/api/v1/status/config');
    await source.quiet();
  }
});

test('Prometheus.externalLabels() hands on nothing else of the configuration', async (t) => {
  const { url } = await startFakeSource(t, given('prom-config'));
  const client = testClient({ url });
  const bodies: AnswerBody[] = [];
  const prometheus = createPrometheus({
    timeoutMs: client.timeoutMs, identity: client.identity,
    ask: (request, read) =>
      client.ask({ ...request, onBody: (body) => void bodies.push(body) }, read),
  });
  assert.deepEqual(await prometheus.externalLabels(), { cluster: 'eu1', replica: 'a' });
  const packed = await Promise.all(bodies.map((body) => body.pack()));
  const kept = gunzipSync(Buffer.concat(packed.flat())).toString();
  assert.match(kept, /cluster: eu1/u);
  assert.doesNotMatch(kept, /alertmanagers|targets|:\d/u);
});

test('Prometheus.rules() finds the rule in the answer of servers old and new', async (t) => {
  const { prometheus, source } = await fakePrometheus(t, [
    given('prom-rules-by-name'), given('prom-rules-all'), given('prom-rules-all'),
  ]);
  const [rule] = await prometheus.rules('HighScrapeDuration');
  assert.deepEqual(await prometheus.rules('HighScrapeDuration').then((rules) => {
    return rules.map(({ name, query, labels }) => ({ name, query, labels }));
  }), [{ name: rule?.name, query: rule?.query, labels: rule?.labels }]);
  assert.equal(source.requests[0]?.parameters.get('rule_name[]'), 'HighScrapeDuration');
  const [down] = await prometheus.rules('TargetDown');
  assert.deepEqual(down, {
    group: 'demo.rules', intervalSeconds: 5,
    name: 'TargetDown', query: 'up{job=~"nothing|capture"} == 0',
    durationSeconds: 5, keepFiringForSeconds: 10,
    labels: { namespace: 'demo', severity: 'critical' },
    annotations: {
      summary: 'Target {{ $labels.instance }} down', value: '{{ $value }}',
    },
    health: 'ok', lastError: null,
    alerts: [{
      labels: {
        alertname: 'TargetDown', instance: '127.0.0.1:1', job: 'nothing', namespace: 'demo',
        severity: 'critical',
      },
      state: 'firing', activeAtMs: Date.parse('2026-11-20T16:06:13.034Z'), value: 0,
    }],
  });
  assert.deepEqual(await prometheus.rules('job:up:avg'), []);
});

test('Prometheus refuses the answer of another service', async (t) => {
  const { prometheus } = await fakePrometheus(t, given('am-alerts'));
  const window = { fromMs: 0, toMs: 1000, stepSeconds: 1 };
  for (const ask of [
    () => prometheus.query('up', 0), () => prometheus.queryRange('up', window),
    () => prometheus.series(['up'], { ...window, limit: 1 }), () => prometheus.rules('x'),
  ]) {
    await assert.rejects(ask, {
      name: 'SourceFailure', reason: 'unexpected', detail: /expected an object, got an array/,
    });
  }
});

test('Prometheus.failedScrapes() asks for one pool of active targets, or for all', async (t) => {
  const { prometheus, source } = await fakePrometheus(t, answering(JSON.stringify({
    status: 'success',
    data: { activeTargets: [{ labels: { instance: 'a:1' }, lastError: 'broken' }] },
  })));
  const failed = [{ labels: { instance: 'a:1' }, error: 'broken' }];
  assert.deepEqual(await prometheus.failedScrapes('api'), failed);
  assert.deepEqual(await prometheus.failedScrapes(null), failed);
  assert.deepEqual(source.requests.map(({ path, parameters }) => [path, String(parameters)]), [
    ['/prometheus/api/v1/targets', 'state=active&scrapePool=api'],
    ['/prometheus/api/v1/targets', 'state=active'],
  ]);
});

test('gridOf() ends before the window does and refuses a window that makes no sense', () => {
  assert.deepEqual(gridOf({ fromMs: 61_000, toMs: 119_999, stepSeconds: 15 }), {
    startMs: 60_000, stepMs: 15_000, count: 4,
  });
  assert.equal(gridOf({ fromMs: 5, toMs: 5, stepSeconds: 1 }).count, 1);
  assert.throws(() => gridOf({ fromMs: 2, toMs: 1, stepSeconds: 1 }), RangeError);
  assert.throws(() => gridOf({ fromMs: 0, toMs: 1, stepSeconds: 0 }), RangeError);
});
