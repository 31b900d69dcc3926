/**
 * The text in at most `lengthMax` UTF-16 units, ending in an ellipsis if it was cut, which is never
 * within a character. A copy, as a slice would keep the whole in memory.
 */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const beginning = text.slice(0, Math.max(0, lengthMax - 1)).replace(/\p{Cs}$/u, '');
  return `${Buffer.from(beginning).toString()}…`;
}
