import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { parseNotification } from '../../src/alert/notification.ts';
import { notificationsOf } from '../../src/commands/analyze-now.ts';
import type { Report } from '../../src/report/report.ts';
import type { FiringAlert } from '../../src/sources/firing-alerts.ts';
import {
  answering, recorded, startFakeSource, type Answer,
} from '../support/sources/fake-source.ts';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function analyzeNow(
  args: readonly string[], env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const main = join(process.cwd(), 'dist', 'main.js');
  const child = spawn(process.execPath, [main, 'analyze', '--now', ...args], { env });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, stdout, stderr };
}

/** A server that answers at these paths as recorded, and 404 anywhere else. */
function server(answers: Readonly<Record<string, string | Buffer>>): Answer {
  return (response, request, asked) => {
    const found = answers[asked.path];
    if (found === undefined) response.writeHead(404).end();
    else answering(found)(response, request, asked);
  };
}

const am = { '/api/v2/alerts': recorded('am-alerts') };

test('analyze --now reports on what fires at an Alertmanager', async (t) => {
  const { url } = await startFakeSource(t, server(am));
  const { code, stdout, stderr } = await analyzeNow([url, '--json']);
  assert.equal(code, 0, stderr);
  const reports = JSON.parse(stdout) as Report[];
  assert.deepEqual(reports.map(({ alert }) => alert.name), ['TargetDown']);
  assert.match(stderr, /\b1 alert\b.*silenced/);
  assert.match(stderr, /PROMETHEUS_URL/);
  const links = reports[0]?.alert.links.map((link) => link.url) ?? [];
  assert.ok(links.some((link) => link.startsWith(`${url}/#/silences/new`)), links.join());
});

test('analyze --now reads the evidence from the Prometheus where it fires', async (t) => {
  const { url, requests } = await startFakeSource(t, server({
    '/api/v1/rules': recorded('prom-rules-all'), '/api/v1/query': recorded('prom-query-vector'),
  }));
  const { code, stdout } = await analyzeNow([url, '--json']);
  assert.equal(code, 0);
  const names = (JSON.parse(stdout) as Report[]).map(({ alert }) => alert.name);
  assert.deepEqual(names, ['TargetDown', 'HighScrapeDuration']);
  assert.ok(requests.some(({ path }) => path === '/api/v1/query'));
});

test('analyze --now asks the servers of the settings, with their credentials', async (t) => {
  const { url, requests } = await startFakeSource(t, server(am));
  const env = { ALERTMANAGER_URL: url, ALERTMANAGER_TOKEN: 'token-of-alertmanager' };
  for (const args of [[], [url]]) {
    const { code } = await analyzeNow(args, env);
    assert.equal(code, 0);
  }
  const sent = requests.map(({ headers }) => headers.authorization);
  assert.deepEqual(new Set(sent), new Set(['Bearer token-of-alertmanager']));
});

test('analyze --now sends the credentials of the settings nowhere else', async (t) => {
  const { url, requests } = await startFakeSource(t, server(am));
  const { code } = await analyzeNow([url], {
    ALERTMANAGER_URL: 'http://127.0.0.1:9', ALERTMANAGER_TOKEN: 'token-of-alertmanager',
  });
  assert.equal(code, 0);
  assert.deepEqual(new Set(requests.map(({ headers }) => headers.authorization)),
    new Set([undefined]));
});

test('analyze --now takes the address of a page, or a host and port', async (t) => {
  const { url } = await startFakeSource(t, server(am));
  const page = `${url}/#/alerts?silenced=true`;
  for (const given of [page, `${url}/alerts`, url.replace('http://', '')]) {
    const { code, stderr } = await analyzeNow([given, '--json']);
    assert.equal(code, 0, stderr);
  }
});

test('analyze --now says so where nothing fires', async (t) => {
  const { url } = await startFakeSource(t, server({ '/api/v2/alerts': '[]' }));
  const { code, stdout, stderr } = await analyzeNow([url, '--json']);
  assert.deepEqual([code, JSON.parse(stdout)], [0, []]);
  assert.ok(stderr.includes(`Nothing fires at ${url}`), stderr);
});

test('analyze --now says what is wrong with an address', async (t) => {
  const { url: other } = await startFakeSource(t, answering('<!doctype html><p>Hello'));
  for (const [args, env, code, why] of [
    [[], {}, 2, /needs the address/],
    [['http://'], {}, 2, /the address must be/],
    [['http://127.0.0.1:9'], {}, 1, /127\.0\.0\.1:9\b/],
    [[other], {}, 1, /Neither an Alertmanager nor a Prometheus/],
    [[], { ALERTMANAGER_URL: other }, 1, /Neither an Alertmanager nor a Prometheus/],
  ] as const) {
    const ended = await analyzeNow(args, env);
    assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr);
    assert.match(ended.stderr, why);
  }
});

const access = {
  urls: ['http://a'], token: null, login: null, headers: [], ca: null, timeoutMs: 1,
};

function firing(name: string, severity: string, startsAt: string): FiringAlert {
  return {
    status: 'firing', labels: { alertname: name, severity, instance: startsAt }, annotations: {},
    startsAt, generatorURL: '',
  };
}

test('notificationsOf() keeps the most severe of too many alerts, the newest first', () => {
  const alerts = Array.from({ length: 60 }, (_, index) => firing(
    index < 10 ? 'Mild' : 'Bad', index < 10 ? 'warning' : 'critical',
    new Date(Date.parse('2026-11-20T10:00:00Z') + index * 1000).toISOString()));
  const { bodies, notes } = notificationsOf([
    { kind: 'alertmanager', access, alerts, suppressed: 0, hasRules: true },
  ]);
  const [notification, ...others] = bodies.map((body) =>
    parseNotification(JSON.parse(body.toString()), 0));
  assert.deepEqual(others, []);
  assert.equal(notification?.alerts.length, 50);
  assert.equal(notification.alerts[0]?.startsAt, '2026-11-20T10:00:59.000Z');
  assert.deepEqual(notification.group.groupLabels, { alertname: 'Bad' });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? '', /^60 alerts/);
});

test('notificationsOf() says how many alerts of the same name are left out', () => {
  const alerts = Array.from({ length: 70 }, (_, index) => firing('Bad', 'critical',
    new Date(Date.parse('2026-11-20T10:00:00Z') + index * 1000).toISOString()));
  const { bodies } = notificationsOf([
    { kind: 'prometheus', access, alerts, suppressed: 0, hasRules: true },
  ]);
  const { group } = parseNotification(JSON.parse(String(bodies[0])), 0);
  assert.deepEqual([group.listed, group.truncated, group.externalURL], [50, 20, '']);
});
