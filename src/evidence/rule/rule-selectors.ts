import { promqlTokens, type Token } from './promql-tokens.ts';

/** What one selector of an expression wants a label to be; `values` match as a whole. */
export interface WantedLabel {
  readonly label: string;
  readonly values: RegExp;
}

/**
 * What each selector of a metric in an expression wants of labels, as far as that is plain. What is
 * excluded is left out, and so is a pattern that is more than alternatives: it is the sender's, and
 * matching it might take as long as they like.
 */
export function wantedLabels(expression: string, metric: string): (readonly WantedLabel[])[] {
  const tokens = promqlTokens(expression) ?? [];
  const found = tokens.flatMap((token, at) => {
    if (token.kind !== 'word' || token.text !== metric) return [];
    return [tokens[at + 1]?.text === '{' ? wantedFrom(tokens, at + 1) : []];
  });
  return found.length === 0 ? [[]] : found;
}

/** Words and places, `5..`, and `api-.*`: at most one star, at the end. */
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
