/** The later parts of an outline: related alerts, history, narrative, resolution, provenance. */
import { formatDuration, formatQuantity } from '../../lib/quantity.ts';
import { formatExactMoment, formatSpan } from '../moment.ts';
import { counted } from '../plain-text.ts';
import type { Report } from '../report.ts';
import { isKept } from '../report-url.ts';
import { webAddress } from '../web-address.ts';
import { heldWords, historyRows, shareWord, sourceStateWords, steeredText } from '../words.ts';
import { cited, lines, point, type Piece, type Point } from './outline-point.ts';

export function relatedPoints({ related, incident }: Report): Point[] {
  const part = incident === null ? [] : [
    point([`Part of an incident of ${counted(incident.members.length, 'alert')}`],
      lines(incident.likely_origin && `Likely origin: ${incident.likely_origin}`)),
  ];
  return [...part, ...related.map(({ name, why, similarity, report_url: url }) =>
    point([`${name}: ${why}, ${shareWord(similarity)} similar`], address(url)))];
}

function address(url: string): Piece[][] {
  return webAddress(url) === null || !isKept(url) ? [] : [[{ url }]];
}

export function historyPoints({ history }: Report): Point[] {
  const { episodes } = history;
  if (episodes.length <= 1 && history.last_30d <= 1) return [];
  const past = episodes.slice(0, 20).map(({ number, starts_at: from, ends_at: to }) => {
    const lasted = to === null ? 'still firing' : formatSpan(from, to, 0);
    return [`Episode ${number}: ${formatExactMoment(from)}, ${lasted}`];
  });
  return historyRows(history)
    .map(([name, value], index) => point([`${name}: ${value}`], index === 0 ? past : []));
}

export function narrativePoints({ narrative }: Report): Point[] {
  if (narrative.state === 'absent') return [point([narrative.detail])];
  const unproven = narrative.claims.filter(({ verified }) => !verified);
  return [
    ...(narrative.suspicious_content ? [point([steeredText])] : []),
    point([narrative.text]),
    ...unproven.map((claim) => point(['Not found in the evidence: ', ...cited(claim)])),
    point([`Written by the model ${narrative.model}, ${
      formatExactMoment(narrative.written_at)}. It can be wrong.`]),
  ];
}

export function resolutionPoints({ resolution, reality }: Report): Point[] {
  if (resolution === null) return [];
  const {
    ended_at: at, duration_seconds: seconds, value_at_end: value, hypothesis_held: held,
  } = resolution;
  const end = value === null ? null : `Value at the end: ${formatQuantity(value, reality.unit)}`;
  return [
    point([`Ended ${formatExactMoment(at)} after ${formatDuration(seconds)}`],
      lines(end, held === null ? null : `The leading explanation ${heldWords(held)}.`)),
    ...resolution.changes.map((change) => point(cited(change))),
  ];
}

export function provenancePoints(report: Report): Point[] {
  const { provenance, report_url: url } = report;
  const sources = provenance.sources.map(({ name, state, duration_ms: ms }) =>
    [`${name}: ${sourceStateWords[state]}, ${formatQuantity(ms, 'milliseconds')}`]);
  const by = `alert-analyst ${provenance.version}, updated ${formatExactMoment(report.updated_at)}`;
  return [point([by], [...sources, ...address(url)])];
}
