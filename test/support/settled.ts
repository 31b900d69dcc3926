/** Has it take in all that happened, as the service does between two requests. */
export function settled<T extends { assignSome(countMax: number): boolean }>(state: T): T {
  state.assignSome(Infinity);
  return state;
}
