import { readFileSync } from 'node:fs';

/** Turns what was configured into the values that are valid; throws what is wrong with it. */
export type SecretFormat = (content: string) => readonly string[];

interface SecretOrigin {
  /** The setting's name, e.g. `ACCESS_TOKEN`. */
  readonly name: string;
  /** The file it came from; null when it was given as a variable. */
  readonly file: string | null;
  readonly format: SecretFormat;
}

const shownInstead = '[secret]';

/** A setting that no log line, error, inspection (its field is private) or JSON can show. */
export class Secret {
  readonly name: string;
  readonly file: string | null;
  readonly format: SecretFormat;
  readonly #values: readonly string[];

  /** `values` has at least one member. */
  constructor(origin: SecretOrigin, values: readonly string[]) {
    this.name = origin.name;
    this.file = origin.file;
    this.format = origin.format;
    this.#values = values;
  }

  /** Every value that is valid. */
  revealAll(): readonly string[] {
    return this.#values;
  }

  toString(): string {
    return shownInstead;
  }

  toJSON(): string {
    return shownInstead;
  }
}

/**
 * What must not appear in any output: the values, and for a headers setting, whose values are
 * whole `Name: value` lines, what stands behind the name.
 */
export function redactionsOf({ name }: Secret, values: readonly string[]): readonly string[] {
  if (!name.endsWith('_HEADERS')) return values;
  return values.map((line) => line.slice(line.indexOf(':') + 1).trim());
}

const contentLengthMax = 65_536;

/** Reads a mounted secret. Throws with a reason that never quotes the content. */
export function readSecretFile(file: string, format: SecretFormat): readonly string[] {
  return valuesIn(readFileSync(file, 'utf8'), format);
}

/** The values in the content of a file. Throws as {@linkcode readSecretFile} does. */
export function valuesIn(content: string, format: SecretFormat): readonly string[] {
  if (content.length > contentLengthMax) throw new Error('is too large for a secret');
  return format(content);
}

/** One value; the line break that editors put at the end of a file does not belong to it. */
export const oneLine: SecretFormat = (content) => {
  const value = content.replace(/^\ufeff/, '').replace(/[\r\n]+$/, '');
  if (value.trim() === '') throw new Error('is empty');
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new Error('has more than one line');
  return [value];
};

/** One value that is sent as part of a header. */
export const headerValue: SecretFormat = (content) => {
  const values = oneLine(content);
  refuseUnsendable(values);
  return values;
};

/** Every non-empty line is a value, so that a new token can be valid beside the old one. */
export const tokenLines: SecretFormat = (content) => {
  const lines = content.replace(/^\ufeff/, '').split(/\r?\n/);
  const tokens = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (tokens.length === 0) throw new Error('is empty');
  refuseUnsendable(tokens);
  return [...new Set(tokens)];
};

function refuseUnsendable(values: readonly string[]): void {
  if (values.every((value) => /^[\u0020-\u007e]+$/.test(value))) return;
  throw new Error('has characters that cannot be sent in a header');
}
