/** The command line replays an investigation recorded by the service, to the same bytes. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Recording } from '../../src/recording/recording.ts';
import type { Report } from '../../src/report/report.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { eventually } from '../support/programs/programs.ts';
import { startTestService, type RunningService } from '../support/programs/running-service.ts';
import {
  faults, startFakeSource, type Answer, type FakeSource,
} from '../support/sources/fake-source.ts';
import { errorsAlert, talkativeSource } from '../support/sources/talkative-prometheus.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const token = 'canary-token-0123456789-0123456789';
const authorized = { headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' } };
const startsAt = new Date(Date.now() - 20 * 60_000).toISOString();
const { labels, generatorURL } = errorsAlert;
const alert = { labels, generatorURL, startsAt, fingerprint: 'f1' };
const address = 'report/f1/1/recording';

interface Started {
  readonly service: RunningService;
  readonly directory: string;
  readonly source: FakeSource;
}

async function start(
  t: Cleanup,
  answer: Answer,
  environment: Record<string, string> = { READ_AUTH: 'token' },
): Promise<Started> {
  const source = await startFakeSource(t, answer);
  const directory = temporaryDirectory();
  const service = await startTestService(t, directory, {
    PROMETHEUS_URL: source.url, PROMETHEUS_TOKEN: 'canary-source-token',
    ALERTMANAGER_URL: source.url, LOKI_URL: source.url, ACCESS_TOKEN: token, ...environment,
  });
  const { url } = service;
  const body = JSON.stringify({ version: '4', status: 'firing', alerts: [alert] });
  await fetch(`${url}/webhook`, { method: 'POST', body, headers: {
    'Content-Type': 'application/json', Authorization: `Bearer ${token}`,
  } });
  return { service, directory, source };
}

/** Recordings come a moment after their reports. */
function download({ service }: Started): Promise<Buffer> {
  return eventually('the recording', async () => {
    const response = await fetch(`${service.url}/${address}`, authorized);
    return response.status === 200 ? Buffer.from(await response.arrayBuffer()) : null;
  });
}

async function reported({ service }: Started): Promise<Report> {
  return eventually('the report', async () => {
    const response = await fetch(`${service.url}/report/f1/1.json`, authorized);
    const report = (await response.json()) as Report;
    return report.status === 'ready' && report.progress === null ? report : null;
  });
}

/** The one report in the directory, as it is on disk. */
function storedReport(directory: string): string {
  const path = join(directory, 'data', 'reports', '00000001.pack');
  return readFileSync(path, 'utf8').replace(/^.*\n/, '');
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const main = join(process.cwd(), 'dist', 'main.js');
  try {
    const options = { env, maxBuffer: 64 * 1024 * 1024 };
    return { code: 0, ...(await promisify(execFile)(process.execPath, [main, ...args], options)) };
  } catch (error) {
    return error as Ended;
  }
}

const recorded = forAllTests((cleanup) => start(cleanup, talkativeSource()));

test('a downloaded recording repeats the stored report in another process', async () => {
  const started = recorded();
  const report = await reported(started);
  const file = join(started.directory, 'recording.json.gz');
  const packed = await download(started);
  writeFileSync(file, packed);
  const asked = started.source.requests.length;
  const { code, stdout, stderr } = await run(['analyze', '--replay', file, '--json']);
  assert.equal(stderr.includes('identical to the recorded one'), true, stderr);
  assert.equal(code, 0);
  const [replayed] = JSON.parse(stdout) as Report[];
  assert.equal(JSON.stringify(replayed), storedReport(started.directory));
  assert.equal(started.source.requests.length, asked);
  for (const kept of ['verdict', 'findings', 'evidence', 'changes', 'next_steps'] as const) {
    assert.deepEqual(replayed?.[kept], report[kept], kept);
  }
  const text = gunzipSync(packed).toString();
  assert.ok(!text.includes('canary'));
  assert.ok(!text.includes(started.source.url));
  const page = await fetch(`${started.service.url}/report/f1/1`, {
    headers: { ...authorized.headers, Accept: 'text/html' },
  });
  assert.ok((await page.text()).includes(`/${address}"`));
});

