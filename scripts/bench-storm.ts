/**
 * How long an alert waits for its report that comes in the middle of somebody else's storm: 1000
 * alerts of one rule in 20 notifications, then one of another rule and of the same severity.
 *
 *   npx tsx scripts/bench-storm.ts [--alerts 1000] [--notifications 20] [--rounds 3]
 *       [--slow-ms 200] [--main dist/main.js] [--dir FOLDER]
 *
 * Without any source, and with a Prometheus that takes --slow-ms for each answer. Nothing is
 * asserted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withCleanup } from '../test/support/cleanup.ts';
import { listenLocally } from '../test/support/http/local-server.ts';
import { postNotification } from '../test/support/http/post-notification.ts';
import { eventually } from '../test/support/programs/programs.ts';
import { startAnalyst, unlimited } from '../test/support/programs/running-analyst.ts';
import { seenRequest } from '../test/support/sources/fake-source.ts';
import { talkativeSource } from '../test/support/sources/talkative-prometheus.ts';
import { machine, median } from './bench/figures.ts';
import { scriptOptions } from './script-options.ts';

const values = scriptOptions(import.meta.url, {
  alerts: { type: 'number', default: 1_000 },
  notifications: { type: 'number', default: 20 },
  rounds: { type: 'number', default: 3 },
  'slow-ms': { type: 'number', default: 200 },
  main: { type: 'string' },
  dir: { type: 'string', default: tmpdir() },
});
const { alerts, notifications, rounds } = values;
const storm = Array.from({ length: alerts }, (_, index) => firing({
  alertname: 'PodNotReady', namespace: 'shop', pod: `cart-${index}`, node: `n${index % 20}`,
}));
const single = firing({ alertname: 'CertificateExpires', namespace: 'edge', host: 'gate' });

console.log(`${machine()}; ${alerts} alerts in ${notifications} notifications, then one`);
for (const slowMs of [null, values['slow-ms']]) {
  const taken: Taken[] = [];
  for (let round = 0; round < rounds; round += 1) taken.push(await measure(slowMs));
  const name = slowMs === null ? 'no source' : `Prometheus that takes ${slowMs} ms`;
  const [one, all] = [taken.map((each) => each.single), taken.map((each) => each.storm)];
  console.log(`${name}: the one's report ${shown(one)} after its 200, the storm's last ${
    shown(all)} after its first 200`);
}

/** Both in seconds. */
interface Taken {
  readonly single: number;
  readonly storm: number;
}

async function measure(slowMs: number | null): Promise<Taken> {
  const directory = mkdtempSync(join(values.dir, 'alert-analyst-storm-'));
  try {
    return await withCleanup(async (cleanup) => {
      const answer = talkativeSource({ series: 20, before: () => false });
      const url = slowMs === null ? '' : await listenLocally(cleanup, createServer(
        (request, response) => {
          request.resume();
          void sleep(slowMs).then(() => answer(response, request, seenRequest(request, '')));
        }));
      const analyst = await startAnalyst({
        dataDirectory: directory, main: values.main, env: { ...unlimited, PROMETHEUS_URL: url },
      }, cleanup);
      return takenBy(analyst.url);
    });
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  }
}

async function takenBy(url: string): Promise<Taken> {
  const size = Math.ceil(alerts / notifications);
  let stormAt = 0;
  for (let from = 0; from < alerts; from += size) {
    await postNotification(url, notificationOf(storm.slice(from, from + size), `${from}`));
    if (from === 0) stormAt = performance.now();
  }
  const [fingerprint = ''] = await postNotification(url, notificationOf([single], 'edge'));
  const singleAt = performance.now();
  const [, first] = await Promise.all([
    eventually('the storm', async () => {
      const { queue_size: size } = await jsonOf(`${url}/health`);
      return size === 0 ? true : null;
    }, { everyMs: 50, withinMs: 1_200_000 }),
    eventually('the report', async () => {
      const { status } = await jsonOf(`${url}/report/${fingerprint}.json`);
      return status === 'ready' ? performance.now() : null;
    }, { everyMs: 20, withinMs: 1_200_000 }),
  ]);
  return { single: (first - singleAt) / 1000, storm: (performance.now() - stormAt) / 1000 };
}

async function jsonOf(url: string): Promise<Record<string, unknown>> {
  return (await (await fetch(url)).json()) as Record<string, unknown>;
}

function firing(labels: Readonly<Record<string, string>>): object {
  return {
    status: 'firing', labels: { severity: 'warning', ...labels },
    startsAt: new Date(Date.now() - 60_000).toISOString(), annotations: {},
  };
}

function notificationOf(members: readonly object[], group: string): object {
  return { version: '4', status: 'firing', groupKey: `{}:{group="${group}"}`, alerts: members };
}

function shown(seconds: readonly number[]): string {
  const all = seconds.map((each) => each.toFixed(1)).join(', ');
  return `${median(seconds).toFixed(1)} s (${all})`;
}
