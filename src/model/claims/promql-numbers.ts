const seconds: Readonly<Record<string, number>> = {
  ms: 1e-3, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000,
};

/** A duration as PromQL writes it, in seconds. */
export function duration(number: number, unit: string): number {
  return number * (seconds[unit] ?? Number.NaN);
}
