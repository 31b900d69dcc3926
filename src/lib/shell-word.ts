/** Characters that make pasted text look different from what it is, or that a terminal obeys. */
const unfit = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether the text is safe to paste into a terminal, quoted or not. */
export function isFitForShell(text: string): boolean {
  return !unfit.test(text);
}

/** Quotes any text as one word for a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
