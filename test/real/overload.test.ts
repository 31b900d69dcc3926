/** More load than the service can take, from all sides; its promises must still hold. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fillSlots, makeBody } from '../../scripts/bench/body.ts';
import { probeUntil, type ProbeResult } from '../support/http/probe.ts';
import { startSlowSenders } from '../support/http/slow-senders.ts';
import { clockRate } from '../support/programs/node-options.ts';
import { peakMemoryMb } from '../support/programs/process-memory.ts';
import { eventually, findProgram, letRun, runProgram } from '../support/programs/programs.ts';
import { startAlertmanager } from '../support/programs/running-alertmanager.ts';
import { startAnalyst, unlimited, type Analyst } from '../support/programs/running-analyst.ts';
import { startHeldSource } from '../support/sources/held-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const token = 'token-of-the-test';
/** No limits for senders; readers have the usual ones. */
const openToSenders = { RATE_LIMIT_PER_CLIENT: '0', RATE_LIMIT_TOTAL: '0' };
let nextAlert = Date.now() * 1_000;

async function startService(
  t: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<Analyst> {
  let analyst: Analyst | null = null;
  t.after(() => analyst?.program.stop('SIGKILL'));
  analyst = await startAnalyst({ dataDirectory: temporaryDirectory(), env });
  return analyst;
}

/** A notification with this many new alerts. */
function newBody(alerts: number): string {
  const { bytes, slots } = makeBody(alerts);
  nextAlert = fillSlots(bytes, slots, nextAlert);
  return bytes.toString();
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}

function told({ count, failures, p50Ms, p90Ms, maxMs }: ProbeResult): string {
  const figures = [p50Ms, p90Ms, maxMs].map((ms) => ms.toFixed(1)).join('/');
  return `${count} answers, p50/p90/max ${figures} ms, ${failures.length} failures`;
}

test('alerts refused by the rate limit are retried until all are delivered', async (t) => {
  const limit = 100;
  const groups = 20;
  const { url } = await startService(t, {
    ...unlimited, ACCESS_TOKEN: token, RATE_LIMIT_TOTAL: String(limit),
    ...clockRate(4),
  });
  const alertmanager = await startAlertmanager(t, { analyst: url, token });
  const answers = new Map<number, number>();
  const flood = async (): Promise<void> => {
    for (let left = limit; left > 0; left -= 1) {
      const { status } = await fetch(`${url}/webhook`, {
        method: 'POST', body: newBody(1), headers: { authorization: `Bearer ${token}` },
      });
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  const flooded = Promise.all(Array.from({ length: 10 }, flood));
  await eventually('the limit to be used up', () => (answers.has(429) ? true : null));
  await alertmanager.post(Array.from({ length: groups }, (_, index) => ({
    labels: { alertname: `Overload${index}`, instance: `node-${index}`, severity: 'warning' },
  })));
  await flooded;
  // The limit is per minute, so everything is refused until the next minute begins.
  const arrived = async (fingerprint: string): Promise<boolean> =>
    (await fetch(`${url}/report/${fingerprint}.json`)).status === 200;
  await eventually('every alert to arrive', async () => {
    const fingerprints = [...(await alertmanager.fingerprints()).values()];
    const all = await Promise.all(fingerprints.map(arrived));
    return all.length === groups && all.every(Boolean) ? true : null;
  }, { withinMs: 80_000, everyMs: 500 });
  const refused = answers.get(429) ?? 0;
  t.diagnostic(`${10 * limit} posts: ${JSON.stringify([...answers])}`);
  assert.ok(refused > 5 * limit, `only ${refused} refused`);
  assert.deepEqual([...answers.keys()].sort(), [200, 429]);
});

/** An idle service takes about 80 MB. */
const crowdedMemoryMb = 250;
const failuresShare = 0.02;

async function expectService(
  t: TestContext,
  { url, program }: Analyst,
  crowd: () => Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const probes = Promise.all([
    probeUntil(over.signal, 50, { url: `${url}/health` }),
    probeUntil(over.signal, 50, { url: `${url}/webhook`, body: () => newBody(1) }),
  ]);
  await crowd();
  over.abort();
  const [health, webhook] = await probes;
  const memory = peakMemoryMb(program.pid);
  t.diagnostic(`/health: ${told(health)}`);
  t.diagnostic(`/webhook: ${told(webhook)}`);
  t.diagnostic(`memory at most ${memory.toFixed(0)} MB`);
  for (const { count, failures } of [health, webhook]) {
    // A new connection may be closed as one of the crowd before its request has arrived.
    assert.ok(failures.length <= count * failuresShare, failures.join());
  }
  // Such a client has to start again, which takes seconds on a busy machine.
  assert.ok(health.p50Ms < 5_000, `/health takes ${health.p50Ms} ms`);
  assert.ok(webhook.p50Ms < 5_000, `/webhook takes ${webhook.p50Ms} ms`);
  assert.ok(memory < crowdedMemoryMb, `${memory} MB`);
}

test('2000 clients that hold connections do not shut others out', async (t) => {
  const analyst = await startService(t, openToSenders);
  await expectService(t, analyst, async () => {
    const senders = startSlowSenders(Number(new URL(analyst.url).port), 2_000);
    t.after(() => senders.stop());
    await letRun(9_000);
    t.diagnostic(`${senders.connected()} connections`);
    assert.ok(senders.connected() > 2_000);
    senders.stop();
  });
});

test('slowhttptest with 2000 connections does not make the service unavailable', async (t) => {
  const command = findProgram('slowhttptest', 'slowhttptest');
  const analyst = await startService(t, openToSenders);
  const { url } = analyst;
  const common = ['-c', '500', '-r', '500', '-l', '7', '-i', '1', '-p', '2'];
  const attacks = [
    ['-H', '-u', `${url}/webhook`], ['-B', '-s', '8192', '-u', `${url}/webhook`],
    ['-R', '-u', `${url}/`], ['-X', '-k', '5', '-n', '5', '-u', `${url}/`],
  ];
  await expectService(t, analyst, async () => {
    const runs = await Promise.all(
      attacks.map((attack) => runProgram(command, [...attack, ...common])),
    );
    for (const { output } of runs) assert.match(output, /service available:.*YES/);
  });
});

/** The heap, the texts of two full queues, and requests in progress. */
const floodedMemoryMb = 500;

test('a flood of huge notifications is refused while the queue is full', async (t) => {
  const { url, program } = await startService(t, {
    ...unlimited, WORKERS: '1', QUEUE_LIMIT: '19000',
  });
  const answers = new Map<string, number>();
  const post = async (alerts: number): Promise<string> => {
    const response = await fetch(`${url}/webhook`, { method: 'POST', body: newBody(alerts) });
    const body = (await response.json()) as { readonly detail?: string };
    return `${response.status} ${body.detail ?? ''}`.trim();
  };
  const flood = async (): Promise<void> => {
    for (let left = 8; left > 0; left -= 1) {
      const answer = await post(10_000);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all([flood(), flood(), flood()]);
  const queued = await metric(url, 'service_queue_size');
  const memory = peakMemoryMb(program.pid);
  t.diagnostic(`${JSON.stringify([...answers])}, ${queued} queued`);
  t.diagnostic(`memory at most ${memory.toFixed(0)} MB`);
  assert.deepEqual([...answers.keys()].sort(), ['200', '503 Queue is full']);
  assert.ok(memory < floodedMemoryMb, `${memory} MB`);
  await eventually('room in the queue', async () => ((await post(1)) === '200' ? true : null), {
    program,
  });
});

test('sources that do not answer delay reports only by their deadline', async (t) => {
  const { url: source } = await startHeldSource(t);
  const { url, program } = await startService(t, {
    ...unlimited, PROMETHEUS_URL: source, ALERTMANAGER_URL: source, WORKERS: '1',
  });
  const alerts = 200;
  const startedAt = performance.now();
  assert.equal((await fetch(`${url}/webhook`, { method: 'POST', body: newBody(1) })).status, 200);
  const ended = (count: number): Promise<true> =>
    eventually(`${count} reports`, async () =>
      (await metric(url, 'service_queue_size')) === 0 ? true : null, { program });
  await ended(1);
  const firstMs = performance.now() - startedAt;
  for (let left = alerts; left > 0; left -= 1) {
    await fetch(`${url}/webhook`, { method: 'POST', body: newBody(1) });
  }
  await ended(alerts);
  const allMs = performance.now() - startedAt;
  t.diagnostic(`first ${firstMs.toFixed(0)} ms, ${alerts} in ${allMs.toFixed(0)} ms`);
  assert.ok(firstMs < 10_000, `the first report took ${firstMs} ms`);
  assert.ok(allMs < 60_000, `${alerts} reports took ${allMs} ms`);
});
