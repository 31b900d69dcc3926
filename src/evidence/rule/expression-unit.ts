import { sizeOfUnit, unitOfSize } from '../../lib/unit-sizes.ts';
import { metricWords } from '../../statistics/names/metric-words.ts';
import { namedUnit } from '../../statistics/names/named-units.ts';
import type { Token } from './promql-tokens.ts';
import { scalarOf } from './scalar.ts';
import { combine, type Part } from './unit-arithmetic.ts';

const suffixes: readonly (readonly [RegExp, string])[] = [
  [/_(?:seconds|duration_s)(?:_sum|_total)?$/u, 'seconds'],
  [/_(?:milliseconds|ms)(?:_sum|_total)?$/u, 'milliseconds'],
  [/_microseconds(?:_sum|_total)?$/u, 'microseconds'],
  [/_nanoseconds(?:_sum|_total)?$/u, 'nanoseconds'],
  [/_bytes(?:_sum|_total)?$/u, 'bytes'],
  [/_bits(?:_total)?$/u, 'bits'],
  [/_joules(?:_total)?$/u, 'joules'],
  [/_ratio$/u, 'ratio'],
  // Recording rules of SLOs, one for each range.
  [/(?:ratio_rate|burnrate)\d+[smhdw]$/u, 'ratio'],
  [/_percent(?:age)?$/u, 'percent'],
  [/_celsius$/u, 'celsius'],
  [/_(?:total|count|bucket)$/u, 'count'],
  // SNMP's counters have the names of their MIB.
  [/^(?:if|ip|ether)\w+Octets$/u, 'bytes'],
  [/^(?:if|ip|ether)\w+(?:Pkts|Errors|Discards|Protos)$/u, 'count'],
];

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
  'label_join', 'scalar', 'vector', 'histogram_avg', 'histogram_sum', 'histogram_stddev',
]);

const depthMax = 50;

export interface UnitReading {
  /** Null unless it is certain. */
  readonly unit: string | null;
  /** Whether arithmetic has changed the unit, so that no usual unit may be assumed. */
  readonly isRescaled: boolean;
}

/**
 * The unit of an expression's value, from the suffixes of its metrics (Prometheus naming practice)
 * and from the arithmetic on them: seconds times 1000 are milliseconds.
 */
export function expressionUnit(tokens: readonly Token[]): UnitReading {
  const reader = { tokens, at: 0, depth: 0 };
  const part = binary(reader, 1);
  if (reader.at < tokens.length || part === null) return { unit: null, isRescaled: true };
  if (part.kind === 'number') return { unit: null, isRescaled: false };
  return { unit: nameOf(part), isRescaled: part.size !== 1 };
}

