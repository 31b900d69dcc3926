import { formatDuration } from '../../lib/quantity.ts';
import { counted, times } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { secondsOf } from '../../statistics/interval.ts';
import { citing } from '../citing.ts';
import { historyEvidence } from '../history.ts';
import type { Judged } from '../judged.ts';
import { isResolved, type Situation } from '../situation.ts';

const comparedMin = 3;

/** How often the alert fires, for how long, and whether it is flapping. */
export function recurrenceFindings({ evidence, noise }: Judged): Statement[] {
  const { recurrence, earlier } = evidence.history;
  const { last24h, last7d, last30d, medianSeconds, rhythm } = recurrence;
  if (earlier.length === 0 && last7d < 2) return [];
  const it = noise?.kind === 'flapping' ? 'It is flapping: it' : 'It';
  return citing(historyEvidence(evidence),
    `${it} started firing ${times(last24h)} in 24 h, ${times(last7d)} in 7 days and ` +
      `${times(last30d)} in 30 days.`,
    medianSeconds !== null &&
      `Half of its episodes last ${formatDuration(medianSeconds)} or less.`,
    rhythm !== null && `When it starts: ${rhythm}.`);
}

/** This episode's duration against the earlier ones; nothing where there are too few. */
export function lengthFindings(situation: Situation): Statement[] {
  const { evidence, caseFile, now } = situation;
  const { current, earlier } = evidence.history;
  const ended = earlier.filter(({ end }) => end !== null);
  if (ended.length < comparedMin) return [];
  const seconds = secondsOf(current, now);
  const shorter = ended.filter((episode) => secondsOf(episode, now) < seconds).length;
  const lasts = isResolved(situation) ? 'It lasted' : 'It has fired for';
  const others = caseFile.unlisted === null ? counted(ended.length, 'earlier episode')
    : `the ${ended.length} episodes before`;
  const than = shorter === 0 ? 'no longer than any' : `longer than ${shorter}`;
  return citing(historyEvidence(evidence),
    `${lasts} ${formatDuration(seconds)}, ${than} of ${others}.`);
}
