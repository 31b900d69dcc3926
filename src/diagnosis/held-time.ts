import { timeDifferenceIn } from '../evidence/rule/time-difference.ts';
import { utcText } from '../report/time-text.ts';
import type { Situation } from './situation.ts';

/** The time in a metric whose distance from now the rule compares. */
interface HeldTime {
  /** Wall time in milliseconds. */
  readonly atMs: number;
  readonly metric: string;
  readonly isRounded: boolean;
  readonly evidence: readonly string[];
}

/** A metric without a time is 0, or the first second of year 1. */
const yearMs = 365 * 86_400_000;

/** When the last backup was or the certificate ends; null for a rule that compares no such time. */
export function heldTime({ evidence }: Situation): HeldTime | null {
  const { rule, metrics, history } = evidence;
  const own = metrics?.own ?? null;
  const comparison = rule?.comparison ?? null;
  const difference = comparison && timeDifferenceIn(comparison.compared);
  if (difference === null || own === null || own.valueAtFire === null) return null;
  const { metric, secondsPerUnit, isAhead, roundedTo } = difference;
  const distanceMs = own.valueAtFire * secondsPerUnit * 1000;
  const atMs = history.current.start + (isAhead ? distanceMs : -distanceMs);
  if (!(atMs > yearMs)) return null;
  return { atMs, metric, isRounded: roundedTo > 1, evidence: own.evidence };
}

/** `backup_last_success_timestamp_seconds stands at 12:04 UTC.` */
export function heldTimeText(situation: Situation): string | null {
  const held = heldTime(situation);
  if (held === null) return null;
  const { metric, isRounded, atMs } = held;
  return `${metric} stands at ${isRounded ? 'about ' : ''}${utcText(atMs, situation.now)}.`;
}

/** When it started, for a rule on how short a time ago that is; null for any other rule. */
export function startOfThing(situation: Situation): HeldTime | null {
  const { operator } = situation.evidence.measurement;
  if (operator?.startsWith('<') !== true) return null;
  const held = heldTime(situation);
  return held !== null && /start|boot/u.test(held.metric) ? held : null;
}
