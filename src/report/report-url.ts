/** Base for reports that are not stored; `.invalid` never resolves (RFC 6761). */
export const unkeptReportBase = 'http://not-stored.invalid';

/** Whether the report at this address is stored. */
export function isStored(url: string): boolean {
  return !url.startsWith(`${unkeptReportBase}/`);
}

/**
 * Address of a report under `base` (no trailing slash): that of the fingerprint's latest episode,
 * or with a number the permanent address of that episode.
 */
export function reportUrl(base: string, fingerprint: string, number: number | null): string {
  const latest = `${base}/report/${encodeURIComponent(fingerprint)}`;
  return number === null ? latest : `${latest}/${number}`;
}
