import { quotedPattern } from '../../evidence/logs/log-facts.ts';
import { counted } from '../../report/plain-text.ts';
import type { Hypothesis } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import type { Situation } from '../situation.ts';

/**
 * What the log of the alert's own object names for the first time. It may be cause or consequence,
 * so it is possible and no more; who reads it mostly knows which.
 */
export function logHypothesis({ evidence: { logs }, now }: Situation): Hypothesis | null {
  const trouble = logs?.trouble ?? null;
  const first = trouble?.news.find(({ kind }) => kind === 'new');
  if (trouble === null || first === undefined) return null;
  const since = first.firstAtMs === null ? '' : `, the first at ${utcText(first.firstAtMs, now)}`;
  const text = `${counted(first.after, 'such line')}${since}; none before.`;
  return {
    cause: shownText(`What the log of ${trouble.said} says: ${quotedPattern(first.pattern)}`, 300),
    mechanism: null,
    for: [{ text, evidence: [trouble.evidence] }],
    against: [],
    test: null,
    certainty: 'possible',
  };
}
