import { formatQuantity } from '../lib/quantity.ts';
import { utcText } from '../report/time-text.ts';
import type { Exhaustion } from './metric-facts.ts';

/** `At the pace of the last 60 min it reaches 0 % at about 20:47 UTC.` */
export function exhaustionText(
  { level, atMs, stretchMs }: Exhaustion,
  unit: string | null,
  now: number,
): string {
  const pace = `the pace of the last ${Math.round(stretchMs / 60_000)} min`;
  return `At ${pace} it reaches ${formatQuantity(level, unit)} at about ${utcText(atMs, now)}.`;
}
