import { axisUnit, tickLabels, tidy } from './tick-labels.ts';
import { clockSteps } from './time-axis.ts';
import { unitScale, type UnitScale } from './unit-scale.ts';

/** The vertical axis: its ends and ticks, in the values' own unit. */
export interface ValueAxis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
  /** Whether zero is not on it: heights cannot be compared, which a chart has to point out. */
  readonly isCut: boolean;
  /** A value times this, and what follows, is how the largest tick is labelled: `0.001`, ` k`. */
  readonly scale: number;
  readonly suffix: string;
}

/** A range below this share of the level would look flat on an axis from zero. */
const spreadShareMin = 0.1;
/** A range below this share of the level is rounding: the value is constant. */
const spreadShareLost = 1e-9;

/** Room above a constant value, so that it looks like a line and not like a border. */
const constantRoom = 1.3;

/** An axis for all of these values, with about `steps` steps between ticks. */
export function valueAxis(
  values: readonly number[],
  unit: string | null,
  steps: number,
): ValueAxis {
  const scale = unitScale(unit);
  const all = values.filter(Number.isFinite).map((value) => value * scale.factor);
  const lowest = all.reduce((a, b) => Math.min(a, b), Infinity);
  const highest = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const [from, to] = all.length === 0 ? [0, 1] : endsOf(lowest, highest, scale);
  const isWhole = scale.steps === 'decimal' && scale.suffix === '' && all.every(Number.isInteger);
  const step = stepOf((to - from) / steps, scale, isWhole);
  const [first, last] = [Math.floor(tidy(from / step)), Math.ceil(tidy(to / step))];
  const length = last - first + 1;
  const ticks = Array.from({ length }, (_, index) => tidy((first + index) * step));
  const labels = tickLabels(ticks, step, scale);
  const { size, name } = axisUnit(Math.max(...ticks.map(Math.abs)), step, scale);
  return {
    scale: tidy(scale.factor / size), suffix: name,
    from: (ticks[0] ?? from) / scale.factor, to: (ticks.at(-1) ?? to) / scale.factor,
    ticks: ticks.map((tick, index) => ({ value: tick / scale.factor, label: labels[index] ?? '' })),
    isCut: first > 0 || last < 0,
  };
}

function endsOf(lowest: number, highest: number, scale: UnitScale): readonly [number, number] {
  const spread = highest - lowest;
  const level = Math.max(Math.abs(lowest), Math.abs(highest));
  if (spread <= level * spreadShareLost) return endsOfConstant(level, lowest, scale);
  if (!scale.hasZero || spread < level * spreadShareMin) return [lowest, highest];
  return [Math.min(0, lowest), Math.max(0, highest)];
}

function endsOfConstant(
  level: number,
  lowest: number,
  { hasZero, suffix }: UnitScale,
): readonly [number, number] {
  if (level === 0) return [0, suffix === ' %' ? 100 : 1];
  if (!hasZero) return [lowest - level * 0.05, lowest + level * 0.05];
  return lowest < 0 ? [-level * constantRoom, 0] : [0, level * constantRoom];
}

/** The smallest round step that is at least `rough`. */
function stepOf(rough: number, { steps }: UnitScale, isWhole: boolean): number {
  if (steps === 'binary' && rough >= 1) return 2 ** Math.ceil(Math.log2(rough));
  if (steps === 'time' && rough > 1) {
    const round = clockSteps.find((step) => step >= rough);
    return round ?? 86_400 * decimalStep(rough / 86_400);
  }
  const step = decimalStep(rough);
  return isWhole ? Math.max(1, step) : step;
}

/** 1, 2 or 5 times a power of ten. */
function decimalStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5].find((each) => each * power >= rough * 0.999999) ?? 10;
  return tidy(factor * power);
}
