import { inShownUnit } from '../../lib/unit-sizes.ts';

/** How values of a unit are scaled and labelled on an axis. */
export interface UnitScale {
  /** The number system in which steps between ticks are round. */
  readonly steps: 'decimal' | 'binary' | 'time';
  /** Factor from the value's unit to that of the axis: seconds, bytes, percent or unchanged. */
  readonly factor: number;
  /** Follows a number without a prefix. */
  readonly suffix: string;
  /** Whether zero is a natural minimum, so that heights can be compared. */
  readonly hasZero: boolean;
}

const others: ReadonlyMap<string, Partial<UnitScale>> = new Map<string, Partial<UnitScale>>([
  ['ratio', { factor: 100, suffix: ' %' }],
  ['percent', { suffix: ' %' }],
  ['per_second', { suffix: '/s' }],
  ['per_minute', { suffix: '/min' }],
  ['celsius', { suffix: ' °C', hasZero: false }],
  ['timestamp_seconds', { hasZero: false }],
  ['volts', { suffix: ' V' }], ['amperes', { suffix: ' A' }], ['watts', { suffix: ' W' }],
  ['joules', { suffix: ' J' }], ['hertz', { suffix: ' Hz' }],
]);

/** The scale of a `unit` member of a report; an unknown unit has no suffix. */
export function unitScale(unit: string | null): UnitScale {
  const plain: UnitScale = { steps: 'decimal', factor: 1, suffix: '', hasZero: true };
  if (unit === null) return plain;
  const { base, size: factor } = inShownUnit(unit) ?? { base: unit, size: 1 };
  if (base === 'seconds') return { ...plain, steps: 'time', factor, suffix: ' s' };
  if (base === 'bytes') return { ...plain, steps: 'binary', factor, suffix: ' B' };
  if (base === 'bytes_per_second') return { ...plain, steps: 'binary', factor, suffix: ' B/s' };
  if (base === 'bits_per_second') return { ...plain, factor, suffix: ' bit/s' };
  return { ...plain, ...others.get(unit) };
}
