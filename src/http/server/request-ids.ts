/**
 * Makes ids that tell requests apart in one log: `prefix`, random per process, and a count. Counted
 * rather than random, as a random id costs as much as checking the token.
 */
export function createRequestIds(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
