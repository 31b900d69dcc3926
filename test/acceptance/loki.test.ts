import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { eventually, freePort } from '../support/programs/programs.ts';
import { startTestService, type RunningService } from '../support/programs/running-service.ts';
import { fakeLoki, type LoggedStream } from '../support/sources/fake-loki.ts';
import { startFakeSource } from '../support/sources/fake-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const labels = { alertname: 'HighErrors', namespace: 'shop', pod: 'cart-1' };

/** Two hours of requests, and nine minutes of errors whose text is HTML. */
function cartLog(now: number): LoggedStream {
  const served = Array.from({ length: 720 }, (_, index) =>
    [now - (720 - index) * 10_000, `GET /cart/${index} 200`] as const);
  const failed = Array.from({ length: 54 }, (_, index) =>
    [now - (54 - index) * 10_000, `ERROR <img src=x onerror=run(${index})> key refused`] as const);
  return { labels: { namespace: 'shop', pod: 'cart-1' }, lines: [...served, ...failed] };
}

async function analysed(service: RunningService): Promise<Report> {
  const alert = { labels, fingerprint: 'cart', startsAt: new Date().toISOString() };
  assert.equal((await service.post([alert])).status, 200);
  const report = await service.finished('cart');
  assertCompleteReport(report);
  return report;
}

test('the alert\'s own log is read, and the page says what is new in it', async (t) => {
  const source = await startFakeSource(t, fakeLoki([cartLog(Date.now())]));
  const service = await startTestService(t, temporaryDirectory(), {
    LOKI_URL: `${source.url}/prefix/`, LOKI_TOKEN: 'canary-loki',
    LOKI_HEADERS: 'X-Scope-OrgID: a|b',
  });
  const report = await analysed(service);
  const texts = report.findings.map(({ text }) => text);
  const said = texts.find((text) => text.startsWith('The log of pod cart-1 says '));
  assert.ok(said?.includes('"<img src=x onerror=run(…)> key refused"'), texts.join('\n'));
  assert.equal(report.provenance.sources.find(({ name }) => name === 'loki')?.state, 'ok');
  for (const { path, headers } of source.requests) {
    assert.match(path, /^\/prefix\/loki\/api\/v1\/(?:series|query_range)$/);
    assert.equal(headers.authorization, 'Bearer canary-loki');
    assert.equal(headers['x-scope-orgid'], 'a|b');
  }
  const get = async (path: string): Promise<string> => {
    return (await fetch(service.url + path, { headers: { Accept: 'text/html' } })).text();
  };
  const page = await get('/report/cart');
  assert.ok(page.includes('onerror=run(') && !page.includes('<img'));
  await eventually('five queries of the report and one at start to be counted', async () =>
    (/\bsource="loki",outcome="ok"\} 6\n/u.test(await get('/metrics')) ? true : null));
});

test('a report does not show the secrets of the service that stand in a log', async (t) => {
  const { labels: of, lines } = cartLog(Date.now());
  const leak = 'login with canary-loki for acme from opaque-canary';
  const leaking = lines.map(([at, line]) => [at, line.replace(/<img.*> key/, leak)] as const);
  const source = await startFakeSource(t, fakeLoki([{ labels: of, lines: leaking }]));
  const service = await startTestService(t, temporaryDirectory(), {
    LOKI_URL: source.url, LOKI_TOKEN: 'canary-loki', LOKI_HEADERS: 'X-Scope-OrgID: acme',
    PROMETHEUS_URL: `http://127.0.0.1:${await freePort()}`,
    PROMETHEUS_HEADERS: 'Authorization: Bearer opaque-canary',
  });
  const report = await analysed(service);
  const shown = JSON.stringify(report);
  assert.ok(shown.includes('login with [secret-2] for acme from [secret-1] refused'), shown);
  assert.ok(!shown.includes('canary'), shown);
});

test('without a reachable Loki the report says what is missing', async (t) => {
  const port = await freePort();
  const service = await startTestService(t, temporaryDirectory(), {
    LOKI_URL: `http://127.0.0.1:${port}`,
  });
  const report = await analysed(service);
  assert.equal(report.provenance.sources.find(({ name }) => name === 'loki')?.state, 'failed');
  const [awaited, unknown] = report.unknowns.filter(({ why }) => why.includes('Loki'));
  assert.match(awaited?.how_to_get ?? '', /^Wait for the next query at /);
  assert.match(unknown?.why ?? '', /^Cannot read from Loki: the connection was refused\.$/);
  assert.match(unknown?.how_to_get ?? '', /^Check LOKI_URL/);
});
