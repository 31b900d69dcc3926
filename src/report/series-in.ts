/** The data of an item of evidence that holds a series of values. */
export interface ValuesFound {
  readonly values: readonly (number | null)[];
  readonly unit: string | null;
}

/** Longest series accepted; collectors keep far fewer points. */
const pointsMax = 2000;
const unitLengthMax = 40;

/** Reads a series of values; null for data of any other shape, as evidence may hold anything. */
export function seriesIn(data: unknown): ValuesFound | null {
  if (typeof data !== 'object' || data === null) return null;
  const { values, unit } = data as Readonly<Record<string, unknown>>;
  if (!Array.isArray(values) || values.length > pointsMax) return null;
  const isSeries = values.every((value) => value === null || typeof value === 'number');
  if (!isSeries) return null;
  return {
    values: values.map((value: unknown) =>
      typeof value === 'number' && Number.isFinite(value) ? value : null),
    unit: typeof unit === 'string' ? unit.slice(0, unitLengthMax) : null,
  };
}
