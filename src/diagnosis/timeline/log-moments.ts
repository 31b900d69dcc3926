import { isCutOff, quotedNews } from '../log-words.ts';
import type { Situation } from '../situation.ts';
import type { Moment } from './moment.ts';

const newsMax = 3;

/** When the logs of the alert's object first said something new, or went silent. */
export function logMoments({ evidence: { logs } }: Situation): Moment[] {
  const { trouble = null, rate = null } = logs ?? {};
  const moments: Moment[] = [];
  if (logs !== null && trouble !== null && !isCutOff(trouble, logs)) {
    for (const change of trouble.news.filter(({ kind }) => kind !== 'more').slice(0, newsMax)) {
      if (change.firstAtMs === null) continue;
      const text = `The log of ${trouble.owner} begins to say ${quotedNews(change)}.`;
      moments.push({ at: change.firstAtMs, kind: 'change', text, evidence: trouble.evidence });
    }
  }
  if (rate !== null && rate.silentSinceMs !== null) {
    const text = `The log of ${rate.owner} stops in Loki.`;
    moments.push({ at: rate.silentSinceMs, kind: 'change', text, evidence: rate.evidence });
  }
  return moments;
}
