import type { Resolution } from '../report/report.ts';
import { isoTime } from '../report/time-text.ts';
import { secondsOf } from '../statistics/interval.ts';
import { lengthText } from './history-findings.ts';
import type { Situation } from './situation.ts';

/** How the episode ended; null while it fires. Its last value needs a metric source. */
export function resolutionOf(situation: Situation): Resolution | null {
  const { evidence, now } = situation;
  const { current } = evidence.history;
  if (current.end === null) return null;
  return {
    ended_at: isoTime(current.end),
    duration_seconds: secondsOf(current, now),
    value_at_end: null,
    changes: lengthText(situation),
    hypothesis_held: null,
  };
}
