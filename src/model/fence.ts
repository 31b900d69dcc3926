import { visible } from '../report/plain-text.ts';

/**
 * Marks untrusted text, so that a model can tell it from its instructions. This does not prevent
 * prompt injection; that a model cannot act on anything does.
 */
interface Fence {
  /** The markers before and after every fenced text, to be named in the instructions. */
  readonly opening: string;
  readonly closing: string;
  /** The text between the markers on lines of their own, with invisible characters shown. */
  readonly wrap: (text: string) => string;
}

/** `nonce` is random and belongs to one investigation: the author of a text cannot know it. */
export function createFence(nonce: string): Fence {
  if (!/^[\w-]{8,64}$/.test(nonce)) throw new RangeError('a nonce has 8 to 64 word characters');
  const [opening, closing] = [`<<data ${nonce}>>`, `<<end ${nonce}>>`];
  return {
    opening,
    closing,
    wrap: (text) => `${opening}\n${defused(text, nonce)}\n${closing}`,
  };
}

/** Removes the nonce and anything that looks like a marker. */
function defused(said: string, nonce: string): string {
  const text = shown(said).replaceAll(nonce, '[nonce]');
  return text.replace(/<{2,}/g, '‹‹').replace(/>{2,}/g, '››');
}

/**
 * Shows joiners and variation selectors as well: a model reads them, a person does not see them.
 * Tabs and line feeds stay.
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
