import type { ChangeCandidate } from './change-candidate.ts';
import { notableZ } from './strength.ts';

const whatIsLeft = /idle|free|avail/i;
/** Nor is it less use where a clock or fan is slower, a credit runs out, or a cache misses. */
const better = /_(left|remaining|balance|credits?|frequency|hertz|rpm|hit_?(ratio|rate|percent))/i;

/** Less is in use inside than before, as where less work comes from outside. */
export function isLessUse({ side, signal, metric, labels }: ChangeCandidate, z: number): boolean {
  const isUse = side === 'internal' && (signal === 'utilization' || signal === 'saturation');
  return isUse && z <= -notableZ && !better.test(metric) &&
    !whatIsLeft.test([metric, ...Object.values(labels)].join(' '));
}
