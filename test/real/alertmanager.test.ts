import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { eventually, freePort } from '../support/programs/programs.ts';
import {
  startAlertmanager, type Alertmanager, type PostedAlert,
} from '../support/programs/running-alertmanager.ts';
import { startAnalyst, type Analyst } from '../support/programs/running-analyst.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const token = 'token-of-the-test';

async function startService(
  t: TestContext,
  { port = 0, data }: { readonly port?: number; readonly data?: string } = {},
): Promise<Analyst> {
  const analyst = await startAnalyst({
    dataDirectory: data ?? temporaryDirectory(),
    port,
    env: { ACCESS_TOKEN: token },
  }, t);
  return analyst;
}

function nodeDown(instance: string, rest: Partial<PostedAlert> = {}): PostedAlert {
  return {
    labels: { alertname: 'NodeDown', severity: 'critical', job: 'node', instance },
    annotations: { summary: `Node ${instance} is down` },
    generatorURL: 'http://prometheus.example.com/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
    ...rest,
  };
}

async function fingerprintOf(alertmanager: Alertmanager, instance: string): Promise<string> {
  return await eventually(`Alertmanager to list ${instance}`, async () => {
    return (await alertmanager.fingerprints()).get(instance) ?? null;
  });
}

async function readReport(url: string, fingerprint: string): Promise<Report | null> {
  const response = await fetch(`${url}/report/${fingerprint}.json`);
  return response.status === 200 ? ((await response.json()) as Report) : null;
}

async function reportIn(url: string, fingerprint: string, status: string): Promise<Report> {
  return await eventually(`report ${fingerprint} to be ${status}`, async () => {
    const report = await readReport(url, fingerprint);
    return report?.status === status ? report : null;
  });
}

test('each alert of a group from Alertmanager gets a report, until it is resolved', async (t) => {
  const { url } = await startService(t);
  const alertmanager = await startAlertmanager(t, { analyst: url, token });
  const instances = ['node-1:9100', 'node-2:9100', 'node-3:9100'];
  await alertmanager.post(instances.map((instance) => nodeDown(instance)));
  const fingerprints: string[] = [];
  for (const instance of instances) {
    const fingerprint = await fingerprintOf(alertmanager, instance);
    fingerprints.push(fingerprint);
    const report = await reportIn(url, fingerprint, 'ready');
    assert.equal(report.alert.labels['instance'], instance);
    assert.equal(report.alert.receiver, 'alert-analyst');
    assert.equal(report.episode.state, 'firing');
    assert.equal(report.alert.group.listed, 3);
  }

  const endsAt = new Date().toISOString();
  await alertmanager.post(instances.map((instance) => nodeDown(instance, { endsAt })));
  for (const fingerprint of fingerprints) {
    const report = await reportIn(url, fingerprint, 'final');
    assert.equal(report.episode.state, 'resolved');
    assert.equal(report.episode.of, 1);
    assert.notEqual(report.resolution, null);
  }
  assert.equal((await alertmanager.notifications()).failed, 0);
});

test('a notification cut short by max_alerts says so in the reports', async (t) => {
  const { url } = await startService(t);
  const alertmanager = await startAlertmanager(t, { analyst: url, token, maxAlerts: 2 });
  await alertmanager.post(['a', 'b', 'c', 'd', 'e'].map((instance) => nodeDown(instance)));
  const fingerprint = await fingerprintOf(alertmanager, 'a');
  const report = await reportIn(url, fingerprint, 'ready');
  assert.deepEqual(report.alert.group, { listed: 2, truncated: 3 });
  const cutOff = await fingerprintOf(alertmanager, 'e');
  assert.equal((await fetch(`${url}/report/${cutOff}.json`)).status, 404);
});

