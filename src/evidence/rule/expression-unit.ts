import { isWord } from '../../lib/promql/promql-tokens.ts';
import { selectorsIn, type Call, type Node, type Selector } from '../../lib/promql/promql-tree.ts';
import { sizeOfUnit, unitOfSize } from '../../lib/unit-sizes.ts';
import { isCounterName } from '../../statistics/names/metric-kind.ts';
import { unitOf } from '../../statistics/names/metric-unit.ts';
import { metricWords } from '../../statistics/names/metric-words.ts';
import { quotientIn } from './divisor.ts';
import { combine, type Operand, type UnitQuantity } from './unit-arithmetic.ts';

/** Recording rules of SLOs, one for each range. */
const shareOfErrors = /(?:ratio_rate|burnrate)\d+[smhdw]$/u;

/** The time that a program kept CPUs busy: per second, that is a number of them and no share. */
const cpuTime = /^(?:container_cpu_usage|process_cpu)_seconds_total$/u;

const rates = new Set(['rate', 'irate', 'deriv']);
/** Functions that return a count, whatever the unit of their argument. */
const counting = new Set(['count', 'count_values', 'changes', 'resets', 'count_over_time']);
/** Functions that keep the unit of their argument. */
const keeping = new Set([
  'sum', 'avg', 'min', 'max', 'median', 'quantile', 'stddev', 'topk', 'bottomk', 'limitk',
  'limit_ratio', 'sum_over_time', 'avg_over_time', 'min_over_time', 'max_over_time',
  'first_over_time', 'last_over_time', 'quantile_over_time', 'stddev_over_time', 'mad_over_time',
  'median_over_time', 'increase', 'delta', 'idelta', 'predict_linear', 'holt_winters',
  'double_exponential_smoothing', 'abs', 'ceil', 'floor', 'round', 'clamp', 'clamp_min',
  'clamp_max', 'sort', 'sort_desc', 'sort_by_label', 'sort_by_label_desc', 'label_replace',
  'label_join', 'scalar', 'vector', 'info', 'histogram_sum',
]);

/** What Kubernetes reserves, and its units by the label `resource`. */
const reserved = /^kube_\w+_(?:resource_(?:requests|limits)|allocatable|capacity)$/u;
const resourceUnits: ReadonlyMap<string, string> = new Map([['cpu', 'cores'], ['memory', 'bytes']]);

export interface UnitReading {
  /** Null unless it is certain. */
  readonly unit: string | null;
  /** Whether arithmetic has changed the unit, so that no usual unit may be assumed. */
  readonly isRescaled: boolean;
}

/**
 * The unit of an expression's value, from the names of its metrics (Prometheus naming practice)
 * and from the arithmetic on them: seconds times 1000 are milliseconds.
 */
export function expressionUnit(node: Node): UnitReading {
  const part = partOf(node);
  if (part === null) return { unit: null, isRescaled: true };
  if (part.kind === 'number') return { unit: null, isRescaled: false };
  return { unit: nameOf(part), isRescaled: part.size !== 1 };
}

function nameOf({ base, isRate, size }: UnitQuantity): string | null {
  // Seconds per second may be a share or a number of CPUs; times 100 it is a percentage.
  if (base === null || (base.endsWith('seconds') && isRate)) {
    if (base === 'cpu_seconds' && size === 1) return 'cores';
    return unitOfSize({ base: 'ratio', size }) === 'percent' ? 'percent' : null;
  }
  const counted = base === 'series' ? 'count' : base === 'cpu_seconds' ? 'seconds' : base;
  if (!isRate) return unitOfSize({ base: counted, size });
  return unitOfSize({ base: counted === 'count' ? 'per_second' : `${counted}_per_second`, size });
}

const unknown: UnitQuantity = { kind: 'quantity', base: null, isRate: false, size: 1 };

