import { parsePromql, selectorsIn } from './promql-tree.ts';

/** A label matcher of a selector; `values` is anchored at both ends. */
export interface WantedLabel {
  readonly label: string;
  readonly values: RegExp;
}

/**
 * For each metric that an expression reads, which labels each of its selectors asks for. Negative
 * matchers are left out, and so are regular expressions beyond plain alternatives: the sender wrote
 * them, and matching them might take as long as they like.
 */
export function wantedLabels(
  expression: string,
): ReadonlyMap<string, readonly (readonly WantedLabel[])[]> {
  const found = new Map<string, (readonly WantedLabel[])[]>();
  const tree = parsePromql(expression);
  for (const { metric, matchers } of tree === null ? [] : selectorsIn(tree)) {
    if (metric === null) continue;
    const wanted = matchers.flatMap(({ label, sign, value }) => {
      const values = valuesOf(sign, value);
      return values === null ? [] : [{ label, values }];
    });
    found.set(metric, [...(found.get(metric) ?? []), wanted]);
  }
  return found;
}

/** Plain alternatives such as `5..` and `api-.*`: at most one star each, at the end. */
const plainPattern = /^(?:[\w\s:\/.-]*(?:\.[*+])?)(?:\|[\w\s:\/.-]*(?:\.[*+])?)*$/u;
const patternMax = 1000;

function valuesOf(sign: string, value: string): RegExp | null {
  if (value.includes('\\') || value.length > patternMax) return null;
  if (sign === '=') return new RegExp(`^${value.replace(/[.*+?^${}()|[\]]/gu, '\\$&')}$`, 'u');
  return sign === '=~' && plainPattern.test(value) ? new RegExp(`^(?:${value})$`, 'u') : null;
}
