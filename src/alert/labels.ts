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
