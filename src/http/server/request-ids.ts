/**
 * Generates ids that are unique in a log: `prefix`, which is random per process, and a count. A
 * random id for each request would cost as much as checking its token.
 */
export function createRequestIds(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
