/** What `retry-after` asks to wait; null where it does not say, or names a time that is over. */
export function retryAfterMs(header: string | null, now: number): number | null {
  const seconds = numberInHeader(header);
  const ms = seconds === null ? Date.parse(header ?? '') - now : seconds * 1000;
  return Number.isNaN(ms) || ms < 0 ? null : ms;
}

/** Perhaps with a fraction, which some servers send where whole numbers are due. */
export function numberInHeader(header: string | null): number | null {
  return header !== null && /^-?\d+(\.\d+)?$/.test(header.trim()) ? Number(header) : null;
}
