/** Hosts as the node exporter sees them, probes from outside, and jobs that run by the clock. */
import type { Noise } from './noise.ts';
import type { DiskPlan } from './plan.ts';
import { Target } from './target.ts';

const cores = 4;

export class Host extends Target {
  readonly name: string;
  /** Cores that are busy beside the services that run here. */
  busyCores = 0.2;
  /** By which its clock is wrong. */
  clockOffsetSeconds = 0;
  bootedAt = 0;
  /** No target on it answers, and it answers nobody. */
  isCutOff = false;
  /** Bytes per second that are written and not deleted, by mountpoint. */
  readonly fill: Map<string, number> = new Map();
  readonly #used = new Map<string, number>();
  readonly #disks: readonly DiskPlan[];
  #serviceCores = 0;

  constructor(name: string, disks: readonly DiskPlan[]) {
    super('node', `${name}:9100`, name);
    this.name = name;
    this.#disks = disks;
    for (const { mountpoint, bytes, usedShare } of disks) {
      this.#used.set(mountpoint, bytes * usedShare);
    }
  }

  useCores(share: number): void {
    this.#serviceCores += share;
  }

  /** Sets the share of a disk that is used. */
  setUsed(mountpoint: string, share: number): void {
    const disk = this.#disks.find((each) => each.mountpoint === mountpoint);
    if (disk === undefined) throw new Error(`${this.name} has no disk ${mountpoint}`);
    this.#used.set(mountpoint, disk.bytes * share);
  }

  step(seconds: number, dt: number, noise: Noise): void {
    const { metrics, name } = this;
    const wanted = this.busyCores * noise.level(`${name} cpu`, 0.2) + this.#serviceCores;
    const busy = Math.min(cores - 0.05, wanted);
    this.#serviceCores = 0;
    for (const [mode, share] of [['user', 0.8], ['system', 0.2]] as const) {
      metrics.add('node_cpu_seconds_total', { mode }, busy * share * dt);
    }
    metrics.add('node_cpu_seconds_total', { mode: 'idle' }, (cores - busy) * dt);
    metrics.set('node_load1', {}, wanted * noise.level(`${name} load`, 0.15));
    metrics.set('node_time_seconds', {}, seconds + this.clockOffsetSeconds);
    metrics.set('node_timex_offset_seconds', {}, this.clockOffsetSeconds + 2e-4 * noise.normal());
    const isInSync = Math.abs(this.clockOffsetSeconds) < 0.1;
    metrics.set('node_timex_sync_status', {}, isInSync ? 1 : 0);
    metrics.set('node_boot_time_seconds', {}, this.bootedAt + this.clockOffsetSeconds);
    metrics.set('node_memory_MemTotal_bytes', {}, 16e9);
    metrics.set('node_memory_MemAvailable_bytes', {}, 9e9 * noise.level(`${name} memory`, 0.03));
    const bytes = 300_000 * noise.level(`${name} net`, 0.2) * (1 + wanted) * dt;
    metrics.add('node_network_receive_bytes_total', { device: 'eth0' }, bytes);
    metrics.add('node_network_transmit_bytes_total', { device: 'eth0' }, bytes * 1.4);
    for (const disk of this.#disks) this.#exposeDisk(disk, dt);
  }

  #exposeDisk({ mountpoint, bytes }: DiskPlan, dt: number): void {
    const before = this.#used.get(mountpoint) ?? 0;
    const written = this.fill.get(mountpoint) ?? 0;
    const used = Math.min(bytes, before + written * dt);
    this.#used.set(mountpoint, used);
    const labels = { device: mountpoint === '/' ? 'vda1' : 'vdb', fstype: 'ext4', mountpoint };
    this.metrics.set('node_filesystem_size_bytes', labels, bytes);
    this.metrics.set('node_filesystem_avail_bytes', labels, bytes - used);
    const device = { device: labels.device };
    this.metrics.add('node_disk_written_bytes_total', device, (20_000 + written) * dt);
  }
}

export class Probe extends Target {
  /** Seconds since 1970. */
  expiresAt: number;
  /** Null while it answers; otherwise the status that it answers with, 0 for no answer. */
  failure: number | null = null;

  constructor(url: string, expiresAt: number) {
    super('blackbox', url, null);
    this.expiresAt = expiresAt;
  }

  step(seconds: number, noise: Noise): void {
    const { metrics } = this;
    const isRefused = seconds > this.expiresAt;
    const status = isRefused ? 0 : this.failure ?? 200;
    metrics.set('probe_success', {}, status === 200 ? 1 : 0);
    metrics.set('probe_http_status_code', {}, status);
    metrics.set('probe_duration_seconds', {}, 0.08 * noise.level(`${this.instance} probe`, 0.2));
    metrics.set('probe_ssl_earliest_cert_expiry', {}, this.expiresAt);
  }
}

/** One target for all jobs, as with a push gateway. */
export class Cron extends Target {
  /** Jobs that do not run. */
  readonly stopped: Set<string> = new Set();
  /** Jobs that run and fail. */
  readonly failing: Set<string> = new Set();
  readonly #every: Readonly<Record<string, number>>;
  readonly #ranAt = new Map<string, number>();

  constructor(every: Readonly<Record<string, number>>) {
    super('pushgateway', 'app-1:9091', 'app-1');
    this.#every = every;
  }

  step(seconds: number, noise: Noise): void {
    for (const [cronjob, every] of Object.entries(this.#every)) {
      const labels = { cronjob };
      const due = Math.floor(seconds / every) * every;
      if (this.stopped.has(cronjob) || this.#ranAt.get(cronjob) === due) continue;
      this.#ranAt.set(cronjob, due);
      this.metrics.set('cronjob_last_start_timestamp_seconds', labels, due);
      const isFailing = this.failing.has(cronjob);
      this.metrics.add('cronjob_failures_total', labels, isFailing ? 1 : 0);
      if (isFailing) continue;
      this.metrics.set('cronjob_last_success_timestamp_seconds', labels, due + 2);
      const took = 2 * noise.level(`${cronjob} took`, 0.2);
      this.metrics.set('cronjob_last_duration_seconds', labels, took);
    }
  }
}
