/** East Asian wide characters and emoji, which take two columns. */
const wide = new RegExp(
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f'
  + '\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1faff}\\u{20000}-\\u{3fffd}]',
  'u',
);

/** Marks that combine with the character before them and take no column. */
const combining = /[\p{Mn}\p{Me}\u200c\u200d]/u;

/** Columns the text takes in a terminal; it must not contain control characters. */
export function displayWidth(text: string): number {
  return [...text].reduce((width, character) => width + characterWidth(character), 0);
}

/** Wraps one line between words, and within words that are wider than a line. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const word of text.split(' ').flatMap((whole) => pieces(whole, columns))) {
    const wordWidth = displayWidth(word);
    if (line !== '' && width + 1 + wordWidth > columns) {
      lines.push(line);
      [line, width] = ['', 0];
    }
    width += wordWidth + (line === '' ? 0 : 1);
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pieces(word: string, columns: number): string[] {
  if (displayWidth(word) <= columns) return [word];
  const parts: string[] = [];
  let part = '';
  let width = 0;
  for (const character of word) {
    const characterColumns = characterWidth(character);
    if (width + characterColumns > columns) {
      parts.push(part);
      [part, width] = ['', 0];
    }
    part += character;
    width += characterColumns;
  }
  return [...parts, part];
}

function characterWidth(character: string): number {
  if (character < '\u0300') return 1;
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
