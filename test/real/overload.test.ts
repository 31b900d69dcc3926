/** More than the service takes, from all sides; what it promises has to hold all the same. */
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
/** Readers have the usual limits. */
const openToSenders = { RATE_LIMIT_PER_CLIENT: '0', RATE_LIMIT_TOTAL: '0' };
let nextAlert = Date.now() * 1_000;

async function startService(
  t: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<Analyst> {
  let analyst: Analyst | null = null;
  t.after(() => analyst?.program.stop('SIGKILL')); // Before its directory goes.
  analyst = await startAnalyst({ dataDirectory: temporaryDirectory(), env });
  return analyst;
}

/** A notification of so many alerts that nobody has seen before. */
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

test('what the limit refused comes again, and all is delivered in the end', async (t) => {
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
  // The limit counts by the minute: until the next one begins, all there is to do is to refuse.
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

/** Memory of a service that does nothing is about 80 MB. */
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
    // A newcomer whose request is not there before hundreds more come is taken for one of them.
    assert.ok(failures.length <= count * failuresShare, failures.join());
  }
  // Who is taken for one of the crowd begins anew, on a busy machine for seconds.
  assert.ok(health.p50Ms < 5_000, `/health takes ${health.p50Ms} ms`);
  assert.ok(webhook.p50Ms < 5_000, `/webhook takes ${webhook.p50Ms} ms`);
  assert.ok(memory < crowdedMemoryMb, `${memory} MB`);
}

test('2000 who hold connections and give nothing shut nobody out', async (t) => {
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

/** Of the heap, the texts of two full queues, and what is under way. */
const floodedMemoryMb = 500;

test('a flood of huge notifications is refused when the queue is full, and passes', async (t) => {
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

test('sources that do not answer delay reports as said, and take no slot for long', async (t) => {
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
