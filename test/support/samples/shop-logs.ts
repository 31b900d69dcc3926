import type { LoggedStream } from '../sources/fake-loki.ts';

export const minute = 60_000;
/** When the alert of these samples fires. */
export const firedAt: number = Date.parse('2026-11-20T10:00:00Z');

export const cartLabels: Readonly<Record<string, string>> = {
  alertname: 'HighErrorRate', namespace: 'shop', pod: 'cart-7d9f8b6c5d-x2x4z', container: 'cart',
};

type Line = readonly [atMs: number, text: string];

/** Lines at intervals of `everyMs`. */
export function linesBetween(
  [fromMs, toMs]: readonly [number, number],
  everyMs: number,
  text: (index: number) => string,
): Line[] {
  const count = Math.ceil((toMs - fromMs) / everyMs);
  return Array.from({ length: count }, (_, index) => [fromMs + index * everyMs, text(index)]);
}

/** What the cart logs all day: requests, and a harmless warning. */
export function usualLines(toMs: number = firedAt + 10 * minute): Line[] {
  const fromMs = firedAt - 120 * minute;
  return [
    ...linesBetween([fromMs, toMs], 5_000, (index) =>
      `level=info msg="request served" path=/cart/${index * 37} ms=${index % 80}`),
    ...linesBetween([fromMs, toMs], 120_000, (index) =>
      `level=warn msg="session expired" session=${(index * 7919).toString(16)}`),
  ];
}

/** Errors from nine minutes before the alert on, as the database refuses connections. */
export function refusedLines(toMs: number = firedAt + 10 * minute): Line[] {
  return linesBetween([firedAt - 9 * minute, toMs], 10_000, (index) =>
    `level=error msg="cannot load cart ${index * 13}" ` +
    'err="FATAL: remaining connection slots are reserved"');
}

export function cartStream(lines: readonly Line[]): LoggedStream {
  const { namespace = '', pod = '', container = '' } = cartLabels;
  return { labels: { namespace, pod, container }, lines };
}
