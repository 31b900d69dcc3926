/** The wait that `Retry-After` asks for; null if it is absent, unreadable or in the past. */
export function retryAfterMs(header: string | null, now: number): number | null {
  const seconds = numberInHeader(header);
  const ms = seconds === null ? Date.parse(header ?? '') - now : seconds * 1000;
  return Number.isNaN(ms) || ms < 0 ? null : ms;
}

/** The number in a header, or null. Some servers send fractions where whole numbers are due. */
export function numberInHeader(header: string | null): number | null {
  return header !== null && /^-?\d+(\.\d+)?$/.test(header.trim()) ? Number(header) : null;
}
