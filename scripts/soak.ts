/**
 * Runs mixed load for an hour and watches memory, file descriptors and latency.
 *
 *   npx tsx scripts/soak.ts [--minutes 60] [--per-second 1] [--storm-every-minutes 10]
 *       [--storm-alerts 300] [--reports 500] [--workers 2] [--dir FOLDER] [--main dist/main.js]
 *       [--plain-malloc]
 *
 * The sources of evidence fail, break off or never answer now and then. malloc is set as by the
 * systemd unit, unless --plain-malloc is given. Prints a line every minute; at the end the trends
 * of the second half, in which caches are full, the heap has grown to its size and
 * RETENTION_REPORTS (--reports) is reached; and what is left once the load is over. Exits with 1 if
 * memory grows, or queue, listeners or file descriptors do not return to what they were.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createCleanup } from '../test/support/cleanup.ts';
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
/** Trends are computed from the lowest memory in each stretch of this length. */
const floorSeconds = 300;
/** Per hour. */
const growthAllowedMb = 1;
/** Characters of the service's log to print if it fails. */
const outputLength = 4_000;
/** By then the worker threads have loaded their code. */
const restMs = 5_000;
/** By then keep-alive connections and listeners that disconnected are gone. */
const calmMs = 30_000;
/** High enough to refuse nothing; unlike with 0, clients are still counted. */
const limits = {
  RATE_LIMIT_PER_CLIENT: '100000', RATE_LIMIT_TOTAL: '1000000',
  READ_LIMIT_PER_CLIENT: '100000', READ_LIMIT_TOTAL: '1000000',
};

interface Column {
  readonly title: string;
  readonly of: (row: Row) => number;
  readonly digits: number;
  /** Sums up the samples of a minute. */
  readonly ofMinute: (values: readonly number[]) => number;
}

const last = (figures: readonly number[]): number => figures.at(-1) ?? NaN;
const least = (figures: readonly number[]): number => Math.min(...figures);
const most = (figures: readonly number[]): number =>
  Math.max(...figures.filter((figure) => !Number.isNaN(figure)));
const sum = (figures: readonly number[]): number => figures.reduce((all, each) => all + each, 0);

const columns: readonly Column[] = [
  { title: 'min', of: ({ seconds }) => seconds / 60, digits: 0, ofMinute: last },
  { title: 'RSS MB', of: ({ rssMb }) => rssMb, digits: 1, ofMinute: least },
  { title: 'heap', of: ({ heapMb }) => heapMb, digits: 1, ofMinute: least },
  { title: 'threads', of: ({ threadsMb }) => threadsMb, digits: 1, ofMinute: least },
  { title: 'external', of: ({ externalMb }) => externalMb, digits: 1, ofMinute: least },
  { title: 'major GCs', of: ({ majorCollections }) => majorCollections, digits: 0, ofMinute: last },
  { title: 'loop p99 ms', of: ({ loopP99Ms }) => loopP99Ms, digits: 1, ofMinute: most },
  { title: 'queue', of: ({ queue }) => queue, digits: 0, ofMinute: last },
  { title: 'reports', of: ({ reports }) => reports, digits: 0, ofMinute: last },
  { title: 'open', of: ({ open }) => open, digits: 0, ofMinute: last },
  { title: 'listeners', of: ({ listeners }) => listeners, digits: 0, ofMinute: last },
  { title: 'files', of: ({ files }) => files, digits: 0, ofMinute: last },
  { title: 'disk MB', of: ({ diskMb }) => diskMb, digits: 1, ofMinute: last },
  { title: 'posts', of: ({ posts }) => posts, digits: 0, ofMinute: sum },
  { title: 'p50 ms', of: ({ p50Ms }) => p50Ms, digits: 1, ofMinute: most },
  { title: 'p99 ms', of: ({ p99Ms }) => p99Ms, digits: 1, ofMinute: most },
  { title: 'page p99', of: ({ pageP99Ms }) => pageP99Ms, digits: 1, ofMinute: most },
];

