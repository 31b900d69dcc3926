/**
 * Makes text from outside fit to be read: no invisible characters, bounded length. Escaping comes
 * afterwards and is up to each output format.
 */
import { shortened } from '../lib/shortened.ts';

/**
 * Characters that are invisible, reorder their surroundings or control a terminal: C0 (except tab
 * and line feed) and C1 controls, soft hyphen, zero-width and bidirectional formatting characters,
 * line separators, tag characters and lone surrogates. The joiners U+200C and U+200D stay, since
 * Persian and emoji are spelled with them.
 */
const invisible = new RegExp(
  '[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f'
  + '\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\p{Surrogate}]',
  'gu',
);

/** A quick check that spares most texts the slower search above, which decodes surrogates. */
const beyondPlain = /[^\t\n -~]/;

/** The text with every invisible character replaced by a visible symbol or its code point. */
export function visible(text: string): string {
  if (!beyondPlain.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replace(invisible, signFor);
}

/** The same with a sign for every line feed, so that the text cannot begin a line of its own. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', signFor);
}

/** The value as indented JSON that holds none of these characters, but their escapes. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(invisible, (character) =>
    character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`));
}

/** The same on a single line: runs of white space become one space. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}

/** `a`, `a and b`, `a, b and c`. */
export function enumerated(all: readonly string[]): string {
  const last = all.at(-1) ?? '';
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} and ${last}`;
}

/** Longest command or query shown, in UTF-16 units; one that is cut cannot be copied. */
export const commandLengthMax = 8000;

/** At most `lengthMax` UTF-16 units of the text, and a note of how much is missing. */
export function clip(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(lengthMax - 1));
  const head = text.slice(0, isSplit ? lengthMax - 1 : lengthMax);
  return `${head}… (${text.length - head.length} more characters in the JSON)`;
}

/** One line of at most `lengthMax` UTF-16 units, ending in an ellipsis if it was cut. */
export function shorten(text: string, lengthMax: number): string {
  // Four times the length suffices even if much of it is folded; the rest is never read.
  const line = text.slice(0, lengthMax * 4).replace(/\s+/g, ' ').trim();
  const shown = text.length > lengthMax * 4 ? `${line}…` : line;
  return shortened(shown, lengthMax);
}

/** The value as indented JSON: long texts and lists in it are cut, then the whole. */
export function clippedJson(value: unknown, lengthMax: number): string {
  const bounded = (_name: string, member: unknown): unknown => {
    if (typeof member === 'string') return clip(member, jsonTextLengthMax);
    if (!Array.isArray(member) || member.length <= jsonListLengthMax) return member;
    return member.slice(0, jsonListLengthMax);
  };
  return clip(JSON.stringify(value, bounded, 2) ?? '', lengthMax);
}

const jsonTextLengthMax = 1000;
const jsonListLengthMax = 1000;

/** `4 alerts`, `1 alert`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `once`, `3 times`. */
export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What is shown in place of a character that cannot be seen: a symbol or its code point. */
export function signFor(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
