import type { LogFacts, TroubleFacts } from '../evidence/logs/log-facts.ts';
import { formatDuration } from '../lib/quantity.ts';
import { utcText } from '../report/time-text.ts';

/** A log that is empty for less than this may simply have had nothing to say. */
const emptyMinMs = 30 * 60_000;

/** ", none in the 1 h before 09:30 UTC": why a message is called new. */
export function noneBefore({ beforeFromMs }: TroubleFacts, logs: LogFacts, now: number): string {
  const { splitMs } = logs.window;
  const empty = withoutLines(logs, now);
  const also = empty === null ? '' : `; ${empty}`;
  if (beforeFromMs >= splitMs) return also;
  const long = formatDuration((splitMs - beforeFromMs) / 1000);
  return `, none in the ${long} before ${utcText(splitMs, now)}${also}`;
}

/** Says when the log starts after the window does, or has a gap in it; null where neither holds. */
export function withoutLines(
  { emptyUntilMs, gap, window: { fromMs } }: LogFacts,
  now: number,
): string | null {
  const isYoung = emptyUntilMs !== null && emptyUntilMs - fromMs >= emptyMinMs;
  const empty = isYoung ? { fromMs, toMs: emptyUntilMs } : gap;
  return empty &&
    `Loki has no line of it from ${utcText(empty.fromMs, now)} to ${utcText(empty.toMs, now)}`;
}
