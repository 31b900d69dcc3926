/** What many systems have: hosts, runtimes, containers, and services that have nothing to do. */
import type { HistogramShape, Labels, Metrics } from '../shop/metrics.ts';
import { dayWave } from '../shop/noise.ts';
import type { Endpoint, World } from './world.ts';

/** Usual bounds of OpenTelemetry, of a Go client, and of milliseconds. */
export const otelBounds: HistogramShape = {
  bounds: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  steepness: 4,
};
export const goBounds: HistogramShape = {
  bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10], steepness: 4,
};
export const millisecondBounds: HistogramShape = {
  bounds: [5, 10, 25, 50, 80, 100, 250, 400, 700, 1000, 2000, 5000, 10_000, 30_000],
  steepness: 4,
};

export interface Traffic {
  readonly metrics: Metrics;
  readonly name: string;
  readonly labels: Labels;
  /** Label of the status, and shares of requests by status; the rest has the first one. */
  readonly status: string;
  readonly codes: Readonly<Record<string, number>>;
  /** Requests per second and the mean duration, in the unit of the shape. */
  readonly rate: number;
  readonly mean: number;
  readonly shape: HistogramShape;
}

/** Requests as a histogram with a label for the status, as most libraries have it. */
export function serve(world: World, dt: number, traffic: Traffic): void {
  const { metrics, name, labels, status, codes, rate, mean, shape } = traffic;
  const count = world.noise.count(rate * dt);
  const [usual = '200', ...others] = Object.keys(codes);
  let left = count;
  for (const code of others) {
    const some = Math.min(left, world.noise.count(count * (codes[code] ?? 0)));
    left -= some;
    metrics.observe(name, { ...labels, [status]: code }, some, mean, shape);
  }
  metrics.observe(name, { ...labels, [status]: usual }, left, mean, shape);
}

/** The wave of the day, `hours` ahead of UTC, with what is usual beside it. */
export function demand(world: World, name: string, hours = 0): number {
  return dayWave(world.now + hours * 3600) * world.noise.level(`demand of ${name}`, 0.06);
}

export interface Disk {
  readonly device: string;
  readonly mountpoint: string;
  readonly bytes: number;
  usedBytes: number;
}

/** A Linux host as the node exporter sees it. What is set here holds until it is set anew. */
export class LinuxHost {
  readonly metrics: Metrics;
  /** How busy its cores are. */
  busy = 0.6;
  memoryShare = 0.55;
  /** Bytes per second and the busy share, by device. */
  readonly reads: Map<string, number> = new Map();
  readonly writes: Map<string, number> = new Map();
  readonly ioBusy: Map<string, number> = new Map();
  ioPressure = 0.004;
  readonly #world: World;
  readonly #name: string;
  readonly #cores: number;
  readonly #memory: number;
  readonly #disks: readonly Disk[];

  constructor(
    world: World,
    endpoint: Endpoint,
    { cores, memory, disks }: {
      readonly cores: number; readonly memory: number; readonly disks: readonly Disk[];
    },
  ) {
    this.metrics = endpoint.metrics;
    this.#world = world;
    this.#name = endpoint.instance;
    this.#cores = cores;
    this.#memory = memory;
    this.#disks = disks;
  }

