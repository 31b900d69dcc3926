/**
 * Builds PromQL selectors from untrusted text (syntax: prometheus/prometheus
 * promql/parser/lex.go). The server anchors regular expressions at both ends.
 */
import { escapeQuoted, escapeRegex } from '../lib/promql-string.ts';

export interface Matcher {
  readonly name: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  /** For `=~` and `!~` a regular expression, see {@linkcode escapeRegex}. */
  readonly value: string;
}

/** Servers would refuse a query with longer values. */
const valueLengthMax = 4096;
const nameLengthMax = 1024;
const chunkNamesMax = 150;
const chunkLengthMax = 4000;

const metricPattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelPattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** Keywords that the parser does not take for a metric name. */
const reserved = /^(inf|nan|bool|on|ignoring|group_left|group_right|fill|fill_left|fill_right)$/i;

/**
 * `metric{a="b",…}`. Matchers that cannot be expressed are left out, so that it matches more; null
 * if it would then match everything.
 */
export function selector(metric: string | null, matchers: readonly Matcher[]): string | null {
  const isPlain = metric !== null && metricPattern.test(metric) && !reserved.test(metric);
  const named: readonly Matcher[] = metric === null || isPlain
    ? matchers
    : [{ name: '__name__', op: '=', value: metric }, ...matchers];
  const usable = named.filter(isExpressible);
  if (!isPlain && !usable.some(isSelective)) return null;
  const braces = usable.map(({ name, op, value }) => `${name}${op}${quoteText(value)}`);
  const prefix = isPlain ? metric : '';
  return braces.length === 0 ? prefix : `${prefix}{${braces.join(',')}}`;
}

/** Quoted label names need Prometheus 3.0, so they are not used. */
function isExpressible({ name, value }: Matcher): boolean {
  return value.length <= valueLengthMax && name.length <= nameLengthMax && labelPattern.test(name);
}

/** Whether the matcher rejects the empty value, as PromQL requires of at least one. */
function isSelective({ op, value }: Matcher): boolean {
  if (op === '=') return value !== '';
  return op === '!=' ? value === '' : op === '=~' && matchesOnlyText(value);
}

/** True for `.+` and for alternatives of plain text; any other may match the empty value. */
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
 * Splits names into groups that fit one `__name__=~"a|b"` matcher each, so that the raw series of
 * several metrics can be fetched at once. Names too long for a matcher are left out.
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
