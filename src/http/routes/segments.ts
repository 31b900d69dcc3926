/** The episode number in a path segment; null if it is none. */
export function episodeNumberIn(segment: string): number | null {
  return /^[1-9]\d{0,8}$/.test(segment) ? Number(segment) : null;
}

/** Whether a path segment has the form of an incident's id. */
export function isIncidentId(segment: string): boolean {
  return /^[0-9a-f]{16}$/.test(segment);
}
