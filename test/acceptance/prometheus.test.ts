import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import {
  assertInTime, startTestService, type RunningService,
} from '../support/programs/running-service.ts';
import { faults, startFakeSource, type Answer } from '../support/sources/fake-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const token = 'canary-prometheus-token-0123';
const readyWithinMs = 6_000;
/** The service waits 2.5 s for sources; the rest is for a busy machine. */
const readyWithoutAnswerMs = 8_000;

const labels = { alertname: 'HighLatency', namespace: 'shop', instance: 'a:80' };
const alert = {
  generatorURL: `http://p/graph?g0.expr=${encodeURIComponent('latency_seconds > 1')}`,
};

const nothing: Readonly<Record<string, unknown>> = {
  '/api/v1/query': { resultType: 'vector', result: [] },
  '/api/v1/query_range': { resultType: 'matrix', result: [] },
  '/api/v1/series': [],
  '/api/v1/rules': { groups: [] },
  '/api/v1/alerts': { alerts: [] },
  '/api/v1/metadata': {},
  '/api/v1/status/buildinfo': { version: '3.5.0' },
};

/** A Prometheus without any data, and an Alertmanager without alerts, at the same address. */
const emptySource: Answer = (response, request) => {
  const { pathname } = new URL(request.url ?? '/', 'http://source');
  response.writeHead(pathname in nothing || pathname.startsWith('/api/v2/') ? 200 : 404, {
    'content-type': 'application/json',
  });
  response.end(JSON.stringify(pathname.startsWith('/api/v2/') ? [] : {
    status: 'success', data: nothing[pathname],
  }));
};

/** Posts the alert, and returns its report and how long that took after the answer. */
async function analysed(
  service: RunningService,
  of = labels,
): Promise<{ report: Report; ms: number }> {
  const startsAt = new Date().toISOString();
  const response = await service.post([
    { ...alert, labels: of, fingerprint: of.alertname, startsAt },
  ]);
  assert.equal(response.status, 200);
  const answeredAt = performance.now();
  const report = await service.finished(of.alertname);
  assertCompleteReport(report);
  assert.equal(report.status, 'ready');
  return { report, ms: performance.now() - answeredAt };
}

function stateOf(report: Report, name: string): string | undefined {
  return report.provenance.sources.find((source) => source.name === name)?.state;
}

async function pageOf({ url }: RunningService, { fingerprint }: Report): Promise<string> {
  return (await fetch(`${url}/report/${fingerprint}`, { headers: { Accept: 'text/html' } })).text();
}

test('Prometheus and Alertmanager are queried, and the report says so', async (t) => {
  const source = await startFakeSource(t, emptySource);
  const service = await startTestService(t, temporaryDirectory(), {
    PROMETHEUS_URL: `${source.url}/`, PROMETHEUS_TOKEN: token, ALERTMANAGER_URL: source.url,
  });
  const { report, ms } = await analysed(service);
  await assertInTime(t, ms, readyWithinMs);
  assert.ok(source.requests.length > 2);
  for (const { path, headers } of source.requests) {
    const expected = path.startsWith('/api/v1/') ? `Bearer ${token}` : undefined;
    assert.equal(headers.authorization, expected, path);
  }
  assert.notEqual(stateOf(report, 'prometheus'), 'not_configured');
  assert.equal(stateOf(report, 'alertmanager'), 'ok');
  const asked = report.provenance.sources.find(({ name }) => name === 'prometheus');
  assert.ok(asked !== undefined && asked.queries > 0);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  for (const name of ['prometheus', 'alertmanager']) {
    const label = `service_evidence_requests_total{source="${name}",outcome="ok"}`;
    assert.match(metrics, new RegExp(`^${label.replace(/[{}]/g, '\\$&')} [1-9]`, 'm'));
  }
  const page = await pageOf(service, report);
  assert.match(page, /Prometheus/);
  for (const text of [page, JSON.stringify(report), metrics, ...service.log]) {
    assert.ok(!text.includes('canary'));
  }
});

