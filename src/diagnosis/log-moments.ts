import { quotedPattern } from '../evidence/logs/log-facts.ts';
import { shownText } from '../report/shown-text.ts';
import type { Situation } from './situation.ts';
import type { Entry } from './timeline.ts';

const newsMax = 3;

/** When the alert's own logs began to say something new, or to say nothing at all. */
export function logMoments({ evidence: { logs } }: Situation): Entry[] {
  const { trouble = null, rate = null } = logs ?? {};
  const entries: Entry[] = [];
  const news = trouble?.news.filter(({ kind }) => kind === 'new') ?? [];
  for (const { firstAtMs, pattern } of news.slice(0, newsMax)) {
    if (trouble === null || firstAtMs === null) continue;
    const says = `The log of ${trouble.said} says for the first time ${quotedPattern(pattern)}.`;
    const text = shownText(says, 300);
    entries.push({ at: firstAtMs, kind: 'change', text, evidence: trouble.evidence });
  }
  if (rate !== null && rate.silentSinceMs !== null) {
    const text = shownText(`The log of ${rate.said} falls silent.`, 300);
    entries.push({ at: rate.silentSinceMs, kind: 'change', text, evidence: rate.evidence });
  }
  return entries;
}
