import { formatDuration } from '../../lib/quantity.ts';
import { counted, times } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { flappingSpanMs } from '../../statistics/flapping.ts';
import { secondsOf } from '../../statistics/interval.ts';
import { citing } from '../citing.ts';
import { isResolved, type Situation } from '../situation.ts';

/** Below this coefficient of variation, the gaps between episodes are as regular as a timer. */
const regularVariationMax = 0.3;
const regularEpisodesMin = 5;
const comparedMin = 3;

/** How often the alert fires, for how long, and whether it is flapping. */
export function recurrenceFindings({ evidence }: Situation): Statement[] {
  const { history, ids } = evidence;
  const { recurrence, flapping, earlier } = history;
  if (earlier.length === 0) return [];
  const {
    last24h, last7d, last30d, medianSeconds, rhythm, gapVariation, gapMedianSeconds,
  } = recurrence;
  const isRegular = gapVariation !== null && gapVariation < regularVariationMax &&
    earlier.length + 1 >= regularEpisodesMin;
  return citing([ids.history],
    `It started firing ${times(last24h)} in 24 h, ${times(last7d)} in 7 days and ` +
      `${times(last30d)} in 30 days.`,
    medianSeconds !== null &&
      `Half of its episodes last ${formatDuration(medianSeconds)} or less.`,
    flapping.isFlapping &&
      `It is flapping: its weighted state change rate is ${Math.round(flapping.percent)} % ` +
        `over ${formatDuration(flappingSpanMs / 1000)}.`,
    rhythm !== null && `When it starts: ${rhythm}.`,
    isRegular && gapMedianSeconds !== null &&
      `It comes back regularly, about every ${formatDuration(gapMedianSeconds)}.`);
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
  return citing([evidence.ids.history],
    `${lasts} ${formatDuration(seconds)}, longer than ${shorter} of ${others}.`);
}
