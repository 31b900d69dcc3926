/** Has it take in all that happened, as the service does between two requests. */
export function settled<T extends { settleSome(countMax: number): boolean }>(state: T): T {
  state.settleSome(Infinity);
  return state;
}
