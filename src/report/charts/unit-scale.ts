/** How the values of a unit are counted on an axis. */
export interface UnitScale {
  /** What steps between ticks are round in. */
  readonly steps: 'decimal' | 'binary' | 'time';
  /** A value times this is in the unit of the axis: seconds, percent, or what it was. */
  readonly factor: number;
  readonly suffix: string;
  /** Whether zero is the least there can be, so that heights can be compared. */
  readonly hasZero: boolean;
}

const secondsPer: ReadonlyMap<string, number> = new Map([
  ['nanoseconds', 1e-9], ['microseconds', 1e-6], ['milliseconds', 1e-3], ['seconds', 1],
  ['minutes', 60], ['hours', 3600], ['days', 86_400],
]);

const others: ReadonlyMap<string, Partial<UnitScale>> = new Map<string, Partial<UnitScale>>([
  ['ratio', { factor: 100, suffix: ' %' }],
  ['percent', { suffix: ' %' }],
  ['bytes', { steps: 'binary', suffix: 'B' }],
  ['bytes_per_second', { steps: 'binary', suffix: 'B/s' }],
  ['bits_per_second', { suffix: 'bit/s' }],
  ['per_second', { suffix: '/s' }],
  ['per_minute', { suffix: '/min' }],
  ['celsius', { suffix: ' °C', hasZero: false }],
  ['timestamp_seconds', { hasZero: false }],
  ['volts', { suffix: ' V' }], ['amperes', { suffix: ' A' }], ['watts', { suffix: ' W' }],
  ['joules', { suffix: ' J' }], ['hertz', { suffix: ' Hz' }],
]);

/** The scale of a `unit` member of a report; an unfamiliar word is counted without its name. */
export function unitScale(unit: string | null): UnitScale {
  const plain: UnitScale = { steps: 'decimal', factor: 1, suffix: '', hasZero: true };
  if (unit === null) return plain;
  const factor = secondsPer.get(unit);
  if (factor !== undefined) return { ...plain, steps: 'time', factor, suffix: ' s' };
  return { ...plain, ...others.get(unit) };
}
