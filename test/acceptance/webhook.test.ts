import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertCompleteReport } from '../support/complete-report.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const payloads = join(process.cwd(), 'test', 'fixtures', 'payloads');
const captured = ['alertmanager-0.25.0', 'alertmanager-0.33.1'].flatMap((folder) =>
  readdirSync(join(payloads, folder)).map((name) => join(folder, name)));

interface Answer {
  readonly status: string;
  readonly message: string;
  readonly report_urls: readonly { fingerprint: string; report_url: string }[];
}

const running = forAllTests((cleanup) => startTestService(cleanup, temporaryDirectory()));

test('every captured notification of Alertmanager leads to reports', async () => {
  const { url, finished } = running();
  assert.ok(captured.length >= 19);
  for (const name of captured) {
    const body = readFileSync(join(payloads, name));
    const sent = JSON.parse(body.toString()) as { alerts: { fingerprint: string }[] };
    const response = await fetch(`${url}/webhook`, { method: 'POST', body });
    assert.equal(response.status, 200, name);
    const answer = (await response.json()) as Answer;
    assert.deepEqual(Object.keys(answer), ['status', 'message', 'report_urls']);
    assert.equal(answer.message, 'Alerts queued for analysis');
    assert.deepEqual(
      answer.report_urls.map(({ fingerprint }) => fingerprint),
      sent.alerts.map(({ fingerprint }) => fingerprint),
    );
    for (const { fingerprint, report_url } of answer.report_urls) {
      assert.equal(report_url, `${url}/report/${fingerprint}`);
      const report = await finished(fingerprint);
      assertCompleteReport(report);
      assert.match(report.status, /^(ready|final)$/, name);
    }
  }
});

test('a complete report exists in every format as soon as the 200 is sent', async () => {
  const { url, post, report } = running();
  const response = await post([{ labels: { alertname: 'JustNow', namespace: 'shop' } }]);
  const { report_urls } = (await response.json()) as Answer;
  const { fingerprint = '', report_url = '' } = report_urls[0] ?? {};
  assertCompleteReport(await report(fingerprint));
  const forms: readonly [string, string, RegExp][] = [
    [report_url, 'text/html', /^text\/html/],
    [`${report_url}/1`, 'text/html', /^text\/html/],
    [`${report_url}.json`, '*/*', /^application\/json/],
    [`${report_url}/1.md`, '*/*', /^text\/markdown/],
    [report_url, 'text/markdown', /^text\/markdown/],
    [`${url}/`, 'text/html', /^text\/html/],
  ];
  for (const [address, accept, type] of forms) {
    const found = await fetch(address, { headers: { Accept: accept } });
    assert.equal(found.status, 200, address);
    assert.match(found.headers.get('content-type') ?? '', type);
    assert.match(await found.text(), /JustNow/);
  }
});

test('firing, resolved, firing within a minute is two episodes with two reports', async () => {
  const { post, finished, until } = running();
  const alert = { labels: { alertname: 'Flips' }, fingerprint: 'flips' };
  await post([{ ...alert, startsAt: '2026-11-20T10:00:00Z' }]);
  await finished('flips');
  const endsAt = '2026-11-20T10:00:20Z';
  await post([{ ...alert, status: 'resolved', startsAt: '2026-11-20T10:00:00Z', endsAt }]);
  const closed = await until('flips', ({ status }) => status === 'final');
  assert.equal(closed.episode.state, 'resolved');
  assert.equal(closed.resolution?.duration_seconds, 20);
  await post([{ ...alert, startsAt: '2026-11-20T10:00:40Z' }]);
  const second = await until('flips', ({ episode, status }) =>
    episode.number === 2 && status === 'ready');
  assert.equal(second.episode.of, 2);
  const first = await finished('flips/1');
  assert.deepEqual([first.episode.number, first.episode.of, first.status], [1, 2, 'final']);
});

test('an invalid body is refused with 400 and leaves nothing behind', async (t) => {
  const { url, report } = await startTestService(t, temporaryDirectory());
  const bodies = ['', '{', '[]', '{}', '{"alerts":null}', '{"alerts":[{}]}', '"x"', '\u{feff}{}'];
  for (const body of bodies) {
    const response = await fetch(`${url}/webhook`, { method: 'POST', body });
    assert.equal(response.status, 400, body);
    assert.deepEqual(await response.json(), { detail: 'Invalid alert format' });
  }
  await assert.rejects(report('nothing'), /404/);
  const health = await (await fetch(`${url}/health`)).json();
  assert.deepEqual(health, {
    status: 'healthy', webhook_endpoint: 'available', ai_service: 'connected', queue_size: 0,
  });
});

test('ten thousand alerts in one notification all get a link', async (t) => {
  const { post, url } = await startTestService(t, temporaryDirectory());
  const alerts = Array.from({ length: 10_000 }, (_, index) => ({
    labels: { alertname: 'Storm', instance: `host-${index}`, severity: 'warning' },
  }));
  const response = await post(alerts);
  assert.equal(response.status, 200);
  const { report_urls } = (await response.json()) as Answer;
  assert.equal(new Set(report_urls.map(({ fingerprint }) => fingerprint)).size, 10_000);
  const full = await post([{ labels: { alertname: 'OneMore' } }]);
  assert.equal(full.status, 503, 'the queue is full until some are analysed');
  assert.deepEqual(await full.json(), { detail: 'Queue is full' });
  const page = await fetch(`${url}/`, { headers: { Accept: 'text/html' } });
  assert.equal(page.status, 200);
});