  step(dt: number): void {
    const { metrics } = this;
    const { noise, origin } = this.#world;
    const name = this.#name;
    const cores = this.#cores;
    const busy = Math.min(cores - 0.02, this.busy * noise.level(`${name} cpu`, 0.15));
    for (let cpu = 0; cpu < cores; cpu += 1) {
      const share = busy / cores;
      const waits = Math.min(1 - share, this.ioPressure * 0.6);
      const parts = {
        user: share * 0.74, system: share * 0.21, softirq: share * 0.05,
        iowait: waits, idle: Math.max(0, 1 - share - waits),
      };
      for (const [mode, part] of Object.entries(parts)) {
        metrics.add('node_cpu_seconds_total', { cpu: String(cpu), mode }, part * dt);
      }
    }
    metrics.set('node_load1', {}, busy * noise.level(`${name} load1`, 0.2));
    metrics.set('node_load5', {}, busy * noise.level(`${name} load5`, 0.06));
    metrics.set('node_boot_time_seconds', {}, origin - 41 * 86_400);
    metrics.set('node_memory_MemTotal_bytes', {}, this.#memory);
    const available = this.#memory * (1 - this.memoryShare * noise.level(`${name} mem`, 0.03));
    metrics.set('node_memory_MemAvailable_bytes', {}, available);
    metrics.add('node_context_switches_total', {}, (9000 + 4000 * busy) * dt);
    metrics.add('node_pressure_io_waiting_seconds_total', {}, this.ioPressure * dt);
    metrics.add('node_pressure_cpu_waiting_seconds_total', {}, busy / cores * 0.06 * dt);
    const bytes = 2.1e6 * noise.level(`${name} net`, 0.25) * dt;
    metrics.add('node_network_receive_bytes_total', { device: 'ens5' }, bytes);
    metrics.add('node_network_transmit_bytes_total', { device: 'ens5' }, bytes * 1.3);
    for (const disk of this.#disks) this.#useDisk(disk, dt);
  }

  #useDisk({ device, mountpoint, bytes, usedBytes }: Disk, dt: number): void {
    const { metrics } = this;
    const { noise } = this.#world;
    const unrest = noise.level(`${this.#name} ${device}`, 0.2);
    const reads = (this.reads.get(device) ?? 80_000) * unrest;
    const writes = (this.writes.get(device) ?? 300_000) * unrest;
    const busy = Math.min(1, (this.ioBusy.get(device) ?? 0.02) * unrest);
    metrics.add('node_disk_read_bytes_total', { device }, reads * dt);
    metrics.add('node_disk_written_bytes_total', { device }, writes * dt);
    metrics.add('node_disk_io_time_seconds_total', { device }, busy * dt);
    const wait = busy > 0.9 ? 0.06 : 0.0006;
    metrics.add('node_disk_reads_completed_total', { device }, reads / 32_768 * dt);
    metrics.add('node_disk_read_time_seconds_total', { device }, reads / 32_768 * wait * dt);
    const labels = { device: `/dev/${device}`, fstype: 'xfs', mountpoint };
    metrics.set('node_filesystem_size_bytes', labels, bytes);
    metrics.set('node_filesystem_avail_bytes', labels, bytes - usedBytes);
  }
}

export interface Process {
  /** Cores that it uses, and bytes of resident memory. */
  readonly cpu: number;
  readonly memory: number;
  readonly startedAt: number;
}

/** What the libraries of Go, Python and others have of the process. */
export function exposeProcess(
  world: World,
  { metrics, instance }: Endpoint,
  dt: number,
  { cpu, memory, startedAt }: Process,
): void {
  const { noise } = world;
  const used = cpu * noise.level(`${instance} process`, 0.1);
  metrics.add('process_cpu_seconds_total', {}, used * dt);
  const resident = memory * noise.level(`${instance} rss`, 0.02);
  metrics.set('process_resident_memory_bytes', {}, Math.round(resident));
  metrics.set('process_start_time_seconds', {}, startedAt);
  metrics.set('process_open_fds', {}, Math.round(60 * noise.level(`${instance} fds`, 0.08)));
}

export function exposeGo(world: World, { metrics, instance }: Endpoint, goroutines: number): void {
  const { noise } = world;
  const now = goroutines * noise.level(`${instance} goroutines`, 0.05);
  metrics.set('go_goroutines', {}, Math.round(now));
  const heap = 74e6 * noise.level(`${instance} heap`, 0.12);
  metrics.set('go_memstats_heap_inuse_bytes', {}, Math.round(heap));
  metrics.set('go_threads', {}, Math.round(18 * noise.level(`${instance} threads`, 0.03)));
  metrics.set('go_info', { version: 'go1.23.4' }, 1);
}

export interface Container {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly node: string;
  /** Cores, and bytes that are in use. */
  readonly cpu: number;
  readonly memory: number;
  /** Bytes per second. */
  readonly reads?: number;
  readonly writes?: number;
}

/** As cAdvisor and kube-state-metrics see them; `kube` may be the same endpoint. */
export function exposeContainers(
  world: World,
  dt: number,
  { cadvisor, kube, all }: {
    readonly cadvisor: Metrics; readonly kube: Metrics; readonly all: readonly Container[];
  },
): void {
  const { noise } = world;
  for (const { namespace, pod, container, node, cpu, memory, reads = 0, writes = 9000 } of all) {
    const labels = { namespace, pod, container, node };
    const level = noise.level(`${pod} cpu`, 0.12);
    cadvisor.add('container_cpu_usage_seconds_total', labels, cpu * level * dt);
    const used = Math.round(memory * noise.level(`${pod} memory`, 0.03));
    cadvisor.set('container_memory_working_set_bytes', labels, used);
    cadvisor.add('container_fs_reads_bytes_total', labels, reads * level * dt);
    cadvisor.add('container_fs_writes_bytes_total', labels, writes * level * dt);
    kube.set('kube_pod_info', { namespace, pod, node, host_network: 'false' }, 1);
    kube.set('kube_pod_status_phase', { namespace, pod, phase: 'Running' }, 1);
    kube.set('kube_pod_container_status_restarts_total', { namespace, pod, container }, 0);
  }
}

/** A pod is gone: none of its series is left. */
export function removePod(metrics: Metrics, pod: string): void {
  const names = new Set([...metrics.samples()].filter(({ labels }) => labels['pod'] === pod)
    .map(({ name }) => name));
  for (const name of names) metrics.remove(name, { pod });
}
