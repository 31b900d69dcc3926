/**
 * PromQL selectors made of texts that may be hostile. What cannot be expressed is left out and
 * named, never sent. The rules are those of prometheus/prometheus: promql/parser/lex.go; the
 * server anchors regular expressions at both ends.
 */
import { escapeQuoted, escapeRegex } from '../lib/promql-string.ts';

export interface Matcher {
  readonly name: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  /** For `=~` and `!~` a regular expression, see {@linkcode escapeRegex}. */
  readonly value: string;
}

export interface Selector {
  /** Null when nothing is left to select by: a selector must not match everything. */
  readonly text: string | null;
  /** Names of the matchers that could not be expressed: without them more is selected. */
  readonly skipped: readonly string[];
}

/** Longer values are no identity; a query of them would be refused. */
const valueLengthMax = 4096;
const nameLengthMax = 1024;
const chunkNamesMax = 150;
const chunkLengthMax = 4000;

const metricPattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelPattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** These read as something else where a metric may stand. */
const reserved = /^(inf|nan|bool|on|ignoring|group_left|group_right|fill|fill_left|fill_right)$/i;

/** `metric{a="b",…}` of the matchers that can be expressed. */
export function selector(metric: string | null, matchers: readonly Matcher[]): Selector {
  const isPlain = metric !== null && metricPattern.test(metric) && !reserved.test(metric);
  const named: readonly Matcher[] = metric === null || isPlain
    ? matchers
    : [{ name: '__name__', op: '=', value: metric }, ...matchers];
  const usable = named.filter(isExpressible);
  const skipped = named.filter((matcher) => !usable.includes(matcher)).map(({ name }) => name);
  if (!isPlain && !usable.some(isSelective)) return { text: null, skipped };
  const braces = usable.map(({ name, op, value }) => {
    return `${name}${op}${quoteText(value)}`;
  });
  const prefix = isPlain ? metric : '';
  return { text: braces.length === 0 ? prefix : `${prefix}{${braces.join(',')}}`, skipped };
}

/** Names in quotes, which Prometheus takes since 3.0, are not sent: older servers refuse them. */
function isExpressible({ name, value }: Matcher): boolean {
  return value.length <= valueLengthMax && name.length <= nameLengthMax && labelPattern.test(name);
}

/** Whether the matcher refuses the empty value, as one of a selector must. */
function isSelective({ op, value }: Matcher): boolean {
  if (op === '=') return value !== '';
  return op === '!=' ? value === '' : op === '=~' && matchesOnlyText(value);
}

/** Sure only of `.+` and of alternatives that are plain text; others may match the empty value. */
function matchesOnlyText(regex: string): boolean {
  if (regex === '.+') return true;
  return /^(?:[^\\.+*?()|[\]{}^$]|\\[^A-Za-z0-9])+(?:\|(?:[^\\.+*?()|[\]{}^$]|\\[^A-Za-z0-9])+)*$/u
    .test(regex);
}

/** A PromQL string in double quotes. */
export function quoteText(text: string): string {
  return `"${escapeQuoted(text)}"`;
}

/** An RE2 expression that matches each of the texts and nothing else. */
export function anyOf(texts: readonly string[]): string {
  return texts.map(escapeRegex).join('|');
}

/**
 * The names in groups that fit one `__name__=~"a|b"` each: raw series of several metrics are
 * fetched at once, since `rate()` would drop the name. Names too long for a matcher are left out.
 */
export function chunkNames(names: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let length = chunkLengthMax;
  for (const name of names) {
    const added = quoteText(escapeRegex(name)).length;
    if (name === '' || added > nameLengthMax) continue;
    const current = chunks.at(-1);
    if (!current || current.length >= chunkNamesMax || length + added > chunkLengthMax) {
      chunks.push([name]);
      length = added;
    } else {
      current.push(name);
      length += added;
    }
  }
  return chunks;
}
