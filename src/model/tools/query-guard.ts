import { tooMuchIn } from '../../evidence/rule/query-bounds.ts';
import { allParts, parsePromql, type Node } from '../../lib/promql/promql-tree.ts';

/** Per series of an answer. */
const pointsMax = 100;

/** C0 and C1 controls, line separators and lone surrogates. */
const control = /[\p{Cc}\u2028\u2029\p{Surrogate}]/u;

/** What is wrong with a model's query, as text for the model; null when it may be sent. */
export function queryProblem(query: string): string | null {
  if (query.trim() === '') return 'The query is empty.';
  if (control.test(query)) return 'The query holds control characters. Write it on one line.';
  const tooMuch = tooMuchIn(query);
  if (tooMuch !== null) return `${tooMuch} Simplify it, or ask for less at once.`;
  const tree = parsePromql(query);
  return tree && inventionIn(allParts(tree));
}

/** Finds values and labels that the query itself makes up: its answer would only repeat them. */
function inventionIn(parts: readonly Node[]): string | null {
  const has = (kind: Node['kind']): boolean => parts.some((part) => part.kind === kind);
  if (!has('selector')) return 'The query selects no series. Name a metric.';
  if (has('text')) {
    return 'Texts stand only in the matchers of a selector here: label_replace, label_join and ' +
      'count_values are not available.';
  }
  const calls = parts.filter((part) => part.kind === 'call');
  if (calls.some(({ name }) => name.startsWith('absent'))) {
    return 'absent() answers with the labels that it is asked for, and is not available. Use ' +
      'count(), which comes back empty where nothing is.';
  }
  const isMade = calls.some(({ name, arguments: [value] }) =>
    name === 'vector' && !(value?.kind === 'number' && value.value === 0));
  return isMade ? 'The only vector() that may be used is vector(0).' : null;
}

/** Seconds between points, when the model does not say. */
const stepDefault = 15;

/** Seconds between points: a series has at most 100 of them, and no step is beyond the window. */
export function stepFor({ seconds, windowMs }: {
  /** As requested; null for a default. */
  readonly seconds: number | null;
  readonly windowMs: number;
}): number {
  const least = Math.max(1, Math.ceil(windowMs / 1000 / (pointsMax - 1)));
  const most = Math.max(least, Math.floor(windowMs / 1000));
  return Math.min(most, Math.max(least, Math.round(seconds ?? stepDefault)));
}
