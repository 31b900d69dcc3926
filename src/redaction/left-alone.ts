/** Whether a value is not a secret: a mask, a template's placeholder, a word or a small number. */
export function isLeftAlone(value: string): boolean {
  return isMask(value) || beginsPlaceholder(value, 0) ||
    notSecrets.test(value) || /^-?[\d.]{1,5}$/.test(value);
}

const notSecrets = new RegExp(
  '^(?:null|nil|true|false|none|undefined|empty|unset|missing|yes|no|on|off|not|is|was|invalid|' +
    'expired|revoked|rejected|denied|required|failed|eof)$', 'i',
);

const placeholder = /\$\{|\{\{|<|%\(|\*{3}/y;

/** Whether a placeholder begins at `at`: decided without reading the rest of the value. */
export function beginsPlaceholder(text: string, at: number): boolean {
  placeholder.lastIndex = at;
  return placeholder.test(text);
}

/** Whether the value is a mask already, such as `[secret-1]`. */
export function isMask(value: string): boolean {
  return /^\[secret(?:-\d{1,6})?\]$/.test(value);
}
