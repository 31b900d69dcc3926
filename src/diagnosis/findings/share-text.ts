import type { WholeFacts } from '../../evidence/metric-facts.ts';
import { formatDuration, formatQuantity } from '../../lib/quantity.ts';

/** With fewer in the rule's range, their number says more than how many there are per second. */
const countedBelow = 100;
/** With fewer, each of them matters. */
const fewBelow = 20;

/**
 * What a share means in numbers: `When it fired, 12 % was 29 of 240 requests per second.`, or with
 * little traffic `…, 12.5 % was 1 of 8 requests in 5 min; each changes it by 12.5 %.` Null for a
 * value that is no share.
 */
export function shareText(
  { atFire, counted: what, isRate, rangeSeconds }: WholeFacts,
  { value, unit }: { readonly value: number | null; readonly unit: string | null },
): string | null {
  const share = (value ?? -1) / (unit === 'ratio' ? 1 : unit === 'percent' ? 100 : Number.NaN);
  if (!(share >= 0 && share <= 1)) return null;
  const opening = `When it fired, ${formatQuantity(share, 'ratio')} was`;
  const count = isRate ? atFire * rangeSeconds : atFire;
  if (isRate && count >= countedBelow) {
    const [part, all] = [share * atFire, atFire].map((each) => formatQuantity(each, null));
    return `${opening} ${part} of ${all} ${what} per second.`;
  }
  // `increase()` extrapolates, so that its result is seldom a whole number.
  const [part, all] = [Math.round(share * count), Math.round(count)];
  if (all === 0) return null;
  const each = all < fewBelow ? `; each changes it by ${formatQuantity(1 / all, 'ratio')}` : '';
  const counts = `${formatQuantity(part, null)} of ${formatQuantity(all, null)} ${what}`;
  return `${opening} ${counts} in ${formatDuration(rangeSeconds)}${each}.`;
}
