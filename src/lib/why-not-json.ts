/**
 * Why `JSON.parse` threw `error` on this text, as the end of a sentence: "is empty". The error's
 * own message is not used, as it quotes the text.
 */
export function whyNotJson(text: string, error: unknown): string {
  if (text.trim() === '') return 'is empty';
  const message = error instanceof Error ? error.message : '';
  if (message === 'Unexpected end of JSON input') return 'is not JSON: it ends too early';
  const [, position] = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
  return position === undefined ? 'is not JSON' : `is not JSON: it breaks at position ${position}`;
}
