import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { sampleNotification } from '../../scripts/samples.ts';
import { letRun } from '../support/programs/programs.ts';
import { unlimited } from '../support/programs/running-analyst.ts';
import { holdSocket } from '../support/programs/socket-holder.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const clients = 16;
const restarts = 20;
/** The exit code in a shell: 128 plus the number of SIGTERM. */
const terminated = 143;

interface Tally {
  readonly failures: string[];
  answered: number;
  slowestMs: number;
}

/** Posts over one connection as long as it lasts and then over the next, as Alertmanager does. */
async function postUntil(url: string, isOver: () => boolean, tally: Tally): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (!isOver()) {
    const startedAt = performance.now();
    const body = JSON.stringify(sampleNotification('firing', 1, Date.now()));
    const answer = await post(agent, `${url}/webhook`, body);
    if (answer !== '200') tally.failures.push(answer);
    tally.answered += 1;
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedAt);
  }
  agent.destroy();
}

function post(agent: Agent, url: string, body: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, method: 'POST' }, (response) => {
      response.on('error', (error) => resolve(error.message));
      response.on('end', () => resolve(String(response.statusCode))).resume();
    });
    sent.on('error', (error) => resolve(error.message));
    sent.end(body);
  });
}

test(`${restarts} restarts under load fail no request when the socket is held`, async (t) => {
  const holder = await holdSocket(t, {
    ...unlimited, DATA_DIR: `${temporaryDirectory()}/data`,
  });
  const tally: Tally = { failures: [], answered: 0, slowestMs: 0 };
  let isOver = false;
  t.after(() => (isOver = true));
  const posting = Array.from({ length: clients }, () => postUntil(holder.url, () => isOver, tally));
  let service = await holder.start();
  for (let count = 0; count < restarts; count += 1) {
    if (count % 4 === 3) { // Stopped while it starts.
      await letRun(count * 15);
      assert.ok([0, terminated].includes(await service.stop('SIGTERM')), holder.output());
    } else {
      await service.ready();
      await letRun(250);
      assert.equal(await service.stop('SIGTERM'), 0, holder.output());
    }
    service = await holder.start();
  }
  await service.ready();
  isOver = true;
  await Promise.all(posting);
  t.diagnostic(`${tally.answered} posts, slowest ${tally.slowestMs.toFixed(0)} ms`);
  assert.deepEqual(tally.failures, []);
  assert.ok(tally.answered > clients * restarts, `only ${tally.answered} posts`);
});

test('a held socket lets as many connections wait as a port of its own', async (t) => {
  const holder = await holdSocket(t, { ...unlimited, DATA_DIR: `${temporaryDirectory()}/data` });
  const service = await holder.start();
  await service.ready();
  process.kill(service.pid, 'SIGSTOP');
  const allowed = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  const port = Number(new URL(holder.url).port);
  const waiting = Array.from({ length: Math.min(allowed, 800) }, () => connect(port, '127.0.0.1'));
  t.after(() => waiting.forEach((socket) => socket.destroy()));
  const signal = AbortSignal.timeout(900); // Without room the kernel tries again after a second.
  await Promise.all(waiting.map((socket) => once(socket, 'connect', { signal })));
  waiting.forEach((socket) => socket.on('error', () => {})); // The end of the service cuts them.
});

const openSocket = /"The held socket is open to other machines, unlike HOST: set HOST to its/;
for (const [host, isWarned] of [['127.0.0.1', false], ['0.0.0.0', true]] as const) {
  test(`a socket held at ${host} is logged as what it is`, async (t) => {
    const environment = { ...unlimited, DATA_DIR: `${temporaryDirectory()}/data` };
    const holder = await holdSocket(t, environment, host);
    await (await holder.start()).ready();
    assert.equal(openSocket.test(holder.output()), isWarned, holder.output());
    const port = new URL(holder.url).port;
    const name = host === '0.0.0.0' ? 'localhost' : host;
    assert.ok(holder.output().includes(`"url":"http://${name}:${port}"`), holder.output());
  });
}
