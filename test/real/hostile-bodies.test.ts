/** Bodies made to exhaust the memory or to block the main thread, on a machine with 1 GB. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peakMemoryMb } from '../support/programs/process-memory.ts';
import { eventually } from '../support/programs/programs.ts';
import { startAnalyst, unlimited, type Analyst } from '../support/programs/running-analyst.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What V8 chooses on a machine with 1 GB. */
const env = { ...unlimited, NODE_OPTIONS: '--max-old-space-size=512' };
/** The shipped unit kills the service at 1024. */
const memoryMaxMb = 900;
const bodyBytesMax = 16 * 1024 * 1024;

const padding = 'x'.repeat(15_500_000);

function listOf<T>(length: number, item: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => item(index));
}

function bodyOf(alerts: readonly unknown[], over: Readonly<Record<string, unknown>> = {}): string {
  const body = JSON.stringify({ version: '4', groupKey: '{}:{a="b"}', ...over, alerts });
  assert.ok(Buffer.byteLength(body) <= bodyBytesMax, `${body.length}`);
  return body;
}

function alertNamed(alertname: string, over: Readonly<Record<string, unknown>> = {}): object {
  return { status: 'firing', labels: { alertname }, ...over };
}

interface Shape {
  readonly name: string;
  /** Lists of bodies: those of one list are posted at once, after the previous list is answered. */
  readonly posts: () => Iterable<readonly string[]>;
  /** The answers that are allowed. */
  readonly answers: readonly string[];
  /** The log line after which the service is killed. */
  readonly until?: string;
}

const shapes: readonly Shape[] = [
  {
    name: 'a million labels with different names',
    *posts() {
      const labelsOf = (alert: number): object =>
        Object.fromEntries(listOf(250, (label) => [`l${alert}_${label}`, '']));
      yield [bodyOf(listOf(4_500, (alert) => ({
        labels: { alertname: `L${alert}`, ...labelsOf(alert) },
      })))];
    },
    answers: ['200'],
  },
  {
    name: 'a large group that is written with each of its alerts',
    *posts() {
      for (let post = 0; post < 5; post += 1) yield [bodyOf([alertNamed(`P${post}`)], { padding })];
      const long = 'y'.repeat(60_000);
      const groupLabels = Object.fromEntries(listOf(6, (label) => [`g${label}`, long]));
      yield [bodyOf(listOf(9_900, (alert) => alertNamed(`G${alert}`)), { groupLabels })];
    },
    answers: ['200'],
    until: 'Journal compacted',
  },
  {
    name: 'large notifications, each with one alert that keeps waiting',
    *posts() {
      for (let post = 0; post < 40; post += 1) {
        const severityOf = (alert: number): string => (alert === 0 ? 'info' : 'critical');
        yield [bodyOf(listOf(40, (alert) => ({
          labels: { alertname: `W${alert}`, post: `${post}`, severity: severityOf(alert) },
        })), { padding })];
      }
    },
    answers: ['200', '503'],
  },
  {
    name: 'resolved alerts that were never firing',
    *posts() {
      for (let post = 0; post < 6; post += 1) {
        const end = { status: 'resolved', endsAt: '2026-11-20T10:00:00Z' };
        yield [bodyOf(listOf(100_000, (alert) => alertNamed(`E${post}_${alert}`, end)))];
      }
    },
    answers: ['200', '503'],
  },
  {
    name: 'thirty large bodies at once, as strings of two bytes per character',
    *posts() {
      yield listOf(30, (post) => bodyOf([alertNamed(`S${post}`)], { padding: `${padding}\u8a9e` }));
    },
    // Half a gigabyte may take longer to arrive than a request is allowed to.
    answers: ['200', '503', 'cut off'],
  },
  {
    name: 'bodies of 100 000 invalid alerts',
    *posts() {
      for (let post = 0; post < 20; post += 1) yield [bodyOf(Array<number>(100_000).fill(0))];
    },
    answers: ['400'],
  },
];

/** The status, or `cut off`, which Alertmanager retries like a 503. */
async function post({ url }: Analyst, body: string): Promise<string> {
  const headers = { 'user-agent': 'Alertmanager/0.33.1' };
  try {
    const response = await fetch(`${url}/webhook`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return `${response.status}`;
  } catch {
    return 'cut off';
  }
}

/** Reading the list makes the service build everything that it keeps about the alerts. */
async function readAll({ url }: Analyst): Promise<void> {
  for (const path of ['/', '/health']) assert.equal((await fetch(url + path)).status, 200, path);
}

for (const { name, posts, answers, until = '' } of shapes) {
  test(`the service survives ${name}, and starts again with them`, async (t) => {
    const dataDirectory = temporaryDirectory();
    const first = await startAnalyst({ dataDirectory, env }, t);
    let slowestMs = 0;
    for (const bodies of posts()) {
      const startedAt = performance.now();
      const statuses = await Promise.all(bodies.map((body) => post(first, body)));
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      for (const status of statuses) assert.ok(answers.includes(status), status);
    }
    const { program } = first;
    await eventually(until, () => (program.output().includes(until) ? true : null), {
      program, withinMs: 60_000,
    });
    await readAll(first);
    const peakMb = peakMemoryMb(program.pid);
    await program.stop('SIGKILL');
    const second = await startAnalyst({ dataDirectory, env }, t);
    await readAll(second);
    const startPeakMb = peakMemoryMb(second.program.pid);
    t.diagnostic(`${peakMb.toFixed(0)} MB at most, slowest ${slowestMs.toFixed(0)} ms; started ` +
      `again in ${second.startedInMs.toFixed(0)} ms, ${startPeakMb.toFixed(0)} MB`);
    assert.ok(peakMb < memoryMaxMb && startPeakMb < memoryMaxMb, `${peakMb}, ${startPeakMb} MB`);
  });
}
