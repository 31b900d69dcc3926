/** SIGTERM in every phase of the service's life: it exits with 0, quickly, and loses nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { listenLocally } from '../support/http/local-server.ts';
import { eventually, letRun, type Program } from '../support/programs/programs.ts';
import {
  spawnAnalyst, startAnalyst, unlimited, type Analyst,
} from '../support/programs/running-analyst.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const hurriedMain = join(process.cwd(), 'scripts', 'crash', 'hurried-main.mjs');
/** Requests in progress get 5 s; the rest of the shutdown comes after that. */
const stopsWithinMs = 10_000;

interface Place {
  readonly acknowledged: Set<string>;
  spawn(main?: string): Program;
  start(env?: Readonly<Record<string, string>>): Promise<Analyst>;
  /** Posts this many alerts; with a 200 they count as acknowledged. */
  post(url: string, count: number): Promise<void>;
  stops(program: Program): Promise<void>;
  nothingIsLost(): Promise<void>;
}

function prepare(t: TestContext): Place {
  const dataDirectory = join(temporaryDirectory(), 'data');
  const acknowledged = new Set<string>();
  let posted = 0;
  const place: Place = {
    acknowledged,
    spawn: (main) => spawnAnalyst({ dataDirectory, env: unlimited, main }, t),
    start: (env = {}) => startAnalyst({ dataDirectory, env: { ...unlimited, ...env } }, t),
    async post(url, count) {
      const names = Array.from({ length: count }, () => `stop-${(posted += 1)}`);
      const answer = await fetch(`${url}/webhook`, { method: 'POST', body: bodyOf(names) })
        .catch(() => null);
      if (answer?.status === 200) for (const name of names) acknowledged.add(name);
    },
    async stops(program) {
      const startedAt = performance.now();
      await program.stop('SIGTERM');
      const tookMs = performance.now() - startedAt;
      assert.equal(program.exitCode(), 0, program.output().slice(-2_000));
      assert.ok(tookMs < stopsWithinMs, `it took ${tookMs} ms`);
      assert.ok(!program.output().includes('"level":"error"'), program.output().slice(-2_000));
    },
    async nothingIsLost() {
      const { url, program } = await place.start();
      for (const name of acknowledged) {
        await eventually(`the report of ${name}`, async () => {
          const report = (await (await fetch(`${url}/report/${name}.json`)).json()) as Report;
          return report.status === 'ready' && report.episode.of === 1 ? true : null;
        }, { program, everyMs: 20 });
      }
    },
  };
  return place;
}

function bodyOf(names: readonly string[]): string {
  const alerts = names.map((name) => ({
    status: 'firing', labels: { alertname: 'Stops', instance: name }, fingerprint: name,
  }));
  return JSON.stringify({ version: '4', status: 'firing', alerts });
}

test('SIGTERM while the service starts, replays or compacts makes it exit with 0', async (t) => {
  const place = prepare(t);
  const { url, program } = await place.start();
  await place.post(url, 20);
  await place.stops(program); // During its analyses.
  const lines = ['Listening', 'Journal replayed', 'Compacting the journal'];
  for (const line of lines) {
    const early = place.spawn(hurriedMain);
    await eventually(line, () => (early.output().includes(`"${line}"`) ? true : null), {
      everyMs: 1, program: early,
    });
    await place.stops(early);
  }
  const early = place.spawn();
  await letRun(120);
  await early.stop('SIGTERM');
  // Before its first line it cannot handle the signal yet.
  if (early.output().includes('"Listening"')) assert.equal(early.exitCode(), 0);
  await place.nothingIsLost();
});

test('SIGTERM while alerts are posted and a model is asked answers or refuses each', async (t) => {
  const place = prepare(t);
  const model = createServer(() => {});
  const asked = once(model, 'request');
  const { url, program } = await place.start({
    MODEL_PROVIDER: 'openai-chat', MODEL_NAME: 'silent', MODEL_API_KEY: 'key-of-the-test',
    MODEL_URL: await listenLocally(t, model),
  });
  await place.post(url, 1);
  await asked;
  const body = bodyOf(['half']);
  const half = request(`${url}/webhook`, {
    method: 'POST', headers: { 'content-length': Buffer.byteLength(body) },
  });
  half.write(body.slice(0, 40));
  const answer = once(half, 'response') as Promise<[{ readonly statusCode: number }]>;
  const posting = (async () => {
    while (!program.hasExited()) {
      await place.post(url, 3);
      await letRun(10);
    }
  })();
  const { acknowledged } = place;
  await eventually('some posts', () => (acknowledged.size > 20 ? true : null), { everyMs: 1 });
  const stopped = place.stops(program);
  await letRun(100);
  half.end(body.slice(40));
  const [{ statusCode }] = await answer;
  assert.equal(statusCode, 200, 'a request in progress is answered');
  acknowledged.add('half');
  await Promise.all([stopped, posting]);
  await place.nothingIsLost();
});
