/**
 * Metrics of the process under the names of the Prometheus client libraries and of Node's usual
 * one (siimon/prom-client), so that existing dashboards work with this service. Metrics that the
 * platform does not provide are omitted.
 */
import { readdirSync, readFileSync } from 'node:fs';
import {
  constants,
  monitorEventLoopDelay,
  performance,
  PerformanceObserver,
} from 'node:perf_hooks';
import type { IntervalHistogram, PerformanceEntry } from 'node:perf_hooks';
import type { Registry } from './metrics.ts';

/** Declares them and starts to observe; returns a function that stops observing. */
export function startProcessMetrics(registry: Registry): () => void {
  declareProcess(registry);
  declareFiles(registry);
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

function declareProcess(registry: Registry): void {
  const cpu = (collect: (usage: NodeJS.CpuUsage) => number): { collect: () => number } => ({
    collect: () => collect(process.cpuUsage()) * microsecond,
  });
  registry.counter(
    'process_cpu_seconds_total',
    'CPU time spent, in user and system mode.',
    cpu(({ user, system }) => user + system),
  );
  registry.counter(
    'process_cpu_user_seconds_total',
    'CPU time spent in user mode.',
    cpu(({ user }) => user),
  );
  registry.counter(
    'process_cpu_system_seconds_total',
    'CPU time spent in system mode.',
    cpu(({ system }) => system),
  );
  registry.gauge('process_start_time_seconds', 'Start of the process, as a Unix time.', {
    collect: () => performance.timeOrigin / 1000,
  });
  registry.gauge('process_resident_memory_bytes', 'Resident memory.', {
    collect: () => memoryUsage()?.rss ?? null,
  });
  registry.gauge('process_virtual_memory_bytes', 'Virtual memory.', { collect: virtualMemory });
}

function declareFiles(registry: Registry): void {
  registry.gauge('process_open_fds', 'Open file descriptors.', { collect: openFiles });
  registry.gauge('process_max_fds', 'Most file descriptors allowed.', { collect: openFilesMax });
}

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

function declareMemory(registry: Registry): void {
  let usage = memoryUsage();
  registry.beforeRender(() => {
    usage = memoryUsage();
  });
  registry.gauge('nodejs_heap_size_total_bytes', 'Size of the V8 heap of the main thread.', {
    collect: () => usage?.heapTotal ?? null,
  });
  registry.gauge('nodejs_heap_size_used_bytes', 'Used part of the V8 heap of the main thread.', {
    collect: () => usage?.heapUsed ?? null,
  });
  registry.gauge('nodejs_external_memory_bytes', 'Memory of objects outside the V8 heap.', {
    collect: () => usage?.external ?? null,
  });
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
  const labels = { version: [version], major: [major], minor: [minor], patch: [patch] };
  registry
    .gauge('nodejs_version_info', 'Always 1; the labels carry the version of Node.', { labels })
    .set(1, { version, major, minor, patch });
}

const lagResolutionMs = 10;

/**
 * Measured since the last scrape, as prom-client does. Every value includes the interval of the
 * sampling timer, except `nodejs_eventloop_lag_seconds`, which is the mean lateness alone.
 */
function startEventLoopLag(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delay.enable();
  const lateness = ({ mean }: IntervalHistogram): number =>
    Math.max(0, mean - lagResolutionMs / 1000 / nanosecond);
  const figures = {
    min: (lag: IntervalHistogram) => lag.min,
    max: (lag: IntervalHistogram) => lag.max,
    mean: (lag: IntervalHistogram) => lag.mean,
    stddev: (lag: IntervalHistogram) => lag.stddev,
    p50: (lag: IntervalHistogram) => lag.percentile(50),
    p90: (lag: IntervalHistogram) => lag.percentile(90),
    p99: (lag: IntervalHistogram) => lag.percentile(99),
  };
  const declared = [
    ['nodejs_eventloop_lag_seconds', 'Mean lag of the event loop since the last scrape.', lateness],
    ...Object.entries(figures).map(([name, figure]) => [
      `nodejs_eventloop_lag_${name}_seconds`,
      `Delay of the event loop (${name}) since the last scrape.`,
      figure,
    ] as const),
  ] as const;
  const gauges = declared.map(([name, help, figure]) => {
    let value: number | null = null;
    registry.gauge(name, help, { collect: () => value });
    return (lag: IntervalHistogram | null) => {
      value = lag === null ? null : figure(lag) * nanosecond;
    };
  });
  registry.beforeRender(() => {
    const lag = delay.count === 0 ? null : delay;
    for (const update of gauges) update(lag);
    delay.reset();
  });
  return () => {
    delay.disable();
  };
}

const gcKinds = ['major', 'minor', 'incremental', 'weakcb', 'other'] as const;
const gcBuckets = [0.001, 0.01, 0.1, 1, 2, 5];

const gcKindNames: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

function startGcDuration(registry: Registry): () => void {
  const duration = registry.histogram(
    'nodejs_gc_duration_seconds',
    'Duration of garbage collections in the main thread, by kind.',
    { labels: { kind: gcKinds }, buckets: gcBuckets },
  );
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      duration.observe(entry.duration / 1000, { kind: gcKindOf(entry) });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    observer.disconnect();
  };
}

function gcKindOf(entry: PerformanceEntry): string {
  const detail: unknown = 'detail' in entry ? entry.detail : null;
  if (typeof detail !== 'object' || detail === null || !('kind' in detail)) return 'other';
  return gcKindNames.get(detail.kind) ?? 'other';
}