function partOf(node: Node): Operand | null {
  switch (node.kind) {
    case 'number': return { kind: 'number', value: node.value };
    case 'text': return { kind: 'number', value: Number.NaN };
    case 'selector': return quantityOf(node);
    case 'call': return called(node);
    case 'parentheses': case 'timed': return partOf(node.inner);
    case 'signed': {
      const part = partOf(node.inner);
      return part?.kind === 'number' && node.isNegative ? { ...part, value: -part.value } : part;
    }
    case 'binary': {
      const { operator, left, right, isBool, matching } = node;
      if (isBool) return null;
      const isJoined = matching.some((token) => isWord(token, 'group_left', 'group_right'));
      const [a, b] = [partOf(left), partOf(right)];
      const part = combine(operator, { left: a, right: b, isJoined });
      const isShare = operator === '/' && a?.kind === 'quantity' && b?.kind === 'quantity' &&
        a.base === b.base && a.isRate === b.isRate && isOfLimit(left, right);
      return isShare && part?.kind === 'quantity' ? { ...part, base: 'ratio' } : part;
    }
  }
}

/**
 * Whether it divides one thing by another of a kind that is as unknown, as in `used / total`. What
 * has a unit is divided by something else only if that has none.
 */
export function isShareOfLike(whole: Node): boolean {
  const quotient = quotientIn(whole);
  if (quotient === null) return false;
  const [a, b] = [partOf(quotient.left), partOf(quotient.right)];
  return a?.kind === 'quantity' && b?.kind === 'quantity' && a.base === null && b.base === null &&
    a.isRate === b.isRate && a.size === b.size;
}

/** Whether both sides read one metric, or one and its limit: `entries / entries_limit`. */
function isOfLimit(part: Node, whole: Node): boolean {
  const [name = '', limit] = [part, whole].map((side) =>
    [...new Set(selectorsIn(side).map(({ metric }) => metric))].join(','));
  return name !== '' && ['', '_limit', '_max', '_capacity'].some((end) => limit === name + end);
}

function called({ name, arguments: given }: Call): Operand | null {
  if (counting.has(name)) return { ...unknown, base: 'series' };
  if (name === 'time' || name === 'timestamp') return { ...unknown, base: 'seconds' };
  if (name === 'histogram_quantile') return observedIn(given);
  const parts = given.map(partOf);
  if (parts.includes(null)) return null;
  // The number in `quantile(0.9, x)` and `clamp_max(x, 10)` is only a parameter.
  const part = parts.find((each) => each?.kind === 'quantity') ?? parts[0] ?? null;
  if (part?.kind === 'quantity') {
    if (rates.has(name)) return part.isRate ? unknown : { ...part, isRate: true };
    // Native histograms: observations, their mean or deviation, and a share of them.
    if (name === 'histogram_count') return { ...part, base: 'count', size: 1 };
    if (['histogram_avg', 'histogram_stddev'].includes(name)) return { ...part, isRate: false };
    if (name === 'histogram_fraction') return { ...unknown, base: 'ratio' };
  }
  return keeping.has(name) ? part : null;
}

/** A histogram quantile has the unit of the observations, not of the bucket counts. */
function observedIn(given: readonly Node[]): Operand | null {
  const known = given.flatMap(selectorsIn)
    .map((each) => quantityOf({ ...each, metric: each.metric?.replace(/_bucket$/u, '') ?? null }))
    .filter(({ base }) => base !== null);
  const [first = unknown] = known;
  return known.every(({ base, size }) => base === first.base && size === first.size) ? first : null;
}

function quantityOf({ metric, matchers }: Selector): UnitQuantity {
  if (metric === null) return unknown;
  if (cpuTime.test(metric)) return { ...unknown, base: 'cpu_seconds' };
  const resource = matchers.find(({ label, sign }) => label === 'resource' && sign === '=')?.value;
  const unit = reserved.test(metric) ? resourceUnits.get(resource ?? '') ?? null
    : unitOfName(metric, metricWords(metric));
  if (unit === 'cores') return { ...unknown, base: 'cpu_seconds', isRate: true };
  const { base, size } = (unit === null ? null : sizeOfUnit(unit)) ?? unknown;
  const isRate = base?.endsWith('per_second') === true;
  const counted = base === 'per_second' ? 'count' : base?.replace('_per_second', '') ?? null;
  return { kind: 'quantity', base: counted, isRate, size };
}

function unitOfName(name: string, words: string): string | null {
  if (shareOfErrors.test(name)) return 'ratio';
  if (/_(?:count|bucket)$/u.test(words)) return 'count';
  const isCounter = words.endsWith('_total') || isCounterName(words);
  const unit = unitOf(words, isCounter ? 'counter' : 'gauge');
  // `row_ops_total` counts operations, though a level of that name is already a rate.
  return isCounter && unit === 'per_second' ? 'count' : unit;
}
