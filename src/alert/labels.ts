import { FormatError, plainObject, type Parser } from '../lib/parse.ts';

/**
 * Label or annotation names and their values. The object may come straight from `JSON.parse`, so
 * `__proto__` or `constructor` can be names like any other: read with {@linkcode labelOf}.
 */
export type LabelSet = Readonly<Record<string, string>>;

/** Bounds of one label set; beyond them the alert is not valid. Sizes are UTF-8 bytes. */
export const labelLimits: { count: number; nameBytes: number; valueBytes: number } = {
  count: 256,
  nameBytes: 1024,
  valueBytes: 64 * 1024,
};

/** How much of a set's values is kept, in UTF-16 units: twice the longest that is valid. */
const keptLengthMax = 128 * 1024;
/** How much is kept of a value that does not fit, in UTF-16 units. */
const cutLength = 200;
/** Of names and values by which groups and series are compared; longer ones name no object. */
const comparedLengthMax = 4 * 1024;

export const noLabels: LabelSet = Object.freeze({});

/** The value of a label, or null: never a member that objects inherit. */
export function labelOf(labels: LabelSet, name: string): string | null {
  return Object.hasOwn(labels, name) ? (labels[name] ?? null) : null;
}

/** Checks the object in place, so that no name is ever assigned to and none sets a prototype. */
export const labelSet: Parser<LabelSet> = (value, path) => {
  const labels = plainObject(value, path);
  const names = Object.keys(labels);
  if (names.length > labelLimits.count) {
    throw new FormatError(path, `at most ${labelLimits.count} names`, value);
  }
  for (const name of names) {
    const member = labels[name];
    if (typeof member !== 'string') throw new FormatError(`${path}.*`, 'a string', member);
    if (isLongerThan(name, labelLimits.nameBytes)) {
      throw new FormatError(`${path}.*`, `a name of at most ${labelLimits.nameBytes} bytes`, name);
    }
    if (isLongerThan(member, labelLimits.valueBytes)) {
      const expected = `a value of at most ${labelLimits.valueBytes} bytes`;
      throw new FormatError(`${path}.*`, expected, member);
    }
  }
  return labels as LabelSet;
};

/** A UTF-16 unit takes at most three bytes, so most texts are settled without being encoded. */
function isLongerThan(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

/**
 * The labels with as much of their values as an analysis can bear many times over: a set may hold
 * 16 MB, and one thread that runs out of memory at once takes the process with it. What does not
 * fit is cut to its beginning; short values never are.
 */
export function keptLabels(labels: LabelSet): LabelSet {
  let left = keptLengthMax;
  if (textLengthOf(labels) <= left) return labels;
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => {
    const kept = value.length > left ? shortened(value, cutLength) : value;
    left -= kept.length;
    return [name, kept];
  }));
}

/** The labels by which groups and series are compared: whole ones, the shortest that fit. */
export function comparedLabels(labels: LabelSet): LabelSet {
  let left = comparedLengthMax;
  if (textLengthOf(labels) <= left) return labels;
  const lengthOf = ([name, value]: [string, string]): number => name.length + value.length;
  const byLength = Object.entries(labels).sort((a, b) => lengthOf(a) - lengthOf(b));
  return Object.fromEntries(byLength.filter((entry) => (left -= lengthOf(entry)) >= 0));
}

/** Of names and values, in UTF-16 units. */
export function textLengthOf(labels: LabelSet): number {
  let length = 0;
  for (const name of Object.keys(labels)) length += name.length + (labels[name] ?? '').length;
  return length;
}

/** The text, or its beginning: a copy, as a slice would keep the whole of it in memory. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const beginning = text.slice(0, lengthMax).replace(/\p{Cs}$/u, '');
  return `${Buffer.from(beginning).toString()}…`;
}