function nameOf({ base, isRate, size }: Extract<Part, { kind: 'quantity' }>): string | null {
  // Seconds per second may be a share or a number of CPUs; times 100 it is a percentage.
  if (base === null || (base === 'seconds' && isRate)) {
    return unitOfSize({ base: 'ratio', size }) === 'percent' ? 'percent' : null;
  }
  const counted = base === 'series' ? 'count' : base;
  if (!isRate) return unitOfSize({ base: counted, size });
  return unitOfSize({ base: counted === 'count' ? 'per_second' : `${counted}_per_second`, size });
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

const precedences: Readonly<Record<string, number>> = {
  or: 1, and: 2, unless: 2, '==': 3, '!=': 3, '>': 3, '>=': 3, '<': 3, '<=': 3, '+': 4, '-': 4,
  '*': 5, '/': 5, '%': 5, atan2: 5, '^': 6,
};

/** Parses binary operators of at least this precedence. */
function binary(reader: Reader, least: number): Part | null {
  let left = atom(reader);
  for (;;) {
    const sign = wordAt(reader);
    const precedence = precedences[sign] ?? 0;
    if (precedence === 0 || precedence < least) return left;
    reader.at += 1;
    const { isBool, isJoined } = modifiers(reader);
    const right = binary(reader, precedence + 1);
    left = isBool ? null : combine(sign, { left, right, isJoined });
  }
}

/** Reads `bool` and the vector matching. */
function modifiers(reader: Reader): { readonly isBool: boolean; readonly isJoined: boolean } {
  const found = { isBool: false, isJoined: false };
  for (;;) {
    const word = wordAt(reader);
    if (word === 'bool') found.isBool = true;
    else if (word === 'group_left' || word === 'group_right') found.isJoined = true;
    else if (word !== 'on' && word !== 'ignoring') return found;
    reader.at += 1;
    if (word !== 'bool') skipBrackets(reader, '(');
  }
}

function atom(reader: Reader): Part | null {
  let isNegative = false;
  for (; wordAt(reader) === '-' || wordAt(reader) === '+'; reader.at += 1) {
    if (wordAt(reader) === '-') isNegative = !isNegative;
  }
  const part = operand(reader);
  skipTimes(reader);
  return isNegative && part?.kind === 'number' ? { ...part, value: -part.value } : part;
}

function operand(reader: Reader): Part | null {
  const token = reader.tokens[reader.at];
  if (token === undefined || reader.depth > depthMax) return null;
  if (token.text === '(' && token.kind === 'sign') return argumentsOf(reader)[0] ?? null;
  if (token.text === '{' && token.kind === 'sign') {
    skipBrackets(reader, '{');
    return { kind: 'quantity', base: null, isRate: false, size: 1 };
  }
  reader.at += 1;
  if (token.kind === 'number') return { kind: 'number', value: scalarOf([token]) ?? Number.NaN };
  if (token.kind === 'text') return { kind: 'number', value: Number.NaN };
  if (token.kind !== 'word') return null;
  skipGrouping(reader);
  if (reader.tokens[reader.at]?.text !== '(') {
    skipBrackets(reader, '{');
    return quantityOf(token.text);
  }
  const from = reader.at;
  const parts = argumentsOf(reader);
  const inside = reader.tokens.slice(from, reader.at);
  skipGrouping(reader);
  return called(token.text.toLowerCase(), { parts, inside });
}

/** Parses the arguments in parentheses. */
function argumentsOf(reader: Reader): (Part | null)[] {
  const parts: (Part | null)[] = [];
  reader.at += 1;
  reader.depth += 1;
  while (reader.depth <= depthMax && reader.at < reader.tokens.length) {
    if (wordAt(reader) === ')') break;
    parts.push(binary(reader, 1));
    if (wordAt(reader) !== ',') break;
    reader.at += 1;
  }
  reader.depth -= 1;
  if (wordAt(reader) === ')') reader.at += 1;
  else reader.depth = Infinity; // Gives up: what follows would be misread.
  return parts;
}

function called(
  name: string,
  { parts, inside }: {
    readonly parts: readonly (Part | null)[]; readonly inside: readonly Token[];
  },
): Part | null {
  if (counting.has(name)) return { kind: 'quantity', base: 'series', isRate: false, size: 1 };
  if (name === 'time' || name === 'timestamp') {
    return { kind: 'quantity', base: 'seconds', isRate: false, size: 1 };
  }
  if (name === 'histogram_quantile') return observedIn(inside);
  if (parts.includes(null)) return null;
  // The number in `quantile(0.9, x)` and `clamp_max(x, 10)` is only a parameter.
  const part = parts.find((each) => each?.kind === 'quantity') ?? parts[0] ?? null;
  if (rates.has(name) && part?.kind === 'quantity') return { ...part, isRate: true };
  return keeping.has(name) ? part : null;
}

/** A histogram quantile has the unit of the observations, not of the bucket counts. */
function observedIn(inside: readonly Token[]): Part | null {
  const names = inside.filter(({ kind }) => kind === 'word')
    .map(({ text }) => quantityOf(text.replace(/_bucket$/u, '')))
    .filter(({ base }) => base !== null);
  const [first] = names;
  if (first === undefined) return { kind: 'quantity', base: null, isRate: false, size: 1 };
  return names.every(({ base, size }) => base === first.base && size === first.size) ? first : null;
}

function quantityOf(name: string): Extract<Part, { kind: 'quantity' }> {
  const unit = suffixes.find(([pattern]) => pattern.test(name))?.[1] ??
    namedUnit(metricWords(name));
  const { base, size } = (unit === null ? null : sizeOfUnit(unit)) ?? { base: null, size: 1 };
  return { kind: 'quantity', base, isRate: false, size };
}

/** Skips `[5m]`, `offset 1d` and `@ end()`, which do not change the unit. */
function skipTimes(reader: Reader): void {
  for (;;) {
    const word = wordAt(reader);
    if (word === '[') skipBrackets(reader, '[');
    else if (word === 'offset' || word === '@') {
      reader.at += 1;
      if (wordAt(reader) === '-') reader.at += 1;
      reader.at += 1;
      skipBrackets(reader, '(');
    } else return;
  }
}

function skipGrouping(reader: Reader): void {
  const word = wordAt(reader);
  if (word !== 'by' && word !== 'without') return;
  reader.at += 1;
  skipBrackets(reader, '(');
}

/** Skips a pair of brackets with its contents, if it opens here. */
function skipBrackets(reader: Reader, open: string): void {
  if (reader.tokens[reader.at]?.text !== open) return;
  let depth = 0;
  do {
    const { kind, text } = reader.tokens[reader.at] ?? { kind: 'sign', text: ')' };
    if (kind === 'sign' && '([{'.includes(text)) depth += 1;
    if (kind === 'sign' && ')]}'.includes(text)) depth -= 1;
    reader.at += 1;
  } while (depth > 0 && reader.at < reader.tokens.length);
}

/** The sign or keyword here, in lower case; empty for a string and at the end. */
function wordAt({ tokens, at }: Reader): string {
  const token = tokens[at];
  return token === undefined || token.kind === 'text' ? '' : token.text.toLowerCase();
}
