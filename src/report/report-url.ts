/** For reports that no service keeps: of a kind of name that leads nowhere (RFC 6761). */
export const unkeptReportBase = 'http://not-stored.invalid';

/** Whether there is something at the address of a report. */
export function isKept(url: string): boolean {
  return !url.startsWith(`${unkeptReportBase}/`);
}

/**
 * Address of a report under `base` (no trailing slash): of the fingerprint's newest episode, or,
 * with a number, the permanent one of that episode.
 */
export function reportUrl(base: string, fingerprint: string, number: number | null): string {
  const latest = `${base}/report/${encodeURIComponent(fingerprint)}`;
  return number === null ? latest : `${latest}/${number}`;
}
