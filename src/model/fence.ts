import { visible } from '../report/plain-text.ts';

/**
 * Marks text that others wrote, so that a model can tell it from what it was asked. It keeps no
 * model from being fooled; what does is that it can do nothing. It keeps the rest readable.
 */
export interface Fence {
  /** What stands before and behind every fenced text, to be named in the instructions. */
  readonly opening: string;
  readonly closing: string;
  /** The text on lines of its own between the marks, with nothing invisible in it. */
  readonly wrap: (text: string) => string;
}

/** `nonce` is random and of one request: who wrote the text could not know it. */
export function createFence(nonce: string): Fence {
  if (!/^[\w-]{8,64}$/.test(nonce)) throw new RangeError('a nonce has 8 to 64 word characters');
  const [opening, closing] = [`<<data ${nonce}>>`, `<<end ${nonce}>>`];
  return {
    opening,
    closing,
    wrap: (text) => `${opening}\n${defused(text, nonce)}\n${closing}`,
  };
}

/** Neither the nonce nor anything that looks like a mark of another one is left. */
function defused(said: string, nonce: string): string {
  const text = shown(said).replaceAll(nonce, '[nonce]');
  return text.replace(/<{2,}/g, '‹‹').replace(/>{2,}/g, '››');
}

/**
 * Joiners and variation selectors are shown, too: a model reads what a person does not see. Tabs
 * and line feeds stay.
 */
function shown(text: string): string {
  return visible(text).replace(hidden, (character) => {
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

const hidden = new RegExp(
  '[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200c\\u200d\\u3164\\ufe00-\\ufe0f\\uffa0'
  + '\\ufff0-\\ufff8\\u{e0080}-\\u{e0fff}]',
  'gu',
);
