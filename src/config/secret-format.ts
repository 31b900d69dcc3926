import { readFileSync } from 'node:fs';

/** Parses configured text into the valid values; throws an Error that says what is wrong. */
export type SecretFormat = (content: string) => readonly string[];

const contentLengthMax = 65_536;

/** Reads a secret from a file. The error never quotes the content. */
export function readSecretFile(file: string, format: SecretFormat): readonly string[] {
  return valuesIn(readFileSync(file, 'utf8'), format);
}

/** Parses the content of a secret's file. Throws as {@linkcode readSecretFile} does. */
export function valuesIn(content: string, format: SecretFormat): readonly string[] {
  if (content.length > contentLengthMax) throw new Error('is too large for a secret');
  return format(content);
}

/** One value; a line break at the end, as editors add it to files, is not part of it. */
export const singleValue: SecretFormat = (content) => {
  const value = content.replace(/^\ufeff/, '').replace(/[\r\n]+$/, '');
  if (value.trim() === '') throw new Error('is empty');
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new Error('has more than one line');
  return [value];
};

/** One value that is sent in a header. */
export const headerValue: SecretFormat = (content) => {
  const values = singleValue(content);
  refuseUnsendable(values);
  return values;
};

/** Every non-empty line is a value, so that an old and a new token can be valid together. */
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
