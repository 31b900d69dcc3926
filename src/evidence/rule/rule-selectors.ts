import { promqlTokens, type Token } from './promql-tokens.ts';

/** A label matcher of a selector; `values` is anchored at both ends. */
export interface WantedLabel {
  readonly label: string;
  readonly values: RegExp;
}

/**
 * For each of the metrics, which labels each of its selectors in the expression asks for. Negative
 * matchers are left out, and so are regular expressions beyond plain alternatives: the sender wrote
 * them, and matching them might take as long as they like.
 */
export function wantedLabels(
  expression: string,
  metrics: readonly string[],
): ReadonlyMap<string, readonly (readonly WantedLabel[])[]> {
  const found = new Map(metrics.map((metric): [string, WantedLabel[][]] => [metric, []]));
  const tokens = promqlTokens(expression) ?? [];
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'word') continue;
    found.get(text)?.push(tokens[at + 1]?.text === '{' ? wantedFrom(tokens, at + 1) : []);
  }
  // A metric that is named only inside braces, as in `{__name__="up"}`.
  for (const selectors of found.values()) if (selectors.length === 0) selectors.push([]);
  return found;
}

/** Plain alternatives such as `5..` and `api-.*`: at most one star each, at the end. */
const plainPattern = /^(?:[\w\s:\/.-]*(?:\.[*+])?)(?:\|[\w\s:\/.-]*(?:\.[*+])?)*$/u;
const patternMax = 1000;

function wantedFrom(tokens: readonly Token[], open: number): WantedLabel[] {
  const wanted: WantedLabel[] = [];
  for (let at = open + 1; at < tokens.length && tokens[at]?.text !== '}'; at += 1) {
    const [name, sign, value] = tokens.slice(at, at + 3);
    if (name?.kind !== 'word' || value?.kind !== 'text') continue;
    const values = valuesOf(sign?.text ?? '', value.text);
    if (values !== null) wanted.push({ label: name.text, values });
  }
  return wanted;
}

function valuesOf(sign: string, value: string): RegExp | null {
  if (value.includes('\\') || value.length > patternMax) return null;
  if (sign === '=') return new RegExp(`^${value.replace(/[.*+?^${}()|[\]]/gu, '\\$&')}$`, 'u');
  return sign === '=~' && plainPattern.test(value) ? new RegExp(`^(?:${value})$`, 'u') : null;
}