test('a replay of an altered recording says where the report differs', async () => {
  const started = recorded();
  const file = join(started.directory, 'recording.json');
  const recording = JSON.parse(gunzipSync(await download(started)).toString()) as Recording;
  // On a busy machine it may hold no answers, but always the alert.
  const investigations = recording.investigations.map(({ caseFile, ...rest }) => {
    const annotations = { summary: 'Another summary' };
    return { ...rest, caseFile: { ...caseFile, alert: { ...caseFile.alert, annotations } } };
  });
  writeFileSync(file, JSON.stringify({ ...recording, investigations }));
  const { code, stderr } = await run(['analyze', '--replay', file]);
  assert.equal(code, 1);
  assert.match(stderr, /differs from the recorded one in .*alert\.annotations/);
});

test('recordings need a login, and are not served where reading is open', async (t) => {
  const closed = recorded();
  await download(closed);
  const response = await fetch(`${closed.service.url}/${address}`);
  assert.equal(response.status, 401);
  const granted = await fetch(`${closed.service.url}/${address}`, authorized);
  assert.equal(granted.headers.get('content-type'), 'application/gzip');
  assert.equal(granted.headers.get('content-encoding'), null);
  assert.match(granted.headers.get('content-disposition') ?? '', /^attachment; filename="f1-1\./);
  for (const other of ['report/f1/2/recording', 'report/x/1/recording', 'report/f1/0/recording']) {
    assert.equal((await fetch(`${closed.service.url}/${other}`, authorized)).status, 404, other);
  }
  const open = await start(t, talkativeSource(), { READ_AUTH: 'open' });
  const report = await reported(open);
  assert.equal(report.provenance.recording_url, null);
  const refused = await fetch(`${open.service.url}/${address}`, authorized);
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /READ_AUTH/);
});

test('a source that never answers is recorded as well', async (t) => {
  const started = await start(t, faults.silent);
  await reported(started);
  const file = join(started.directory, 'recording.json.gz');
  writeFileSync(file, await download(started));
  const { code, stderr } = await run(['analyze', '--replay', file]);
  assert.equal(code, 0, stderr);
});

test('no recording is kept with RECORDINGS_LIMIT_BYTES=0', async (t) => {
  const started = await start(t, talkativeSource(), {
    READ_AUTH: 'token', RECORDINGS_LIMIT_BYTES: '0',
  });
  await reported(started);
  await started.service.service.stop();
  const recordings = join(started.directory, 'data', 'recordings');
  assert.deepEqual(readdirSync(recordings), []);
});

test('analyze --record keeps what --replay repeats, as JSON and as text', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const directory = temporaryDirectory();
  const [file, out] = [join(directory, 'alert.json'), join(directory, 'recording')];
  const other = { ...alert, fingerprint: 'f2', labels: { ...labels, instance: 'b:80' } };
  writeFileSync(file, JSON.stringify({ version: '4', alerts: [alert, other] }));
  const sources = { PROMETHEUS_URL: source.url, ALERTMANAGER_URL: source.url };
  const first = await run(['analyze', file, '--json', '--record', out], sources);
  assert.equal(first.code, 0, first.stderr);
  const replayed = await run(['analyze', '--replay', out, '--json']);
  assert.equal(replayed.code, 0, replayed.stderr);
  assert.equal(replayed.stdout, first.stdout);
  assert.equal(replayed.stderr.match(/identical/g)?.length, 2);
  const shown = await run(['analyze', '--replay', out]);
  assert.equal(shown.code, 0);
  assert.match(shown.stdout, /HighErrors/);
});

test('analyze --replay refuses a damaged recording with exit code 2', async () => {
  const file = join(temporaryDirectory(), 'recording');
  writeFileSync(file, gzipSync('{}').subarray(0, 15));
  const { code, stderr } = await run(['analyze', '--replay', file]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /cannot be unpacked/);
  assert.ok(!stderr.includes('    at '), stderr);
});
