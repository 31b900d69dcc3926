/** The wording of a log in findings, in the timeline and of a possible cause. */
import {
  quotedPattern, type LogFacts, type LogNews, type TroubleFacts,
} from '../evidence/logs/log-facts.ts';
import { formatDuration } from '../lib/quantity.ts';
import { counted } from '../report/plain-text.ts';
import { shownText } from '../report/shown-text.ts';
import { utcText } from '../report/time-text.ts';

/** A log that is empty for less than this may simply have had nothing to say. */
const emptyMinMs = 30 * 60_000;
/** A message last logged less than this long ago counts as still being logged. */
const goesOnMs = 5 * 60_000;
const patternMax = 200;

/** Only the latest lines could be read, so that a message may have been logged before. */
export function isCutOff({ afterFromMs }: TroubleFacts, { window }: LogFacts): boolean {
  return afterFromMs > window.splitMs;
}

/** There is no log from before, of a new pod or a job, to compare its failures with. */
export function hasNoBefore({ beforeFromMs }: TroubleFacts, { window }: LogFacts): boolean {
  return beforeFromMs >= window.splitMs;
}

/** Cut so that what follows it in the sentence is not. */
export function quotedNews({ pattern }: LogNews): string {
  return quotedPattern(shownText(pattern, patternMax));
}

/** `12 lines since 10:21 UTC, none in the 1 h before 09:50 UTC`. */
export function newLinesText(
  { after, firstAtMs, lastAtMs }: LogNews,
  trouble: TroubleFacts,
  logs: LogFacts,
  now: number,
): string {
  const lines = counted(after, 'line');
  const before = noneBefore(trouble, logs, now);
  if (firstAtMs === null || lastAtMs === null) return `${lines}${before}`;
  const [first, last] = [utcText(firstAtMs, now), utcText(lastAtMs, now)];
  const least = isCutOff(trouble, logs) ? ' at least' : '';
  const goesOn = after > 1 && now - lastAtMs < goesOnMs;
  const when = goesOn ? `since${least} ${first}`
    : first === last ? `at ${first}` : `from${least} ${first} to ${last}`;
  return `${lines} ${when}${before}`;
}

function noneBefore(trouble: TroubleFacts, logs: LogFacts, now: number): string {
  const { splitMs } = logs.window;
  const empty = withoutLines(logs, now);
  const also = empty === null ? '' : `; ${empty}`;
  if (hasNoBefore(trouble, logs)) return also;
  const long = formatDuration((splitMs - trouble.beforeFromMs) / 1000);
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
