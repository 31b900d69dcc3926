/** How many times as large the farther of two values from zero is; infinite from or to zero. */
export function timesApart(before: number, after: number): number {
  const [one, other] = [Math.abs(before), Math.abs(after)];
  return Math.max(one, other) / Math.min(one, other);
}
