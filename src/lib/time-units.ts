export const minuteMs = 60_000;
export const hourMs: number = 60 * minuteMs;
export const dayMs: number = 24 * hourMs;

const sizes: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-9], ['us', 1e-6], ['µs', 1e-6], ['μs', 1e-6], ['microsecond', 1e-6], ['ms', 1e-3],
  ['millisecond', 1e-3], ['s', 1], ['sec', 1], ['second', 1], ['m', 60], ['min', 60],
  ['minute', 60], ['h', 3600], ['hr', 3600], ['hour', 3600], ['d', 86_400], ['day', 86_400],
  ['w', 604_800], ['week', 604_800], ['y', 31_536_000],
]);

/**
 * How many seconds a unit of time has, as texts and PromQL write it: `ms`, `min`, `hours`. Null for
 * any other word.
 */
export function secondsIn(unit: string): number | null {
  const single = unit.length > 2 ? unit.replace(/s$/, '') : unit;
  return sizes.get(single) ?? null;
}
