import { quotedPattern } from '../evidence/logs/log-facts.ts';
import { shownText } from '../report/shown-text.ts';
import { utcText } from '../report/time-text.ts';
import type { Situation } from './situation.ts';
import type { Entry } from './timeline.ts';

const newsMax = 3;

/** When the alert's own logs began to say something new, or to say nothing at all. */
export function logMoments({ evidence: { logs }, now }: Situation): Entry[] {
  const { trouble = null, rate = null } = logs ?? {};
  const entries: Entry[] = [];
  // Of more lines than were read nobody knows which was the first.
  const isKnown = logs !== null && trouble?.afterFromMs === logs.window.splitMs;
  const news = !isKnown ? [] : trouble.news.filter(({ kind }) => kind !== 'more');
  for (const { firstAtMs, pattern } of news.slice(0, newsMax)) {
    if (!isKnown || firstAtMs === null) continue;
    const first = trouble.beforeFromMs >= logs.window.splitMs ? ''
      : `, for the first time since ${utcText(trouble.beforeFromMs, now)},`;
    const says = `The log of ${trouble.owner} says${first} ${quotedPattern(pattern)}.`;
    const text = shownText(says, 300);
    entries.push({ at: firstAtMs, kind: 'change', text, evidence: trouble.evidence });
  }
  if (rate !== null && rate.silentSinceMs !== null) {
    const text = shownText(`In Loki the log of ${rate.owner} stops.`, 300);
    entries.push({ at: rate.silentSinceMs, kind: 'change', text, evidence: rate.evidence });
  }
  return entries;
}
