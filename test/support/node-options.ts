/** Has Node load a script first; quoted, as NODE_OPTIONS is split at every space that is not. */
export function requireFirst(path: string): string {
  return `--require ${JSON.stringify(path)}`;
}
