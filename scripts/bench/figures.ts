/** What all benchmarks print: the machine they ran on, and quantiles. */
import { availableParallelism, cpus, loadavg } from 'node:os';

/** `2026-11-20, 2 cores of …, Node v20.20.2, load average 0.3`. */
export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${availableParallelism()} cores of ${model}, Node ${process.version}, ` +
    `load average ${loadavg()[0]?.toFixed(1)}`;
}

/** NaN if there are no figures. */
export function quantile(figures: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(figures).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function median(figures: Iterable<number>): number {
  return quantile(figures, 0.5);
}

export function meanOf(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}
