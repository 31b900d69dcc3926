import { formatQuantity } from '../lib/quantity.ts';
import type { ImpactExtent } from './impact-extent.ts';
import { formatExactMoment } from './time-text.ts';

/**
 * How much is hit, as a clause: `111 of 188 requests per second are hit`, `37 of 40 in use`,
 * `3707 waiting, 40.5/s more`, `2 of 3 targets left`.
 */
export function extentText(extent: ImpactExtent): string {
  const { kind, part, of, is_rate: isRate, unit, what, pace, ends_at: end, as_of: asOf } = extent;
  const [some, all] = [part, of].map((value) => value === null ? '' : formatQuantity(value, unit));
  const things = what === null ? '' : ` ${what}`;
  const amount = {
    share: `${some} of ${all}${things}${isRate ? ' per second' : ''} ${
      asOf === 'fire' ? 'were hit when it fired' : 'are hit'}`,
    used: `${some} of ${all}${things} in use`,
    waiting: `${some}${things} waiting`,
    left: `${some} of ${all}${things} left`,
  }[kind];
  return [
    amount,
    ...(pace === null ? [] : [
      `${formatQuantity(Math.abs(pace), unit)}/s ${pace > 0 ? 'more' : 'less'}`]),
    ...(end === null ? [] : [`nothing left at ${formatExactMoment(end)}`]),
    ...(asOf === 'fire' && kind !== 'share' ? ['when it fired'] : []),
  ].join(', ');
}
