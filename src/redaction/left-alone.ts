/**
 * Whether a value is not a secret: a mask, a template's placeholder, a word, the path of a file or
 * a small number.
 */
export function isLeftAlone(value: string): boolean {
  return isMask(value) || beginsPlaceholder(value, 0) || notSecrets.test(value) ||
    othersMask.test(value) || filePath.test(value) || /^-?[\d.]{1,5}$/.test(value);
}

const notSecrets = new RegExp(
  '^(?:null|nil|true|false|none|undefined|empty|unset|missing|yes|no|on|off|not|is|was|invalid|' +
    'incorrect|mismatch|map\\[|' +
    'expired|revoked|rejected|denied|required|failed|eof|absent|must|cannot|wrong|unknown|' +
    'header|enabled|disabled)$', 'i',
);

/** What other programs put in place of a secret; the bracket that closes it may be cut off. */
const othersMask = new RegExp(
  '^[\\[(]?(?:redacted|filtered|hidden|masked|removed|sensitive|unset|none|x{3,64})[\\])]?$', 'i',
);

/** `/var/run/secrets/db`: where a secret is, not what it is. */
const filePath =
  /^\/(?:etc|var|run|tmp|home|root|opt|srv|mnt|usr|app|secrets|vault)(?:\/[\w.-]{1,100}){1,20}$/;

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
