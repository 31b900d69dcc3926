/** The number of an episode, as a segment of an address says it; null for anything else. */
export function episodeIn(segment: string): number | null {
  return /^[1-9]\d{0,8}$/.test(segment) ? Number(segment) : null;
}

/** Whether a segment can be the id of an incident. */
export function isIncidentId(segment: string): boolean {
  return /^[0-9a-f]{16}$/.test(segment);
}
