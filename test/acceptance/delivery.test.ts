import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { listenLocally } from '../support/http/local-server.ts';
import { eventually } from '../support/programs/programs.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Receiver {
  readonly url: string;
  readonly posted: { readonly path: string; readonly body: string }[];
  /** Statuses of its next answers; after these it answers 200. */
  readonly refusals: number[];
}

async function startReceiver(t: TestContext): Promise<Receiver> {
  const posted: Receiver['posted'] = [];
  const refusals: number[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push({ path: request.url ?? '', body });
      response.writeHead(refusals.shift() ?? 200).end(`POST ${request.url}`);
    });
  });
  return { url: await listenLocally(t, server), posted, refusals };
}

const secretPath = '/services/T0/B0/secret-of-the-chat';

function settingsFor({ url }: Receiver): Readonly<Record<string, string>> {
  return { DELIVER_WEBHOOK_URL: `${url}/reports`, DELIVER_SLACK_URL: `${url}${secretPath}` };
}

const alert = {
  status: 'firing', fingerprint: 'aaaa0001', startsAt: '2026-11-20T10:00:00Z',
  labels: { alertname: 'PoolFull', severity: 'critical', namespace: 'shop' },
  annotations: { summary: 'The pool holds 198 of 200 connections' },
};

async function posts(receiver: Receiver, path: string, count: number): Promise<string[]> {
  return eventually(`${count} posts to ${path}`, () => {
    const bodies = receiver.posted.filter((post) => post.path === path).map(({ body }) => body);
    return bodies.length >= count ? bodies : null;
  }, { withinMs: 60_000 });
}

test('a report is posted as JSON and to the chat, and so is the end of the alert', async (t) => {
  const receiver = await startReceiver(t);
  const service = await startTestService(t, temporaryDirectory(), settingsFor(receiver));
  await service.post([alert]);
  const stored = await service.finished('aaaa0001');
  const [report = ''] = await posts(receiver, '/reports', 1);
  assert.deepEqual((JSON.parse(report) as Report).verdict, stored.verdict);
  const [told = ''] = await posts(receiver, secretPath, 1);
  assert.match(told, new RegExp(`◆ \\*<${service.url}/report/aaaa0001/1\\|PoolFull>\\* critical`));
  await service.post([{ ...alert, status: 'resolved', endsAt: new Date().toISOString() }], {
    status: 'resolved',
  });
  const [, end = ''] = await posts(receiver, secretPath, 2);
  assert.match(end, /✓ \*<[^>]+>\* ended after/);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  assert.match(metrics, /service_deliveries_total\{to="webhook",outcome="delivered"\} [2-9]/);
  assert.match(metrics, /service_deliveries_waiting\{to="slack"\} 0/);
});

test('a refused delivery is retried, and nothing shows the receiver\'s address', async (t) => {
  const receiver = await startReceiver(t);
  receiver.refusals.push(503, 429);
  const service = await startTestService(t, temporaryDirectory(), {
    DELIVER_SLACK_URL: `${receiver.url}${secretPath}`,
  });
  await service.post([alert]);
  const [first, , third] = await posts(receiver, secretPath, 3);
  assert.equal(first, third);
  await eventually('the line that it is well again', () => {
    return service.log.some((line) => line.includes('Reports are delivered again')) || null;
  });
  const log = service.log.join('\n');
  assert.match(log, /Cannot deliver.*DELIVER_SLACK_URL.*it answered 503: POST \*\*\*/);
  assert.ok(!log.includes('secret-of-the-chat'), log);
  assert.ok(!JSON.stringify(await service.report('aaaa0001')).includes('secret-of-the-chat'));
});

test('after a restart the chat gets the end of an alert, and nothing twice', async (t) => {
  const receiver = await startReceiver(t);
  const directory = temporaryDirectory();
  const settings = { ...settingsFor(receiver), DEDUP_WINDOW_SECONDS: '0' };
  const before = await startTestService(t, directory, settings);
  await before.post([alert]);
  await posts(receiver, secretPath, 1);
  await before.service.stop();
  const service = await startTestService(t, directory, settings);
  // A repeat is analysed anew: its report is stored again, and nothing of it is news.
  await service.post([{ ...alert, annotations: { summary: 'Still full' } }]);
  await posts(receiver, '/reports', 2);
  await service.post([{ ...alert, status: 'resolved', endsAt: new Date().toISOString() }], {
    status: 'resolved',
  });
  const told = await posts(receiver, secretPath, 2);
  assert.deepEqual(told.map((body) => /ended after/.test(body)), [false, true]);
});

test('the chat is not told again of an alert whose incident was merged into another', async (t) => {
  const receiver = await startReceiver(t);
  const settings = { ...settingsFor(receiver), DEDUP_WINDOW_SECONDS: '0' };
  const service = await startTestService(t, temporaryDirectory(), settings);
  const about = (alertname: string, severity: string, labels: object) => ({
    status: 'firing', startsAt: alert.startsAt, fingerprint: alertname, annotations: {},
    labels: { alertname, severity, ...labels },
  });
  const worst = about('Worst', 'critical', { instance: 'i2', service: 's2' });
  await service.post([about('First', 'warning', { instance: 'i1', service: 's1' })]);
  await posts(receiver, secretPath, 1);
  await service.post([worst]);
  await posts(receiver, secretPath, 2);
  await service.post([about('Link', 'warning', { instance: 'i1', service: 's2' })]);
  await posts(receiver, '/reports', 3);
  assert.equal((await service.report('Worst')).incident?.members.length, 3);
  await service.post([{ ...worst, annotations: { summary: 'Still' } }]);
  await posts(receiver, '/reports', 4);
  await service.post([about('Other', 'critical', { instance: 'i9', service: 's9' })]);
  const told = await posts(receiver, secretPath, 3);
  assert.deepEqual(told.map((body) => /\|(\w+)>/.exec(body)?.[1]), ['First', 'Worst', 'Other']);
});

test('of many incidents the chat is told of five, then of all others at once', async (t) => {
  const receiver = await startReceiver(t);
  const service = await startTestService(t, temporaryDirectory(), settingsFor(receiver));
  const severities = [...Array<string>(8).fill('info'), 'critical', 'critical'];
  for (const [n, severity] of severities.entries()) {
    const labels = { alertname: `Alert${n}`, severity, instance: `i${n}`, service: `s${n}` };
    await service.post([{
      status: 'firing', startsAt: alert.startsAt, fingerprint: `a${n}`, annotations: {}, labels,
    }]);
  }
  await posts(receiver, '/reports', severities.length);
  const told = (await posts(receiver, secretPath, 6)).map((body) =>
    String((JSON.parse(body) as { text: unknown }).text));
  const begins = /^(?:News of 5 more incidents: ■ 5 info|[◆■])/u;
  assert.deepEqual(told.map((text) => begins.exec(text)?.[0]),
    ['■', '◆', '◆', '■', '■', 'News of 5 more incidents: ■ 5 info']);
  assert.match(told[5] ?? '', new RegExp(`<${service.url}/\\|All reports>`));
});
