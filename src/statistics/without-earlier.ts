/** Points at which the same trouble as now was there before, which say nothing of the usual. */
export interface EarlierTrouble {
  /** 1 at each of them. */
  readonly marked: Uint8Array;
  /** There are enough others before the split to compare with them alone. */
  readonly isUsualLeft: boolean;
}

/** The values, NaN at the marked points; the same array if there are none. */
export function withoutEarlier(values: Float64Array, earlier: EarlierTrouble | null): Float64Array {
  return earlier === null ? values
    : values.map((value, index) => (earlier.marked[index] === 1 ? Number.NaN : value));
}
