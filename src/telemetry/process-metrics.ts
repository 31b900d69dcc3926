/**
 * Metrics of the process under the names of the Prometheus client libraries and of Node's usual
 * one (siimon/prom-client), so that existing dashboards work with this service. Metrics that the
 * platform does not provide are omitted.
 */
import { readdirSync, readFileSync } from 'node:fs';
import {
  constants, monitorEventLoopDelay, performance, PerformanceObserver, type IntervalHistogram,
  type PerformanceEntry,
} from 'node:perf_hooks';
import type { Registry } from './metrics.ts';

/** Declares them and starts to observe; returns a function that stops observing. */
export function startProcessMetrics(registry: Registry): () => void {
  for (const [type, name, help, read] of figures) registry.collect({ type, name, help }, read);
  declareMemory(registry);
  declareVersion(registry);
  const stopLag = startEventLoopLag(registry);
  const stopGc = startGcDuration(registry);
  return () => {
    stopLag();
    stopGc();
  };
}

const microsecond = 1e-6;
const nanosecond = 1e-9;

type Figure = readonly ['counter' | 'gauge', name: string, help: string, () => number | null];

const figures: readonly Figure[] = [
  ['counter', 'process_cpu_seconds_total', 'CPU time spent, in user and system mode.', () =>
    (process.cpuUsage().user + process.cpuUsage().system) * microsecond],
  ['counter', 'process_cpu_user_seconds_total', 'CPU time spent in user mode.', () =>
    process.cpuUsage().user * microsecond],
  ['counter', 'process_cpu_system_seconds_total', 'CPU time spent in system mode.', () =>
    process.cpuUsage().system * microsecond],
  ['gauge', 'process_start_time_seconds', 'Start of the process, as a Unix time.', () =>
    performance.timeOrigin / 1000],
  ['gauge', 'process_virtual_memory_bytes', 'Virtual memory.', virtualMemory],
  ['gauge', 'process_open_fds', 'Open file descriptors.', openFiles],
  ['gauge', 'process_max_fds', 'Most file descriptors allowed.', openFilesMax],
];

function virtualMemory(): number | null {
  const kilobytes = /^VmSize:\s+(\d+) kB$/m.exec(readProc('status'))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** One fewer than listed, as the listing itself opens one. */
function openFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return null;
  }
}

/** The limit of this process; null where there is none or it is unknown. */
export function openFilesMax(): number | null {
  const limit = /^Max open files\s+(\d+)/m.exec(readProc('limits'))?.[1];
  return limit === undefined ? null : Number(limit);
}

/** Empty where there is no such file, as on any system but Linux. */
function readProc(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    return '';
  }
}

const memoryFigures = [
  ['rss', 'process_resident_memory_bytes', 'Resident memory.'],
  ['heapTotal', 'nodejs_heap_size_total_bytes', 'Size of the V8 heap of the main thread.'],
  ['heapUsed', 'nodejs_heap_size_used_bytes', 'Used part of the V8 heap of the main thread.'],
  ['external', 'nodejs_external_memory_bytes', 'Memory of objects outside the V8 heap.'],
] as const;

function declareMemory(registry: Registry): void {
  let usage: NodeJS.MemoryUsage | null = null;
  registry.beforeRender(() => {
    usage = memoryUsage();
  });
  for (const [part, name, help] of memoryFigures) {
    registry.collect({ type: 'gauge', name, help }, () => usage?.[part] ?? null);
  }
}

/** Null where Node cannot tell, as on Linux without `/proc`. */
function memoryUsage(): NodeJS.MemoryUsage | null {
  try {
    return process.memoryUsage();
  } catch {
    return null;
  }
}

function declareVersion(registry: Registry): void {
  const { version } = process;
  const [major = '', minor = '', patch = ''] = version.slice(1).split('.');
  registry.declare({
    type: 'gauge', name: 'nodejs_version_info',
    help: 'Always 1; the labels carry the version of Node.',
    labels: { version: [version], major: [major], minor: [minor], patch: [patch] },
  }).set(1, { version, major, minor, patch });
}

const lagResolutionMs = 10;

/** What is shown of the delay of the event loop. */
const lagFigures: Readonly<Record<string, (delay: IntervalHistogram) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (delay) => delay.percentile(50),
  p90: (delay) => delay.percentile(90),
  p99: (delay) => delay.percentile(99),
};

/**
 * Measured since the last scrape, as prom-client does. Every value includes the interval of the
 * sampling timer, except `nodejs_eventloop_lag_seconds`, which is the mean lateness alone.
 */
function startEventLoopLag(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delay.enable();
  const lag = new Map<string, number>();
  const lagOf = (figure: string) => () => lag.get(figure) ?? null;
  registry.beforeRender(() => {
    lag.clear();
    if (delay.count === 0) return;
    const sampling = lagResolutionMs / 1000 / nanosecond;
    lag.set('lateness', Math.max(0, delay.mean - sampling) * nanosecond);
    for (const [name, read] of Object.entries(lagFigures)) lag.set(name, read(delay) * nanosecond);
    delay.reset();
  });
  registry.collect({
    type: 'gauge', name: 'nodejs_eventloop_lag_seconds',
    help: 'Mean lag of the event loop since the last scrape.',
  }, lagOf('lateness'));
  for (const name of Object.keys(lagFigures)) {
    registry.collect({
      type: 'gauge', name: `nodejs_eventloop_lag_${name}_seconds`,
      help: `Delay of the event loop (${name}) since the last scrape.`,
    }, lagOf(name));
  }
  return () => void delay.disable();
}

const gcKinds: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

function startGcDuration(registry: Registry): () => void {
  const duration = registry.declare({
    type: 'histogram', name: 'nodejs_gc_duration_seconds',
    help: 'Duration of garbage collections in the main thread, by kind.',
    labels: { kind: [...gcKinds.values(), 'other'] }, buckets: [0.001, 0.01, 0.1, 1, 2, 5],
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      duration.observe(entry.duration / 1000, { kind: gcKindOf(entry) });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}

function gcKindOf(entry: PerformanceEntry): string {
  const detail: unknown = 'detail' in entry ? entry.detail : null;
  if (typeof detail !== 'object' || detail === null || !('kind' in detail)) return 'other';
  return gcKinds.get(detail.kind) ?? 'other';
}
