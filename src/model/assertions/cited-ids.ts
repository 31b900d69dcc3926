/** Ids of evidence that a text cites; `E5-2680` is a processor. */
export const citedId: RegExp = /(?<![\w-])E\d{1,4}(?![\w-])/gu;

export function citedIdsIn(text: string): string[] {
  return text.match(citedId) ?? [];
}
