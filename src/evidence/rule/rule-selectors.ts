import { isSign, textOf, type Token } from '../../lib/promql/promql-tokens.ts';
import { parsePromql, selectorsIn, type Selector } from '../../lib/promql/promql-tree.ts';
import { selector, type Matcher } from '../../sources/promql-text.ts';

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

/** The selectors of a query, each once and without ranges, narrowed by further matchers. */
export function ruleSelectors(query: string, matchers: readonly Matcher[]): string[] {
  const tree = parsePromql(query);
  return [...new Set((tree === null ? [] : selectorsIn(tree))
    .map((each) => textOf(narrowed(each, matchers))))];
}

/** A selector as a query of its own. */
export function selectorText(each: Selector): string {
  return textOf(each.tokens());
}

/** A query with further matchers in each of its selectors; as it was where there are none. */
export function narrowQuery(
  query: string,
  matchersFor: (each: Selector) => readonly Matcher[],
): string {
  const tree = parsePromql(query);
  if (tree === null) return query;
  const found = selectorsIn(tree).map((each) => ({ each, matchers: matchersFor(each) }));
  if (found.every(({ matchers }) => matchers.length === 0)) return query;
  const tokens = [...tree.tokens()];
  for (const { each, matchers } of found) {
    const own = each.tokens();
    const at = own[0] === undefined ? -1 : tokens.indexOf(own[0]);
    if (at >= 0) tokens.splice(at, own.length, ...narrowed(each, matchers));
  }
  return textOf(tokens);
}

/** A selector's tokens, with further matchers for labels that it does not match itself. */
function narrowed(own: Selector, matchers: readonly Matcher[]): readonly Token[] {
  const tokens = own.tokens();
  const matched = new Set(own.matchers.map(({ label }) => label));
  const added = selector('x', matchers.filter(({ name }) => !matched.has(name)));
  if (added === null || added === 'x') return tokens;
  const isBraced = isSign(tokens.at(-1), '}');
  const inside = isBraced ? tokens.slice(0, -1) : [...tokens, sign('{')];
  const isFirst = isSign(inside.at(-1), '{,');
  const written = added.slice('x{'.length, -1);
  return [...inside, ...isFirst ? [] : [sign(',')],
    { kind: 'word', text: written, written }, sign('}')];
}

function sign(text: string): Token {
  return { kind: 'sign', text, written: text };
}
