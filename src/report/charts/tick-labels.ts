import { binary, decimal } from '../../lib/quantity.ts';
import type { UnitScale } from './unit-scale.ts';

const smallTimes = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']] as const;
const largeTimes = [[86_400, 'd'], [3600, 'h'], [60, 'min']] as const;

/** Numbers below this are readable without a prefix. */
const plainMax = 10_000;

/**
 * Labels for ticks that are given in the axis' own unit and `step` apart, with as many digits as it
 * takes to distinguish them. All have the same prefix, except for bytes: 512 MiB, 1 GiB.
 */
export function tickLabels(ticks: readonly number[], step: number, scale: UnitScale): string[] {
  const largest = Math.max(...ticks.map(Math.abs));
  return ticks.map((tick) => {
    if (tick === 0) return '0';
    const { size, name } =
      axisUnit(scale.steps === 'binary' ? Math.abs(tick) : largest, step, scale);
    return `${tidy(tick / size)}${name}`;
  });
}

/** The unit in which an axis is labelled, in the axis' own, and what follows a number of it. */
export function axisUnit(
  largest: number,
  step: number,
  scale: UnitScale,
): { readonly size: number; readonly name: string } {
  const [size, name] = scale.steps === 'time' ? timeUnit(largest, step) : prefixed(largest, scale);
  return { size, name };
}

function timeUnit(largest: number, step: number): readonly [number, string] {
  if (step >= 1) {
    const [size, name] = largeTimes.find(([seconds]) => step % seconds === 0) ?? [1, 's'];
    return [size, ` ${name}`];
  }
  const [size, name] = smallTimes.find(([seconds]) => largest >= seconds) ?? [1e-9, 'ns'];
  return [size, ` ${name}`];
}

function prefixed(largest: number, { steps, suffix }: UnitScale): readonly [number, string] {
  const isBinary = steps === 'binary';
  const { base, names } = isBinary ? binary : decimal;
  if (largest < (isBinary ? base : plainMax) || largest >= base ** names.length) return [1, suffix];
  const whole = Math.floor(Math.log(largest * 1.000001) / Math.log(base));
  const power = Math.min(names.length - 1, whole);
  return [base ** power, ` ${names[power] ?? ''}${suffix.trimStart()}`];
}

/** Rounds away the noise of binary fractions. */
export function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
