/** The wait that `Retry-After` asks for; null if it is absent, unreadable or in the past. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const seconds = numberInHeader(header);
  const ms = seconds === null ? Date.parse(header ?? '') - now : seconds * 1000;
  return Number.isNaN(ms) || ms < 0 ? null : ms;
}

/** The number in a header, or null. Some servers send fractions where whole numbers are due. */
export function numberInHeader(header: string | string[] | undefined): number | null {
  const isNumber = typeof header === 'string' && /^-?\d+(\.\d+)?$/.test(header.trim());
  return isNumber ? Number(header) : null;
}
