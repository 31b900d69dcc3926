import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { reportOn } from '../../scripts/ranking/reported-case.ts';
import type { Report } from '../../src/report/report.ts';
import { freePort } from '../support/programs/programs.ts';
import { startAnalyst, unlimited } from '../support/programs/running-analyst.ts';
import { startPrometheus } from '../support/programs/running-prometheus.ts';
import { startFakeSource } from '../support/sources/fake-source.ts';
import { alertOfMany, manySeries } from '../support/sources/many-series.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const nowSeconds = Math.floor(Date.now() / 60_000) * 60;
const moment = { onsetSeconds: nowSeconds - 480, nowSeconds };
const alert = alertOfMany('shop', moment);
const withinSeconds = 4;

interface Asked {
  /** Called once the service is running, before the alert is posted. */
  readonly before?: () => void | Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
}

async function reportBehind(
  t: TestContext,
  prometheus: string,
  { before, env = {} }: Asked = {},
): Promise<Report> {
  const analyst = await startAnalyst({
    dataDirectory: temporaryDirectory(),
    env: { ...unlimited, PROMETHEUS_URL: prometheus, ...env },
  }, t);
  await before?.();
  const { report, seconds } = await reportOn(alert, { analyst: analyst.url, prometheus });
  t.diagnostic(`${seconds.toFixed(2)} s`);
  assert.ok(seconds < withinSeconds, `${seconds} s`);
  return report;
}

/** Asserts that the report says what is missing, and which setting to check. */
function assertSaysSo(report: Report, setting: RegExp): void {
  assert.equal(report.status, 'ready');
  const source = report.provenance.sources.find(({ name }) => name === 'prometheus');
  assert.equal(source?.state, 'failed');
  const hints = report.unknowns.map(({ what, why, how_to_get }) => `${what} ${why} ${how_to_get}`);
  assert.match(hints.join('\n'), setting);
  const failed = report.evidence.filter((item) => item.source === 'prometheus');
  assert.ok(failed.some(({ state, error }) => state === 'failed' && error !== null));
  assert.deepEqual(report.changes, []);
}

test('a report does not wait for a Prometheus that is frozen', async (t) => {
  const many = { namespace: 'shop', count: 50, historySteps: 30 };
  const { url, program } = await startPrometheus(t, { samples: manySeries(many, moment) });
  const report = await reportBehind(t, url, {
    before: () => void process.kill(program.pid, 'SIGSTOP'),
  }).finally(() => process.kill(program.pid, 'SIGCONT'));
  assertSaysSo(report, /PROMETHEUS_(URL|TIMEOUT_SECONDS)/);
});

test('a report is made without a Prometheus that was killed', async (t) => {
  const many = { namespace: 'shop', count: 50, historySteps: 30 };
  const { url, program } = await startPrometheus(t, { samples: manySeries(many, moment) });
  const report = await reportBehind(t, url, { before: () => program.stop('SIGKILL') });
  assertSaysSo(report, /PROMETHEUS_URL/);
});

test('a report is made without a Prometheus that never existed', async (t) => {
  const report = await reportBehind(t, `http://127.0.0.1:${await freePort()}`);
  assertSaysSo(report, /PROMETHEUS_URL/);
});

test('a report says that Prometheus refuses the token, without showing it', async (t) => {
  const { url, requests } = await startFakeSource(t, (response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no');
  });
  const report = await reportBehind(t, url, { env: { PROMETHEUS_TOKEN: 'a-wrong-one-9142' } });
  assert.equal(requests[0]?.headers.authorization, 'Bearer a-wrong-one-9142');
  assertSaysSo(report, /PROMETHEUS_TOKEN/);
  assert.ok(!JSON.stringify(report).includes('a-wrong-one-9142'));
});

test('a report says when something other than Prometheus answers', async (t) => {
  const answers: readonly ((response: ServerResponse) => void)[] = [
    (response) => void response.writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Sign in</title>'),
    (response) => void response.writeHead(302, { location: 'https://login.example/' }).end(),
    (response) => void response.writeHead(404).end('no such page'),
    (response) => void response.socket?.destroy(),
  ];
  for (const answer of answers) {
    const { url } = await startFakeSource(t, answer);
    assertSaysSo(await reportBehind(t, url), /PROMETHEUS_URL/);
  }
});

test('a report is made without a Prometheus that is overloaded', async (t) => {
  const { url } = await startFakeSource(t, (response) => {
    response.writeHead(503, { 'retry-after': '60' }).end('later');
  });
  assertSaysSo(await reportBehind(t, url), /503/);
});
