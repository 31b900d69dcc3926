/**
 * Mixed load for an hour, and what becomes of memory and latency under it.
 *
 *   npx tsx scripts/soak.ts [--minutes 60] [--per-second 50] [--dir FOLDER] [--main dist/main.js]
 *       [--reports 5000]
 *
 * Prints a line every 10 s, and in the end the slope of memory and of latency over the second half:
 * in the first one caches fill, the heap finds its size, and RETENTION_REPORTS (--reports) is
 * reached. Nothing is asserted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { peakMemoryMb } from '../test/support/process-memory.ts';
import { startAnalyst, unlimited } from '../test/support/running-analyst.ts';
import { MixedLoad } from './bench/mixed-load.ts';

interface Row {
  readonly seconds: number;
  readonly rssMb: number;
  readonly heapMb: number;
  readonly loopP99Ms: number;
  readonly queue: number;
  readonly reports: number;
  readonly files: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly posts: number;
  readonly failures: string;
}

const sampleMs = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    'per-second': { type: 'string', default: '50' },
    reports: { type: 'string', default: '5000' },
    dir: { type: 'string', default: tmpdir() },
    main: { type: 'string' },
  },
});
const directory = mkdtempSync(join(values.dir, 'alert-analyst-soak-'));
const analyst = await startAnalyst({
  dataDirectory: join(directory, 'data'),
  env: { ...unlimited, RETENTION_REPORTS: values.reports },
  ...(values.main !== undefined && { main: values.main }),
}).catch(async (error: unknown) => {
  rmSync(directory, { recursive: true, force: true });
  throw error;
});
const load = new MixedLoad({ url: analyst.url, perSecond: Number(values['per-second']) });
const rows: Row[] = [];
try {
  const model = cpus()[0]?.model ?? 'unknown processor';
  print(`${availableParallelism()} cores of ${model}, Node ${process.version}, ` +
    `${values['per-second']} notifications/s, load average ${loadavg()[0]?.toFixed(1)}`);
  print('     s  RSS MB  heap MB  loop p99 ms  queue  reports  files  posts  p50 ms  p99 ms');
  load.start();
  const endsAt = performance.now() + Number(values.minutes) * 60_000;
  const startedAt = performance.now();
  while (performance.now() < endsAt) {
    await delay(sampleMs);
    const row = await sample((performance.now() - startedAt) / 1000);
    rows.push(row);
    print(line(row));
  }
  load.stop();
  summarize();
} finally {
  load.stop();
  await analyst.program.stop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
}

async function sample(seconds: number): Promise<Row> {
  const text = await (await fetch(`${analyst.url}/metrics`)).text();
  const read = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
  const { posts, failures, p50Ms, p99Ms } = load.sample();
  return {
    seconds, posts, p50Ms, p99Ms,
    rssMb: read('process_resident_memory_bytes') / 2 ** 20,
    heapMb: read('nodejs_heap_size_used_bytes') / 2 ** 20,
    loopP99Ms: read('nodejs_eventloop_lag_p99_seconds') * 1000,
    queue: read('service_queue_size'),
    reports: read('service_reports'),
    files: read('process_open_fds'),
    failures: Object.entries(failures).map(([status, count]) => `${status}: ${count}`).join(', '),
  };
}

function line(row: Row): string {
  const { seconds, rssMb, heapMb, loopP99Ms, queue, reports, files, posts, p50Ms, p99Ms } = row;
  const columns: readonly (readonly [number, number, number])[] = [
    [seconds, 6, 0], [rssMb, 8, 1], [heapMb, 9, 1], [loopP99Ms, 13, 1], [queue, 7, 0],
    [reports, 9, 0], [files, 7, 0], [posts, 7, 0], [p50Ms, 8, 2], [p99Ms, 8, 2],
  ];
  const text = columns.map(([value, width, digits]) => value.toFixed(digits).padStart(width));
  return text.join('') + (row.failures && `  failed ${row.failures}`);
}

function summarize(): void {
  const half = rows.slice(rows.length >> 1);
  const perHour = (of: (row: Row) => number): string => (slope(half, of) * 3600).toFixed(1);
  print(`second half: RSS ${perHour((row) => row.rssMb)} MB per hour, ` +
    `heap ${perHour((row) => row.heapMb)} MB per hour, ` +
    `webhook p50 ${perHour((row) => row.p50Ms)} ms and ` +
    `p99 ${perHour((row) => row.p99Ms)} ms per hour`);
  print(`at most ${peakMemoryMb(analyst.program.pid).toFixed(0)} MB resident, ` +
    `${rows.reduce((sum, { posts }) => sum + posts, 0)} notifications answered, ` +
    `load average ${loadavg()[0]?.toFixed(1)}`);
}

/** Least squares, per second. */
function slope(given: readonly Row[], of: (row: Row) => number): number {
  const mean = (f: (row: Row) => number): number =>
    given.reduce((sum, row) => sum + f(row), 0) / given.length;
  const [time, value] = [mean(({ seconds }) => seconds), mean(of)];
  const both = mean((row) => (row.seconds - time) * (of(row) - value));
  return both / mean(({ seconds }) => (seconds - time) ** 2);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
