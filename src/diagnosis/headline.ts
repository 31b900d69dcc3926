import { labelOf, type LabelSet } from '../alert/labels.ts';
import { ownWordsOf } from '../evidence/from-alert.ts';
import { comparisonText } from '../evidence/measurement.ts';
import { formatDuration } from '../lib/quantity.ts';
import { objectLabels, placeOf, subjectOf } from '../report/alert-place.ts';
import { utcText } from '../report/time-text.ts';
import { secondsOf } from '../statistics/interval.ts';
import { isHeartbeat, isNoisy } from './classification.ts';
import type { Situation } from './situation.ts';

/** What is going on, in one or two sentences: what it is, how far off, since when. */
export function headlineOf(situation: Situation): string {
  const { evidence, now } = situation;
  const { current } = evidence.history;
  const what = whatOf(situation);
  if (current.end !== null) {
    const lasted = formatDuration(secondsOf(current, now));
    const ended = isHeartbeat(situation) ? 'It stopped' : 'Recovered';
    return `${what} ${ended} ${utcText(current.end, now)} after ${lasted}.`;
  }
  const begin = current.start > now ? 'Set to begin' : 'Firing since';
  const since = `${begin} ${utcText(current.start, now)}`;
  return `${what} ${since}${isNoisy(situation) ? `, ${recurrenceText(situation)}` : ''}.`;
}

/** The alert's own words where it has some, and the value where it is known. */
function whatOf({ caseFile, evidence }: Situation): string {
  const { alert } = caseFile;
  const words = ownWordsOf(alert);
  const subject = subjectOf(alert.labels);
  const { measurement } = evidence;
  const isTelling = measurement.origin === 'text' || measurement.origin === 'values';
  const comparison = isTelling ? comparisonText(measurement) : null;
  if (comparison !== null) return `${subject}: ${comparison}.`;
  if (words === null) return `${subject}.`;
  const place = placeOf(alert.labels);
  const isPlaced = place === '' || namesObject(words, alert.labels);
  return sentence(`${isPlaced ? '' : `${place}: `}${words}`);
}

/** True when the words already say which object they are about. */
function namesObject(words: string, labels: LabelSet): boolean {
  return objectLabels.some((name) => {
    const value = labelOf(labels, name) ?? '';
    return value !== '' && words.includes(value);
  });
}

function recurrenceText({ evidence }: Situation): string {
  const { flapping, recurrence } = evidence.history;
  const times = recurrence.last24h > 1
    ? `${recurrence.last24h} times in 24 h`
    : `${recurrence.last7d} times in 7 days`;
  return flapping.isFlapping ? `flapping: ${times}` : `${times}, mostly for less than 5 min`;
}

function sentence(text: string): string {
  return /[.!?…。]$/u.test(text) ? text : `${text}.`;
}
