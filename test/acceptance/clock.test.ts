/** The whole service while its wall clock jumps by hours, as when an operator or NTP sets it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { requireFirst } from '../support/programs/node-options.ts';
import { eventually } from '../support/programs/programs.ts';
import { startAnalyst, type Analyst } from '../support/programs/running-analyst.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const hour = 3_600_000;
const jumps = [
  { name: 'ahead and back again', first: 7 * hour, second: 0 },
  { name: 'back and ahead', first: -7 * hour, second: 4 * hour },
];

interface Place {
  setClock(shiftMs: number): void;
  start(): Promise<Analyst>;
}

function prepare(t: TestContext): Place {
  const directory = temporaryDirectory();
  const shiftFile = join(directory, 'shift');
  const shiftedClock = join(process.cwd(), 'test/support/programs/shifted-clock.cjs');
  const setClock = (shiftMs: number): void => writeFileSync(shiftFile, String(shiftMs));
  setClock(0);
  return {
    setClock,
    async start() {
      return startAnalyst({
        dataDirectory: join(directory, 'data'),
        env: {
          NODE_OPTIONS: requireFirst(shiftedClock),
          CLOCK_SHIFT_FILE: shiftFile,
          RETENTION_DAYS: '1', RATE_LIMIT_PER_CLIENT: '30',
        },
      }, t);
    },
  };
}

/** Its times are those of the sender, whose clock is right. */
function alertOf(name: string, over: object = {}): object {
  const startsAt = new Date(Date.now() - 300_000).toISOString();
  return { status: 'firing', labels: { alertname: name }, fingerprint: name, startsAt, ...over };
}

async function post(url: string, alerts: readonly object[]): Promise<Response> {
  const body = JSON.stringify({ version: '4', status: 'firing', alerts });
  return await fetch(`${url}/webhook`, { method: 'POST', body });
}

async function reportIn(url: string, fingerprint: string, status: string): Promise<Report> {
  return await eventually(`report ${fingerprint} to be ${status}`, async () => {
    const report = (await (await fetch(`${url}/report/${fingerprint}.json`)).json()) as Report;
    return report.status === status ? report : null;
  }, { everyMs: 20 });
}

async function listPage(url: string): Promise<string> {
  const answer = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
  assert.equal(answer.status, 200);
  return await answer.text();
}

for (const { name, first, second } of jumps) {
  test(`a wall clock that jumps by hours, ${name}, changes nothing`, async (t) => {
    const { setClock, start } = prepare(t);
    let { url, program } = await start();
    const [before, ended] = [alertOf('before'), alertOf('ended')];
    await post(url, [before, ended]);
    await reportIn(url, 'before', 'ready');

    setClock(first);
    const again = await post(url, [before]);
    assert.equal(again.headers.get('x-alerts-deduplicated'), '1', 'a duplicate stays one');
    const endsAt = new Date().toISOString();
    await post(url, [{ ...ended, status: 'resolved', endsAt }, alertOf('during')]);
    const during = await reportIn(url, 'during', 'ready');
    const madeAt = Date.parse(during.provenance.finished_at ?? '') - Date.now();
    assert.ok(Math.abs(madeAt - first) < 60_000, 'threads see the same clock');
    assert.equal((await reportIn(url, 'ended', 'final')).episode.of, 1);

    await program.stop('SIGKILL');
    setClock(second);
    ({ url, program } = await start());
    assert.equal((await post(url, [before, alertOf('during'), alertOf('after')])).status, 200);
    await reportIn(url, 'after', 'ready');
    for (const fingerprint of ['before', 'during', 'after']) {
      const { episode } = await reportIn(url, fingerprint, 'ready');
      assert.deepEqual([episode.of, episode.state], [1, 'firing'], fingerprint);
    }
    assert.equal((await reportIn(url, 'ended', 'final')).episode.state, 'resolved');
    const page = await listPage(url);
    for (const each of ['before', 'during', 'after', 'ended']) {
      assert.ok(page.includes(`/report/${each}`), `${each} is listed`);
    }
    assert.ok(!program.output().includes('"level":"error"'), program.output());
  });
}

test('a start with the clock a year ahead removes no reports, and says why', async (t) => {
  const { setClock, start } = prepare(t);
  let { url, program } = await start();
  const ended = alertOf('ended', { status: 'resolved', endsAt: new Date().toISOString() });
  await post(url, [ended]);
  await reportIn(url, 'ended', 'final');
  await program.stop('SIGKILL');

  setClock(365 * 24 * hour);
  // An alert received meanwhile must not make the next start trust the clock.
  for (const name of ['first', 'second']) {
    ({ url, program } = await start());
    // It applies retention as soon as it is ready.
    const isSaid = (): boolean => program.output().includes('clock jumped far ahead');
    await eventually('the warning', () => isSaid() || null);
    assert.equal((await reportIn(url, 'ended', 'final')).episode.state, 'resolved');
    await post(url, [alertOf(name)]);
    await program.stop('SIGKILL');
  }
});

test('a rate limit is not affected when the wall clock jumps', async (t) => {
  const { setClock, start } = prepare(t);
  const { url } = await start();
  const refused = async (): Promise<number> => {
    const answer = await post(url, [alertOf('limited')]);
    return answer.status === 429 ? Number(answer.headers.get('retry-after')) : 0;
  };
  await eventually('the limit', async () => ((await refused()) > 0 ? true : null), { everyMs: 0 });
  for (const shift of [7 * hour, -7 * hour]) {
    setClock(shift);
    const waitSeconds = await refused();
    assert.ok(waitSeconds > 0 && waitSeconds <= 60, `Retry-After is ${waitSeconds} s`);
  }
});
