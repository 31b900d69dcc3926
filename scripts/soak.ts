/**
 * Mixed load for an hour, and what becomes of memory, descriptors and latency under it.
 *
 *   npx tsx scripts/soak.ts [--minutes 60] [--per-second 1] [--storm-every-minutes 10]
 *       [--storm-alerts 300] [--reports 500] [--workers 2] [--dir FOLDER] [--main dist/main.js]
 *
 * The service asks a source that now and then fails, breaks off or never answers. A line every
 * minute tells of that minute. In the end come the trends of the later half, in which caches are
 * filled, the heap has its size, and RETENTION_REPORTS (--reports) is reached; and what is left
 * when the load is over. Exit code 1 where something grows or is left.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { peakMemoryMb } from '../test/support/programs/process-memory.ts';
import { startAnalyst } from '../test/support/programs/running-analyst.ts';
import { startAnsweringSource } from './bench/answering-source.ts';
import { machine } from './bench/figures.ts';
import { MixedLoad } from './bench/mixed-load.ts';
import { floorsOf, grows, isSteady, trendOf } from './bench/steadiness.ts';
import { scriptOptions } from './script-options.ts';

interface Row {
  readonly seconds: number;
  readonly rssMb: number;
  readonly heapMb: number;
  readonly threadsMb: number;
  readonly externalMb: number;
  readonly majorCollections: number;
  readonly loopP99Ms: number;
  readonly queue: number;
  readonly reports: number;
  readonly open: number;
  readonly listeners: number;
  readonly files: number;
  readonly diskMb: number;
  readonly posts: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly pageP99Ms: number;
  readonly failures: string;
}

const sampleMs = 10_000;
const samplesPerLine = 6;
/** A floor of memory is the least of so long; a trend rests on the floors of the later half. */
const floorSeconds = 300;
const growthAllowedMb = 1;
/** Told of what the service said, should it end before its time. */
const saidLength = 4_000;
/** The threads have loaded what they need by then. */
const restMs = 5_000;
/** Keep-alive connections of senders and listeners that vanished are gone by then. */
const calmMs = 30_000;
/** Limits that refuse nothing here, but count everybody. */
const limits = {
  RATE_LIMIT_PER_CLIENT: '100000', RATE_LIMIT_TOTAL: '1000000',
  READ_LIMIT_PER_CLIENT: '100000', READ_LIMIT_TOTAL: '1000000',
};

interface Column {
  readonly title: string;
  readonly of: (row: Row) => number;
  readonly digits: number;
  /** What of a minute's samples is told. */
  readonly told: (values: readonly number[]) => number;
}

const last = (figures: readonly number[]): number => figures.at(-1) ?? NaN;
const least = (figures: readonly number[]): number => Math.min(...figures);
const most = (figures: readonly number[]): number =>
  Math.max(...figures.filter((figure) => !Number.isNaN(figure)));
const sum = (figures: readonly number[]): number => figures.reduce((all, each) => all + each, 0);

const columns: readonly Column[] = [
  { title: 'min', of: ({ seconds }) => seconds / 60, digits: 0, told: last },
  { title: 'RSS MB', of: ({ rssMb }) => rssMb, digits: 1, told: least },
  { title: 'heap', of: ({ heapMb }) => heapMb, digits: 1, told: least },
  { title: 'threads', of: ({ threadsMb }) => threadsMb, digits: 1, told: least },
  { title: 'external', of: ({ externalMb }) => externalMb, digits: 1, told: least },
  { title: 'major GCs', of: ({ majorCollections }) => majorCollections, digits: 0, told: last },
  { title: 'loop p99 ms', of: ({ loopP99Ms }) => loopP99Ms, digits: 1, told: most },
  { title: 'queue', of: ({ queue }) => queue, digits: 0, told: last },
  { title: 'reports', of: ({ reports }) => reports, digits: 0, told: last },
  { title: 'open', of: ({ open }) => open, digits: 0, told: last },
  { title: 'listeners', of: ({ listeners }) => listeners, digits: 0, told: last },
  { title: 'files', of: ({ files }) => files, digits: 0, told: last },
  { title: 'disk MB', of: ({ diskMb }) => diskMb, digits: 1, told: last },
  { title: 'posts', of: ({ posts }) => posts, digits: 0, told: sum },
  { title: 'p50 ms', of: ({ p50Ms }) => p50Ms, digits: 1, told: most },
  { title: 'p99 ms', of: ({ p99Ms }) => p99Ms, digits: 1, told: most },
  { title: 'page p99', of: ({ pageP99Ms }) => pageP99Ms, digits: 1, told: most },
];

const values = scriptOptions(import.meta.url, {
  minutes: { type: 'string', default: '60' },
  'per-second': { type: 'string', default: '1' },
  'storm-every-minutes': { type: 'string', default: '10' },
  'storm-alerts': { type: 'string', default: '300' },
  reports: { type: 'string', default: '500' },
  workers: { type: 'string', default: '2' },
  dir: { type: 'string', default: tmpdir() },
  main: { type: 'string' },
});
const directory = mkdtempSync(join(values.dir, 'alert-analyst-soak-'));
const dataDirectory = join(directory, 'data');
const source = await startAnsweringSource();
const analyst = await startAnalyst({
  dataDirectory,
  env: {
    ...limits, RETENTION_REPORTS: values.reports, WORKERS: values.workers,
    PROMETHEUS_URL: source.url, ALERTMANAGER_URL: source.url, LOKI_URL: source.url,
  },
  ...(values.main !== undefined && { main: values.main }),
}).catch(async (error: unknown) => {
  rmSync(directory, { recursive: true, force: true });
  throw error;
});
const load = new MixedLoad({ url: analyst.url, perSecond: Number(values['per-second']) });
const rows: Row[] = [];
try {
  printHead();
  await delay(restMs);
  const atRest = await sample(0);
  load.start();
  await sampleUntilOver();
  load.stop();
  await delay(calmMs);
  process.exitCode = conclude(atRest, await sample(0)) ? 0 : 1;
} catch (error) {
  const { program } = analyst;
  const left = program.hasExited() ? `It ended, with exit code ${program.exitCode()}. ` : '';
  console.log(`${left}The service said at last:\n${program.output().slice(-saidLength)}`);
  throw error;
} finally {
  load.stop();
  await analyst.program.stop();
  source.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
}