test('text in any script arrives unchanged', async (t) => {
  const { url } = await startService(t);
  const alertmanager = await startAlertmanager(t, { analyst: url, token });
  const labels = {
    alertname: 'Überlast',
    instance: 'сервер-1:9100',
    city: '東京',
    emoji: '🔥',
    quoted: 'b: c=d,e="f"\n\\',
  };
  const annotations = { summary: 'Температура > 90 °C на <b>«сервер-1»</b>\u2028' };
  await alertmanager.post([{ labels, annotations }]);
  const fingerprint = await fingerprintOf(alertmanager, labels.instance);
  const report = await reportIn(url, fingerprint, 'ready');
  assert.deepEqual({ ...report.alert.labels }, labels);
  assert.deepEqual({ ...report.alert.annotations }, annotations);
  const page = await (
    await fetch(`${url}/report/${fingerprint}`, { headers: { accept: 'text/html' } })
  ).text();
  assert.match(page, /Überlast/);
  assert.ok(!page.includes('<b>«'), 'mark-up of an annotation is escaped');
});

test('a highly available pair opens one episode, whichever of the two delivers', async (t) => {
  const ports = [await freePort(), await freePort()] as const;
  const pair = await startPair(t, [
    { own: ports[0], other: ports[1] }, { own: ports[1], other: ports[0] },
  ]);
  await pair.expectOneEpisode((tried) => Math.max(...tried) > 0);
});

test('a pair without gossip opens one episode as well', async (t) => {
  const pair = await startPair(t, [undefined, undefined]);
  await pair.expectOneEpisode((tried) => Math.min(...tried) > 0);
});

type Cluster = { readonly own: number; readonly other: number } | undefined;

async function startPair(
  t: TestContext,
  clusters: readonly [Cluster, Cluster],
): Promise<{ expectOneEpisode(isDelivered: (tried: number[]) => boolean): Promise<void> }> {
  const { url } = await startService(t);
  const [one, other] = await Promise.all([start(clusters[0]), start(clusters[1])]);
  return { expectOneEpisode };

  function start(cluster: Cluster): ReturnType<typeof startAlertmanager> {
    return startAlertmanager(t, { analyst: url, token, ...(cluster && { cluster }) });
  }

  async function expectOneEpisode(isDelivered: (tried: number[]) => boolean): Promise<void> {
    // Prometheus posts to both, and each fills in startsAt by itself.
    await Promise.all([one.post([nodeDown('twin')]), other.post([nodeDown('twin')])]);
    await eventually('the pair to have delivered', async () => {
      const both = await Promise.all([one.notifications(), other.notifications()]);
      return isDelivered(both.map(({ tried }) => tried)) ? true : null;
    });
    const report = await reportIn(url, await fingerprintOf(one, 'twin'), 'ready');
    assert.deepEqual([report.episode.number, report.episode.of], [1, 1]);
    const over = nodeDown('twin', { endsAt: new Date().toISOString() });
    await Promise.all([one.post([over]), other.post([over])]);
    const ended = await reportIn(url, report.fingerprint, 'final');
    assert.equal(ended.episode.of, 1);
  }
}

test('nothing is lost when the service is killed while Alertmanager delivers', async (t) => {
  const data = temporaryDirectory();
  const port = await freePort();
  let analyst = await startService(t, { port, data });
  const alertmanager = await startAlertmanager(t, { analyst: analyst.url, token });
  const rounds = [1, 2, 3, 4];
  const instancesOf = (round: number): readonly string[] => [1, 2, 3].map((n) => `${round}-${n}`);
  for (const round of rounds) {
    await alertmanager.post(instancesOf(round).map((instance) => nodeDown(instance)));
    if (round % 2 === 1) await fetch(`${analyst.url}/health`);
    else await fingerprintOf(alertmanager, `${round}-1`);
    await analyst.program.stop('SIGKILL');
    analyst = await startService(t, { port, data });
  }
  for (const instance of rounds.flatMap(instancesOf)) {
    const fingerprint = await fingerprintOf(alertmanager, instance);
    const report = await reportIn(analyst.url, fingerprint, 'ready');
    assert.equal(report.episode.of, 1);
  }
});
