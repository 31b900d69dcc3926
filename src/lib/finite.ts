/** The number, or null for NaN and infinities, which JSON cannot hold. */
export function finite(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : value;
}
