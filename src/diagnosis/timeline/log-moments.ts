import { quotedPattern } from '../../evidence/logs/log-facts.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import type { Situation } from '../situation.ts';
import type { Moment } from './moment.ts';

const newsMax = 3;
/** Cut so that what follows it in the sentence is not. */
const patternMax = 160;

/** When the logs of the alert's object first said something new, or went silent. */
export function logMoments({ evidence: { logs }, now }: Situation): Moment[] {
  const { trouble = null, rate = null } = logs ?? {};
  const moments: Moment[] = [];
  // When only the latest lines were read, the first of a pattern may be among the others.
  if (logs !== null && trouble?.afterFromMs === logs.window.splitMs) {
    const first = trouble.beforeFromMs >= logs.window.splitMs ? ''
      : ` for the first time since ${utcText(trouble.beforeFromMs, now)}`;
    const news = trouble.news.filter(({ kind }) => kind !== 'more');
    for (const { firstAtMs, pattern } of news.slice(0, newsMax)) {
      if (firstAtMs === null) continue;
      const quoted = quotedPattern(shownText(pattern, patternMax));
      const text = `The log of ${trouble.owner} says ${quoted}${first}.`;
      moments.push({ at: firstAtMs, kind: 'change', text, evidence: trouble.evidence });
    }
  }
  if (rate !== null && rate.silentSinceMs !== null) {
    const text = `The log of ${rate.owner} stops in Loki.`;
    moments.push({ at: rate.silentSinceMs, kind: 'change', text, evidence: rate.evidence });
  }
  return moments;
}