const values = scriptOptions(import.meta.url, {
  minutes: { type: 'number', default: 60 },
  'per-second': { type: 'number', default: 1 },
  'storm-every-minutes': { type: 'number', default: 10 },
  'storm-alerts': { type: 'number', default: 300 },
  reports: { type: 'number', default: 500 },
  workers: { type: 'number', default: 2 },
  dir: { type: 'string', default: tmpdir() },
  main: { type: 'string' },
  'plain-malloc': { type: 'boolean', default: false },
});
const directory = mkdtempSync(join(values.dir, 'alert-analyst-soak-'));
const dataDirectory = join(directory, 'data');
const cleanup = createCleanup();
const source = await startAnsweringSource(cleanup);
const analyst = await startAnalyst({
  dataDirectory,
  env: {
    ...limits, ...values['plain-malloc'] ? {} : mallocOfUnit(),
    RETENTION_REPORTS: String(values.reports), WORKERS: String(values.workers),
    PROMETHEUS_URL: source.url, ALERTMANAGER_URL: source.url, LOKI_URL: source.url,
  },
  main: values.main,
}).catch(async (error: unknown) => {
  rmSync(directory, { recursive: true, force: true });
  throw error;
});
const load = new MixedLoad({ url: analyst.url, perSecond: values['per-second'] });
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
  const end = program.hasExited() ? `The service exited with ${program.exitCode()}. ` : '';
  console.log(`${end}The end of its log:\n${program.output().slice(-outputLength)}`);
  throw error;
} finally {
  load.stop();
  await analyst.program.stop();
  await cleanup.undo();
  rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
}

async function sampleUntilOver(): Promise<void> {
  const startedAt = performance.now();
  const minutes = (): number => (performance.now() - startedAt) / 60_000;
  for (let storms = 0; minutes() < values.minutes;) {
    if (minutes() >= (storms + 0.5) * values['storm-every-minutes']) {
      storms += 1;
      load.storm(values['storm-alerts']);
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
  const { failures, ...sampled } = load.sample();
  return {
    seconds, ...sampled,
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

/** Fails if the service closes the idle connection in the moment that it is reused. */
async function readMetrics(): Promise<string> {
  return (await fetch(`${analyst.url}/metrics`)).text();
}

function mallocOfUnit(): Record<string, string> {
  const unit = readFileSync(new URL('deploy/alert-analyst.service', import.meta.url), 'utf8');
  return Object.fromEntries([...unit.matchAll(/\b(MALLOC_\w+)=(\S+)/g)]
    .map(([, name = '', value = '']) => [name, value]));
}

/** Files that are removed meanwhile count as empty. */
function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return sum(names.map((name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return stat?.isFile() === true ? stat.size : 0;
  }));
}

function printHead(): void {
  console.log(`${machine()}, ${values['per-second']} notifications/s, a storm of ` +
    `${values['storm-alerts']} every ${values['storm-every-minutes']} min`);
  console.log(columns.map(({ title }) => title).join('  '));
}

function line(minute: readonly Row[]): string {
  const cells = columns.map(({ title, of, digits, ofMinute }) =>
    ofMinute(minute.map(of)).toFixed(digits).padStart(title.length));
  const failures = minute.map((row) => row.failures).filter(Boolean).join(', ');
  return cells.join('  ') + (failures && `  failed ${failures}`);
}

/** Prints the results. Returns whether memory is steady and nothing is left. */
function conclude(atRest: Row, after: Row): boolean {
  const from = last(rows.map(({ seconds }) => seconds)) / 2;
  const later = rows.filter(({ seconds }) => seconds >= from);
  const members = [
    ['RSS', 'rssMb'], ['heap', 'heapMb'], ['threads', 'threadsMb'], ['external', 'externalMb'],
  ] as const;
  const trends = members.map(([name, member]) => {
    const samples = later.map((row) => ({ seconds: row.seconds, value: row[member] }));
    const trend = trendOf(floorsOf(samples, floorSeconds));
    console.log(`second half, floors of ${floorSeconds / 60} min: ${name} ` +
      `${trend.perHour.toFixed(2)} ± ${trend.plusMinus.toFixed(2)} MB per hour`);
    return trend;
  });
  const posts = sum(rows.map((row) => row.posts));
  console.log(`${posts} notifications answered, ${source.asked()} queries to sources, at most ` +
    `${peakMemoryMb(analyst.program.pid).toFixed(0)} MB resident, highest webhook p99 of the ` +
    `second half ${most(later.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms, ` +
    `load average ${loadavg()[0]?.toFixed(1)}`);
  console.log(`before and ${calmMs / 1000} s after the load: RSS ${atRest.rssMb.toFixed(1)} and ` +
    `${after.rssMb.toFixed(1)} MB, files ${atRest.files} and ${after.files}, ` +
    `listeners ${after.listeners}, queue ${after.queue}, reports ${after.reports}`);
  const isLeft = after.listeners > 0 || after.queue > 0 || after.files > atRest.files + 2;
  const isGrowing = trends.some((trend) => grows(trend, growthAllowedMb));
  const isCertain = trends.every((trend) => isSteady(trend, growthAllowedMb));
  if (isGrowing) console.log('Memory grows.');
  else if (isLeft) console.log('Queue, listeners or files are left.');
  else if (isCertain) console.log('Memory is steady, and nothing is left.');
  else console.log('Nothing is left, but memory varies too much to tell whether it grows.');
  return !isGrowing && !isLeft;
}
