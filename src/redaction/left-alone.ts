/** Whether a value is no secret: a mask, a placeholder of a template, a word, a small number. */
export function isLeftAlone(value: string): boolean {
  return isMask(value) || beginsPlaceholder(value, 0) ||
    notSecrets.test(value) || /^-?[\d.]{1,5}$/.test(value);
}

const notSecrets = new RegExp(
  '^(?:null|nil|true|false|none|undefined|empty|unset|missing|yes|no|on|off|not|is|was|invalid|' +
    'expired|revoked|rejected|denied|required|failed|eof)$', 'i',
);

const placeholder = /\$\{|\{\{|<|%\(|\*{3}/y;

/** Whether a placeholder begins there: tells without reading the rest of the value. */
export function beginsPlaceholder(text: string, at: number): boolean {
  placeholder.lastIndex = at;
  return placeholder.test(text);
}

/** `[secret-1]`: what has been masked already. */
export function isMask(value: string): boolean {
  return /^\[secret(?:-\d{1,6})?\]$/.test(value);
}
