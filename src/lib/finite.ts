/** The number, or null for one that JSON cannot carry. */
export function finite(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : value;
}
