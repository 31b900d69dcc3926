import { quotedPattern, type LogNews } from '../../evidence/logs/log-facts.ts';
import { isSteering } from '../../evidence/steering-text.ts';
import { counted } from '../../report/plain-text.ts';
import type { Hypothesis } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import { noneBefore } from '../none-before.ts';
import type { Situation } from '../situation.ts';
import { saidCause } from './log-meanings.ts';

/**
 * What the log of the alert's own object names for the first time. It may be cause or consequence,
 * so it is possible and no more; who reads it mostly knows which.
 */
export function logHypothesis({ evidence: { logs }, now }: Situation): Hypothesis | null {
  const trouble = logs?.trouble ?? null;
  if (logs === null || trouble === null) return null;
  const { splitMs } = logs.window;
  // The failures of a log that has just begun are all that is known of a new pod, or of a job.
  const isFirstSaid = ({ kind }: LogNews): boolean => {
    return kind === 'new' || (kind === 'alike' && trouble.beforeFromMs >= splitMs);
  };
  const first = trouble.news.find((line) => isFirstSaid(line) && !isOrder(line));
  if (first === undefined) return null;
  const isCut = trouble.afterFromMs > splitMs;
  const since = first.firstAtMs === null ? ''
    : ` since ${utcText(first.firstAtMs, now)}${isCut ? ' at least' : ''}`;
  const says = `the log of ${trouble.owner} says`;
  const text = `${counted(first.after, 'such line')}${since}${noneBefore(trouble, logs, now)}.`;
  return {
    cause: shownText(saidCause(first.example, says, quotedPattern(first.pattern)), 300),
    mechanism: null,
    for: [{ text, evidence: [trouble.evidence] }],
    against: [],
    test: null,
    certainty: 'possible',
  };
}

/** Whoever has a program log orders to a model wants them read, and not something explained. */
function isOrder({ pattern, example }: LogNews): boolean {
  return isSteering(pattern) || isSteering(example);
}
