import { formatDuration } from '../../lib/quantity.ts';
import { counted, times } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { flappingSpanMs } from '../../statistics/flapping.ts';
import { secondsOf } from '../../statistics/interval.ts';
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
  const cited = [ids.history];
  const findings: Statement[] = [{
    text: `It started firing ${times(recurrence.last24h)} in 24 h, ` +
      `${times(recurrence.last7d)} in 7 days and ${times(recurrence.last30d)} in 30 days.`,
    evidence: cited,
  }];
  if (recurrence.medianSeconds !== null) {
    const median = formatDuration(recurrence.medianSeconds);
    findings.push({ text: `Half of its episodes last ${median} or less.`, evidence: cited });
  }
  if (flapping.isFlapping) {
    const span = formatDuration(flappingSpanMs / 1000);
    findings.push({
      text: `It is flapping: its weighted state change rate is ${Math.round(flapping.percent)} % ` +
        `over ${span}.`,
      evidence: cited,
    });
  }
  if (recurrence.rhythm !== null) {
    findings.push({ text: `When it starts: ${recurrence.rhythm}.`, evidence: cited });
  }
  const { gapVariation, gapMedianSeconds } = recurrence;
  const isRegular = gapVariation !== null && gapVariation < regularVariationMax;
  if (isRegular && gapMedianSeconds !== null && earlier.length + 1 >= regularEpisodesMin) {
    const gap = formatDuration(gapMedianSeconds);
    findings.push({ text: `It comes back regularly, about every ${gap}.`, evidence: cited });
  }
  return findings;
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
  const text = `${lasts} ${formatDuration(seconds)}, longer than ${shorter} of ${others}.`;
  return [{ text, evidence: [evidence.ids.history] }];
}
