import { signFor, visible } from '../report/plain-text.ts';

/**
 * Creates a function that puts untrusted text between markers, with its invisible characters shown,
 * so that a model can distinguish it from its instructions. This does not prevent prompt injection;
 * that a model cannot act on anything does. `nonce` is random and belongs to one investigation: the
 * author of a text cannot know it.
 */
export function createFence(nonce: string): (text: string) => string {
  if (!/^[\w-]{8,64}$/.test(nonce)) throw new RangeError('a nonce has 8 to 64 word characters');
  return (text) => `<<data ${nonce}>>\n${defused(text, nonce)}\n<<end ${nonce}>>`;
}

/** Removes the nonce and anything that looks like a marker. */
function defused(content: string, nonce: string): string {
  const text = shown(content).replaceAll(nonce, '[nonce]');
  return text.replace(/<{2,}/g, '‹‹').replace(/>{2,}/g, '››');
}

/**
 * Shows joiners and variation selectors as well: a model reads them, a person does not see them.
 * Tabs and line feeds stay.
 */
function shown(text: string): string {
  return visible(text).replace(hidden, signFor);
}

const hidden = new RegExp(
  '[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200c\\u200d\\u3164\\ufe00-\\ufe0f\\uffa0'
  + '\\ufff0-\\ufff8\\u{e0080}-\\u{e0fff}]',
  'gu',
);
