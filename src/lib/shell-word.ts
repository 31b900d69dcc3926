/** What shows as something else than it is when it is pasted into a terminal. */
const unfit = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a text may be pasted into a terminal at all, quoted or not. */
export function isFitForShell(text: string): boolean {
  return !unfit.test(text);
}

/** One word of a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
