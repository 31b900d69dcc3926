import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeSources } from '../../src/app/probing.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/config/variables.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { Registry } from '../../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../../src/telemetry/service-metrics.ts';
import { freePort } from '../support/programs/programs.ts';
import { answering, faults, startFakeSource, type Answer } from '../support/sources/fake-source.ts';

type Line = Readonly<Record<string, unknown>>;

/** What is logged of the sources, in any order, and the metrics afterwards. */
async function probe(
  environment: Environment, { signal } = new AbortController(),
): Promise<{ lines: Line[]; metrics: string }> {
  const settings = loadSettings(environment, { cores: 1, isTerminal: false });
  const registry = new Registry();
  const lines: Line[] = [];
  await probeSources({
    settings, clock: systemClock,
    metrics: createServiceMetrics(registry, { version: '1', nodeVersion: '20', model: null }),
    log: createLogger({
      level: 'info', format: 'json', now: () => 0,
      write: (line) => void lines.push(JSON.parse(line) as Line),
    }),
  }, signal);
  return { lines, metrics: registry.render() };
}

const own: Readonly<Record<string, string>> = {
  '/api/v1/query': '{"status":"success","data":{"resultType":"scalar","result":[1,"1"]}}',
  '/api/v2/alerts': '[]',
  '/loki/api/v1/series': '{"status":"success","data":[]}',
  '/api/v1/namespaces/default/pods': '{"kind":"PodList","items":[]}',
};

/** Answers those paths as the real programs do, and 404 for any other. */
function serving(...paths: readonly (keyof typeof own)[]): Answer {
  return (response, request, asked) => {
    const body = paths.includes(asked.path) ? own[asked.path] : undefined;
    const status = body === undefined ? 404 : 200;
    answering(body ?? '404 page not found', { status })(response, request, asked);
  };
}

test('probeSources() asks each server of each source once, and logs that it answers', async (t) => {
  const all = await startFakeSource(t, serving(...Object.keys(own)));
  const { url } = all;
  const { lines, metrics } = await probe({
    PROMETHEUS_URL: `${url},${url}`, ALERTMANAGER_URL: url, LOKI_URL: url, KUBERNETES_URL: url,
  });
  assert.deepEqual(lines.map(({ level, message, source, server }) =>
    [level, message, source, server]).sort(), [
    ['info', 'A source answers', 'alertmanager', url],
    ['info', 'A source answers', 'kubernetes', url],
    ['info', 'A source answers', 'loki', url],
    ['info', 'A source answers', 'prometheus', url],
    ['info', 'A source answers', 'prometheus', url],
  ]);
  assert.equal(all.requests.length, 5);
  assert.match(metrics, /^service_evidence_requests_total\{[^}]*"prometheus",outcome="ok"\} 2$/m);
});

test('probeSources() says which other program answers at a wrong address', async (t) => {
  const { url } = await startFakeSource(t, serving('/api/v2/alerts'));
  const { lines, metrics } = await probe({ PROMETHEUS_URL: url });
  const { time: _, ...line } = lines[0] ?? {};
  assert.deepEqual(line, {
    level: 'warn', message: 'A source is unavailable', component: 'sources',
    source: 'prometheus', server: url, outcome: 'not_found',
    detail: 'it answered 404: 404 page not found',
    hint: 'Alertmanager answers there: set PROMETHEUS_URL to the address of Prometheus.',
  });
  assert.doesNotMatch(metrics, /"alertmanager",outcome="[a-z_]+"\} [1-9]/, 'it was not asked');
});

const wrong: readonly [string, Answer, RegExp][] = [
  ['a wrong path prefix', serving(), /^Check the path prefix in LOKI_URL/],
  ['a login page', answering('<html>', { type: 'text/html' }), /^Check LOKI_URL: a login page/],
  ['a wrong token', answering('no', { status: 401 }), /^Check LOKI_TOKEN/],
  ['a broken connection', faults.reset, /^Check LOKI_URL, and that Loki is up/],
];
for (const [what, answer, hint] of wrong) {
  test(`probeSources() warns of ${what} and says what to check`, async (t) => {
    const { url } = await startFakeSource(t, answer);
    const { lines } = await probe({ LOKI_URL: url, LOKI_TOKEN: 'canary-0123456789' });
    assert.deepEqual(lines.map(({ level }) => level), ['warn']);
    assert.match(String(lines[0]?.['hint']), hint);
    assert.doesNotMatch(JSON.stringify(lines), /canary/);
  });
}

test('probeSources() ends with the service, and then logs nothing', async (t) => {
  const { url } = await startFakeSource(t, faults.silent);
  const stopped = new AbortController();
  const probed = probe({ PROMETHEUS_URL: url }, stopped);
  stopped.abort();
  assert.deepEqual((await probed).lines, []);
});

test('probeSources() does not wait for the sources of others', async (t) => {
  const { url } = await startFakeSource(t, serving('/api/v1/query'));
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const { lines } = await probe({ PROMETHEUS_URL: url, ALERTMANAGER_URL: nowhere });
  const levels = lines.map(({ level, source }) => `${String(source)} ${String(level)}`);
  assert.deepEqual(levels.sort(), ['alertmanager warn', 'prometheus info']);
});
