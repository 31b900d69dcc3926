import { isWord, textOf, type Token } from '../../lib/promql/promql-tokens.ts';
import {
  allParts, bare, innerOf, numberOf, parsePromql, selectorsIn, type Call, type Node,
} from '../../lib/promql/promql-tree.ts';
import { timeDifferenceIn } from '../rule/time-difference.ts';

/** A query that looks back no farther than it may, and how to read its answer. */
interface Near {
  /** Null where the answer of the whole query tells it. */
  readonly query: string | null;
  /** Whether one of these values says that it happened within this time. */
  readonly isWithin: (samples: readonly number[]) => boolean;
}

/** Functions that report what happened somewhere within their range. */
const counting: ReadonlySet<string> = new Set(['changes', 'resets', 'increase']);
const searching: ReadonlySet<string> = new Set([
  ...counting, 'delta', 'idelta', 'rate', 'irate', 'max_over_time', 'min_over_time',
  'sum_over_time', 'count_over_time', 'present_over_time',
]);

/**
 * What asks whether that which supports a test happened within the last `seconds`; null for a query
 * that looks back no farther, or that compares the present with an earlier time.
 */
export function nearOf(query: string, seconds: number): Near | null {
  const tree = parsePromql(query);
  if (tree === null) return null;
  const since = sinceHeldTime(query);
  if (since !== null) {
    return { query: null, isWithin: (samples) => samples.some((value) => since(value) <= seconds) };
  }
  const calls = allParts(tree).filter((part): part is Call => (
    part.kind === 'call' && searching.has(part.name) && !isCompared(part, tree)));
  const nearer = new Map<Token, string>();
  for (const call of calls) {
    for (const { token, length, step } of rangesOf(call)) {
      // With one step in it, a shorter range would tell nothing.
      if (length > seconds && 2 * step <= seconds) nearer.set(token, `${seconds}s`);
    }
  }
  for (const part of allParts(tree)) {
    const limit = part.kind === 'binary' && part.operator.startsWith('<') &&
      timeDifferenceIn(textOf(part.left.tokens())) !== null ? part.right : null;
    const [token] = limit?.kind === 'number' && limit.value > seconds ? limit.tokens() : [];
    if (token !== undefined) nearer.set(token, String(seconds));
  }
  if (nearer.size === 0) return null;
  const isCounted = calls.length > 0 && calls.every(({ name }) => counting.has(name));
  return {
    query: textOf(tree.tokens().map((token) => {
      const written = nearer.get(token);
      return written === undefined ? token : { ...token, written };
    })),
    isWithin: (samples) => isCounted && samples.some((value) => value > 0),
  };
}

/** How long ago a value says that something was, as `time() - start` does; null for others. */
function sinceHeldTime(query: string): ((value: number) => number) | null {
  const difference = timeDifferenceIn(query);
  if (difference !== null) {
    return difference.isAhead ? null : (value) => value * difference.secondsPerUnit;
  }
  const tree = parsePromql(query);
  const metrics = tree === null ? [] : selectorsIn(tree).map(({ metric }) => metric ?? '');
  const isUptime = metrics.length === 1 && /uptime(?:_in)?(?:_seconds)?$/u.test(metrics[0] ?? '');
  return isUptime ? (value) => value : null;
}

/** Its metric is also read for another time, so what it finds is a measure for comparison. */
function isCompared(call: Call, tree: Node): boolean {
  const inside = selectorsIn(call);
  const others = selectorsIn(tree).filter((each) => !inside.includes(each));
  return isOfEarlier(call) || inside.some((each) => others.some((other) =>
    each.metric === null ? textOf(each.tokens()) === textOf(other.tokens())
      : each.metric === other.metric && each.matchers.length === other.matchers.length &&
        each.matchers.every(({ label }, index) => other.matchers[index]?.label === label)));
}

function isOfEarlier(call: Call): boolean {
  return allParts(call).some((part) => part.kind === 'timed' && tailOf(part)
    .some((token) => isWord(token, 'offset')));
}

interface Range {
  readonly token: Token;
  /** In seconds; the step is 0 for a range that is no subquery. */
  readonly length: number;
  readonly step: number;
}

function rangesOf(call: Call): readonly Range[] {
  return call.arguments.map(bare).flatMap((argument) => {
    if (argument.kind !== 'timed' || argument.range?.kind !== 'number') return [];
    const [token] = argument.range.tokens();
    const tail = tailOf(argument);
    const step = tail[tail.findIndex(({ text }) => text === ':') + 1];
    return token === undefined ? [] : [{
      token, length: numberOf(token.text), step: step?.kind === 'number' ? numberOf(step.text) : 0,
    }];
  });
}

/** The tokens of a range or offset, without what it is of. */
function tailOf(node: Node): readonly Token[] {
  const [inner] = innerOf(node);
  return node.tokens().slice(inner?.tokens().length ?? 0);
}
