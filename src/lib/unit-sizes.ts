/** The base unit that a unit is measured in, and its size: a minute is 60 `seconds`. */
interface UnitSize {
  readonly base: string;
  readonly size: number;
}

/** The units that metrics, rules and texts may use, by base unit. */
const sizes: readonly (readonly [base: string, units: Readonly<Record<string, number>>])[] = [
  ['seconds', {
    seconds: 1, milliseconds: 1e-3, microseconds: 1e-6, nanoseconds: 1e-9, minutes: 60,
    hours: 3600, days: 86_400,
  }],
  ['bytes', {
    bytes: 1, bits: 1 / 8, kibibytes: 1024, mebibytes: 1024 ** 2, gibibytes: 1024 ** 3,
    kilobytes: 1e3, megabytes: 1e6, gigabytes: 1e9,
  }],
  ['bytes_per_second', {
    bytes_per_second: 1, kibibytes_per_second: 1024, mebibytes_per_second: 1024 ** 2,
    gibibytes_per_second: 1024 ** 3, kilobytes_per_second: 1e3, megabytes_per_second: 1e6,
    gigabytes_per_second: 1e9, bits_per_second: 1 / 8, kilobits_per_second: 1e3 / 8,
    megabits_per_second: 1e6 / 8, gigabits_per_second: 1e9 / 8,
  }],
  ['per_second', { per_second: 1, per_minute: 1 / 60, per_hour: 1 / 3600 }],
  ['ratio', { ratio: 1, percent: 0.01 }],
  ['count', { count: 1 }],
  ['celsius', { celsius: 1 }],
];

const byUnit: ReadonlyMap<string, UnitSize> = new Map(
  sizes.flatMap(([base, units]) =>
    Object.entries(units).map(([unit, size]): [string, UnitSize] => [unit, { base, size }])),
);

/** Null for a unit that cannot be converted. */
export function sizeOfUnit(unit: string): UnitSize | null {
  return byUnit.get(unit) ?? null;
}

/** The units in which times, sizes and throughput are shown, whatever a metric is stored in. */
type ShownUnit = 'seconds' | 'bytes' | 'bytes_per_second' | 'bits_per_second';

/** The unit to show a time, size or throughput in, and the factor to it; null for other units. */
export function inShownUnit(
  unit: string,
): { readonly base: ShownUnit; readonly size: number } | null {
  const { base, size } = byUnit.get(unit) ?? { base: '', size: 1 };
  if (unit === 'bits') return null;
  if (base === 'bytes_per_second' && unit.endsWith('bits_per_second')) {
    return { base: 'bits_per_second', size: size * 8 };
  }
  return base === 'seconds' || base === 'bytes' || base === 'bytes_per_second'
    ? { base, size } : null;
}

/** The name of the unit of this size; null if it has none. */
export function unitOfSize({ base, size }: UnitSize): string | null {
  const units = sizes.find(([each]) => each === base)?.[1] ?? {};
  const found = Object.entries(units).find(([, each]) => Math.abs(size / each - 1) < 1e-9);
  return found?.[0] ?? null;
}

/** Converts a value to another unit; null if the two do not measure the same. */
export function inUnit(value: number, from: string, to: string): number | null {
  if (from === to) return value;
  const [given, wanted] = [sizeOfUnit(from), sizeOfUnit(to)];
  if (given === null || wanted === null || given.base !== wanted.base) return null;
  return value * (given.size / wanted.size);
}