test('metrics tell which of a pair of servers fails, and what is stored', async (t) => {
  const source = await startFakeSource(t, emptySource);
  const broken = await startFakeSource(t, faults.reset);
  const service = await startTestService(t, temporaryDirectory(), {
    PROMETHEUS_URL: `${broken.url},${source.url}`,
  });
  await analysed(service);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const count = (url: string, outcome: string): number => {
    const series = `service_evidence_server_requests_total{server="${url}",outcome="${outcome}"} `;
    return Number(metrics.split(series)[1]?.split('\n')[0]);
  };
  assert.equal(count(broken.url, 'ok'), 0);
  assert.ok(count(broken.url, 'connection') > 0);
  assert.ok(count(source.url, 'ok') > 0);
  assert.equal(count(source.url, 'connection'), 0);
  assert.match(metrics, /^service_stored_bytes\{part="journal"\} [1-9]\d{3}/m);
  assert.match(metrics, /^service_stored_bytes\{part="recordings"\} \d/m);
});

const troubles: readonly (readonly [string, Answer, RegExp])[] = [
  ['hangs up', faults.reset, /(Check|at) (PROMETHEUS|ALERTMANAGER)_URL/],
  ['never answers', faults.silent, /within the 2\.5 s|Check the load/],
  ['drips its answers', faults.drip, /within the 2\.5 s|Check the load/],
  ['answers with errors', (response) => response.writeHead(500).end('broken'), /Check the log/],
  ['answers with a login page', (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  }, /_URL: a login page/],
];

let answer: Answer = emptySource;
const troubled = forAllTests(async (cleanup) => {
  const source = await startFakeSource(cleanup, (...asked) => answer(...asked));
  const service = await startTestService(cleanup, temporaryDirectory(), {
    PROMETHEUS_URL: source.url, ALERTMANAGER_URL: source.url,
  });
  return { source, service };
});

for (const [index, [name, troubling, expected]] of troubles.entries()) {
  test(`a source that ${name} delays the report by seconds at most, which says so`, async (t) => {
    answer = troubling;
    const { source, service } = troubled();
    // Other names than before, so that no answer is known.
    const { report, ms } = await analysed(service, {
      alertname: `Slow${index}`, namespace: `shop${index}`, instance: `${index}:80`,
    });
    await assertInTime(t, ms, readyWithoutAnswerMs);
    const told = [
      ...report.unknowns.map(({ why, how_to_get }) => `${why} ${how_to_get}`),
      ...report.evidence.map(({ summary }) => summary),
    ];
    for (const [asked, title] of [
      ['prometheus', 'Prometheus'], ['alertmanager', 'Alertmanager'],
    ] as const) {
      assert.equal(stateOf(report, asked), 'failed', asked);
      assert.ok(told.some((text) => text.includes(title) && expected.test(text)), told.join('\n'));
    }
    assert.match(await pageOf(service, report), expected);
    await source.quiet();
  });
}

test('the alerts of a group share queries', async (t) => {
  const source = await startFakeSource(t, emptySource);
  const service = await startTestService(t, temporaryDirectory(), {
    ALERTMANAGER_URL: source.url, WORKERS: '1',
  });
  const alerts = Array.from({ length: 50 }, (_, index) => ({
    labels: { alertname: 'Down', namespace: 'shop', instance: `host-${index}` },
    fingerprint: `host${index}`,
  }));
  await service.post(alerts, { groupKey: '{}:{alertname="Down"}' });
  for (const { fingerprint } of alerts) await service.finished(fingerprint);
  const shared = source.requests.filter(({ parameters }) => {
    return parameters.getAll('filter').join() === 'namespace="shop"';
  });
  assert.equal(shared.length, 1);
});

test('queries use a new token after its file has changed', async (t) => {
  const source = await startFakeSource(t, emptySource);
  const directory = temporaryDirectory();
  const file = join(directory, 'token');
  writeFileSync(file, 'first-token-0123456789');
  const service = await startTestService(t, directory, {
    ALERTMANAGER_URL: source.url, ALERTMANAGER_TOKEN_FILE: file,
  });
  await analysed(service);
  const before = source.requests.length;
  assert.equal(source.requests[0]?.headers.authorization, 'Bearer first-token-0123456789');
  writeFileSync(file, 'second-token-0123456789');
  await service.service.reload();
  await service.post([{ labels: { alertname: 'Another' }, fingerprint: 'another' }]);
  await service.finished('another');
  const later = source.requests.slice(before).map(({ headers }) => headers.authorization);
  assert.deepEqual(new Set(later), new Set(['Bearer second-token-0123456789']));
});