async function sampleUntilOver(): Promise<void> {
  const startedAt = performance.now();
  const minutes = (): number => (performance.now() - startedAt) / 60_000;
  const stormEvery = Number(values['storm-every-minutes']);
  for (let storms = 0; minutes() < Number(values.minutes);) {
    if (minutes() >= (storms + 0.5) * stormEvery) {
      storms += 1;
      load.storm(Number(values['storm-alerts']));
    }
    await delay(sampleMs);
    rows.push(await sample(minutes() * 60));
    if (rows.length % samplesPerLine === 0) console.log(line(rows.slice(-samplesPerLine)));
  }
}

async function sample(seconds: number): Promise<Row> {
  const exposed = await readMetrics().catch(readMetrics);
  const lines = exposed.split('\n').map((each) => each.split(' '));
  const figures = new Map(lines.map(([name = '', value]) => [name, Number(value)]));
  const read = (name: string): number => figures.get(name) ?? NaN;
  const { failures, ...told } = load.sample();
  return {
    seconds, ...told,
    rssMb: read('process_resident_memory_bytes') / 2 ** 20,
    heapMb: read('nodejs_heap_size_used_bytes') / 2 ** 20,
    threadsMb: read('service_worker_memory_bytes{work="analysis"}') / 2 ** 20,
    externalMb: read('nodejs_external_memory_bytes') / 2 ** 20,
    majorCollections: read('nodejs_gc_duration_seconds_count{kind="major"}'),
    loopP99Ms: read('nodejs_eventloop_lag_p99_seconds') * 1000,
    queue: read('service_queue_size'),
    reports: read('service_reports'),
    open: read('service_episodes_open'),
    listeners: read('service_listeners'),
    files: read('process_open_fds'),
    diskMb: bytesIn(dataDirectory) / 1e6,
    failures: Object.entries(failures).map(([status, count]) => `${status}: ${count}`).join(', '),
  };
}

/** Fails where the service closes a connection for being idle in the moment it is used again. */
async function readMetrics(): Promise<string> {
  return (await fetch(`${analyst.url}/metrics`)).text();
}

/** A file that goes meanwhile counts for nothing. */
function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stat?.isFile() === true ? stat.size : 0);
  }, 0);
}

function printHead(): void {
  console.log(`${machine()}, ${values['per-second']} notifications/s, a storm of ` +
    `${values['storm-alerts']} every ${values['storm-every-minutes']} min`);
  console.log(columns.map(({ title }) => title).join('  '));
}

function line(minute: readonly Row[]): string {
  const cells = columns.map(({ title, of, digits, told }) =>
    told(minute.map(of)).toFixed(digits).padStart(title.length));
  const failures = minute.map((row) => row.failures).filter(Boolean).join(', ');
  return cells.join('  ') + (failures && `  failed ${failures}`);
}

/** Whether nothing grows and nothing is left. */
function conclude(atRest: Row, after: Row): boolean {
  const from = last(rows.map(({ seconds }) => seconds)) / 2;
  const later = rows.filter(({ seconds }) => seconds >= from);
  const members = [
    ['RSS', 'rssMb'], ['heap', 'heapMb'], ['threads', 'threadsMb'], ['external', 'externalMb'],
  ] as const;
  const trends = members.map(([name, member]) => {
    const samples = later.map((row) => ({ seconds: row.seconds, value: row[member] }));
    const trend = trendOf(floorsOf(samples, floorSeconds));
    console.log(`later half, floors of ${floorSeconds / 60} min: ${name} ` +
      `${trend.perHour.toFixed(2)} ± ${trend.plusMinus.toFixed(2)} MB per hour`);
    return trend;
  });
  const posts = sum(rows.map((row) => row.posts));
  console.log(`${posts} notifications answered, ${source.asked()} questions asked, at most ` +
    `${peakMemoryMb(analyst.program.pid).toFixed(0)} MB resident, webhook p99 of the minutes' ` +
    `worst ${most(later.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms in the later half, ` +
    `load average ${loadavg()[0]?.toFixed(1)}`);
  console.log(`before and ${calmMs / 1000} s after the load: RSS ${atRest.rssMb.toFixed(1)} and ` +
    `${after.rssMb.toFixed(1)} MB, files ${atRest.files} and ${after.files}, ` +
    `listeners ${after.listeners}, queue ${after.queue}, reports ${after.reports}`);
  const isLeft = after.listeners > 0 || after.queue > 0 || after.files > atRest.files + 2;
  const isGrowing = trends.some((trend) => grows(trend, growthAllowedMb));
  const isTold = trends.every((trend) => isSteady(trend, growthAllowedMb));
  if (isGrowing) console.log('It grows.');
  else if (isLeft) console.log('Something is left.');
  else if (isTold) console.log('Steady, and nothing is left.');
  else console.log('Nothing is left; the samples vary too much to tell whether it grows.');
  return !isGrowing && !isLeft;
}
