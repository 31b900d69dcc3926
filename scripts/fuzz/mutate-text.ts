import type { Chance } from './chance.ts';

/** Texts that decoders, lexers, pages, terminals and patterns trip over. */
const hostile: readonly string[] = [
  '', ' ', '\u0000', '\n', '\r\n', '\t', '\u001b[31m', '\u009b', '\u2028', '\u202e', '\u200b',
  '\ufeff', '\ud800', '\udfff', '\ufffd', '\u{1f600}', 'é', 'e\u0301', '٣', '"', "'", '`', '\\',
  '\\\\', '\\"', '<script>', '&amp;', '<', '>', '&', '%', '%00', '%ff', '%zz', '+', '#', '?', '/',
  '../', '//', ':', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'NaN', '+Inf',
  '-Inf', '1e400', '-0', '0x1f', '9007199254740993', '99999999999999999999', '-1', '0', '1.', '.5',
  '$', '$1', '$$', '${x}', '{', '}', '[', ']', '(', ')', '{}', '[]', 'null', 'true',
  '9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z', 'a'.repeat(300),
];

/** The text after one to three mutations; `words` are tokens of its language to insert. */
export function mutateText(text: string, chance: Chance, words: readonly string[] = []): string {
  let changed = text;
  for (let left = 1 + chance.below(3); left > 0; left -= 1) {
    changed = changeOnce(changed, chance, words);
  }
  return changed;
}

function changeOnce(text: string, chance: Chance, words: readonly string[]): string {
  const at = chance.below(text.length + 1);
  const to = Math.min(text.length, at + chance.below(chance.oneIn(4) ? text.length + 1 : 4));
  const part = text.slice(at, to);
  const word = words.length > 0 && chance.oneIn(2) ? chance.pick(words) : chance.pick(hostile);
  switch (chance.below(6)) {
    case 0: return text.slice(0, at) + text.slice(to);
    case 1: return text.slice(0, at) + part.repeat(1 + chance.below(40)) + text.slice(to);
    case 2: return text.slice(0, at) + word.repeat(chance.oneIn(20) ? 200 : 1) + text.slice(at);
    case 3: return text.slice(0, at) + word + text.slice(to);
    case 4: return text.slice(to) + text.slice(0, at);
    default: return chance.oneIn(8) ? word : text.slice(0, at) + word + text.slice(at);
  }
}

export function hostileText(chance: Chance): string {
  return chance.pick(hostile);
}
