/** Lays out what a report knows about a resolved episode as the start of a post-mortem. */
import { formatDuration } from '../../lib/quantity.ts';
import type { Report } from '../report.ts';
import { formatExactMoment } from '../time-text.ts';
import { feedbackWords } from '../words.ts';
import { impactPoints, type OutlineSection } from './outline.ts';
import { point, timelinePoints, type OutlinePoint } from './outline-point.ts';

/** Limit of entries in one part; the report above has all of them. */
const entriesMax = 30;

/** The skeleton of a post-mortem; empty while the alert fires. */
export function postMortemOf(report: Report): OutlineSection[] {
  if (report.episode.state !== 'resolved') return [];
  const parts: readonly (readonly [string, readonly OutlinePoint[]])[] = [
    ['Summary', summaryPoints(report)],
    ['Impact', [
      ...impactPoints(report),
      point(['To be filled in: who noticed what, and for how long.']),
    ]],
    ['Timeline', timelinePoints(report)],
    ['Root cause (to confirm)', causePoints(report)],
    ['What went well', [point([toFillIn])]],
    ['What went badly', [
      ...report.unknowns.map(({ what, why }) => point([`Not known: ${what}`], [[why]])),
      point([toFillIn]),
    ]],
    ['Actions', [
      ...report.unknowns.map(({ how_to_get: how }) => point([how])),
      point(['To be filled in: what, who, by when.']),
    ]],
  ];
  return parts.map(([title, points]) =>
    ({ title, isOrdered: false, points: points.slice(0, entriesMax) }));
}

const toFillIn = 'To be filled in.';

function summaryPoints({ verdict, episode, resolution }: Report): OutlinePoint[] {
  const { starts_at: from, ends_at: to } = episode;
  const lasted = resolution === null ? '' : ` (${formatDuration(resolution.duration_seconds)})`;
  const until = to === null ? '' : ` to ${formatExactMoment(to)}${lasted}`;
  return [point([verdict.headline]), point([`From ${formatExactMoment(from)}${until}`])];
}

/** Causes given by people come before the computed one. */
function causePoints({ verdict, feedback, resolution }: Report): OutlinePoint[] {
  const causes = feedback.flatMap(({ cause: given, verdict: rating }) => given === null ? []
    : [point([`${given} (given by a person, who rated the report ${
      feedbackWords[rating].toLowerCase()})`])]);
  const { most_likely: cause, certainty } = verdict;
  if (cause === null) return [...causes, point(['The report did not establish a cause.'])];
  const held = resolution?.hypothesis_held ?? null;
  const later = held === null ? []
    : [point([held ? 'It recovered with the alert.' : 'It did not recover with the alert.'])];
  return [...causes, point([`${cause} (${certainty})`]), ...later];
}
