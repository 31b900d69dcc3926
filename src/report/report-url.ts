/**
 * Address of a report under `base` (no trailing slash): of the fingerprint's newest episode, or,
 * with a number, the permanent one of that episode.
 */
export function reportUrl(base: string, fingerprint: string, number: number | null): string {
  const latest = `${base}/report/${encodeURIComponent(fingerprint)}`;
  return number === null ? latest : `${latest}/${number}`;
}
