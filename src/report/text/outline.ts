/** A report as titled lists of short texts, from which Markdown and terminal text are rendered. */
import { formatDuration, formatQuantity } from '../../lib/quantity.ts';
import { areaOf } from '../alert-place.ts';
import { authorWordsOf } from '../author-words.ts';
import { readSeries } from '../charts/read-series.ts';
import { firstStepOf } from '../first-step.ts';
import { impactText } from '../impact-text.ts';
import { incidentOriginText } from '../incident.ts';
import { lastFeedbackText, lastFeedbackTime } from '../last-feedback.ts';
import { listedEvidence } from '../listed-evidence.ts';
import { counted, shorten } from '../plain-text.ts';
import type { Change, EvidenceItem, Report, WrittenNarrative } from '../report.ts';
import { isStored } from '../report-url.ts';
import { silenceCommand } from '../silence.ts';
import { formatExactMoment, formatOnset, formatSpan } from '../time-text.ts';
import { webAddress } from '../web-address.ts';
import {
  affectedIn, affectedShown, beforeAndAfter, causeWords, certaintyMeanings, classificationWords,
  endWords, evidenceOrigin, feedbackWords, foundText, heldWords, historyRows, impactRows,
  nothingMovedText,
  realityRows, severityWord, sourceStateWords, stateWord, statusWords, steeredText,
  uncheckedText, unexplainedText, whyWords,
} from '../words.ts';
import { blockLine } from './block-line.ts';
import {
  cited, lines, point, timelinePoints, type Piece, type OutlinePoint,
} from './outline-point.ts';
import { pathPoints } from './path-points.ts';

export interface OutlineSection {
  readonly title: string;
  readonly isOrdered: boolean;
  readonly points: readonly OutlinePoint[];
}

interface Outline {
  readonly title: string;
  readonly state: string;
  readonly headline: string;
  /** Null if name and headline say as much. */
  readonly authorText: string | null;
  readonly sections: readonly OutlineSection[];
}

/** Points shown of one section; the JSON has all of them. */
const pointsMax = 100;

/** Narrow enough for a chat. */
const drawingColumns = 36;

/** A section as a page and its links call it. */
export type SectionId =
  | 'resolution' | 'reality' | 'impact' | 'path' | 'changes' | 'findings' | 'hypotheses'
  | 'ruled-out'
  | 'next' | 'timeline' | 'alert' | 'evidence' | 'related' | 'history' | 'unknowns' | 'narrative'
  | 'questions'
  | 'feedback' | 'provenance';

interface ReportSection {
  readonly title: string;
  readonly points: (report: Report) => readonly OutlinePoint[];
  /** Whether the order of the points means something. */
  readonly isOrdered?: boolean;
}

/** In reading order: conclusions before evidence, evidence before raw data. */
export const reportSections: readonly (ReportSection & { readonly id: SectionId })[] = [
  { id: 'resolution', title: 'Resolution', points: resolutionPoints },
  { id: 'reality', title: 'Value', points: realityPoints },
  { id: 'impact', title: 'Impact', points: impactPoints },
  { id: 'path', title: 'Path', points: pathPoints },
  { id: 'changes', title: 'Changes', points: changePoints },
  {
    id: 'findings', title: 'Findings',
    points: ({ findings }) => findings.map((finding) => point(cited(finding))),
  },
  { id: 'hypotheses', title: 'Causes', points: hypothesisPoints },
  { id: 'ruled-out', title: 'Ruled out', points: ruledOutPoints },
  { id: 'next', title: 'Next steps', points: stepPoints, isOrdered: true },
  { id: 'timeline', title: 'Timeline', points: timelinePoints },
  { id: 'alert', title: 'The alert', points: alertPoints },
  {
    id: 'evidence', title: 'Evidence',
    points: (report) => listedEvidence(report).map(evidencePoint),
  },
  { id: 'related', title: 'Related alerts', points: relatedPoints },
  { id: 'history', title: 'History', points: historyPoints },
  { id: 'unknowns', title: 'Not known', points: unknownPoints },
  { id: 'narrative', title: 'Narrative', points: narrativePoints },
  { id: 'questions', title: 'Questions', points: questionPoints },
  { id: 'feedback', title: 'Feedback', points: feedbackPoints },
  { id: 'provenance', title: 'This report', points: provenancePoints },
];

/** The outline of a report, without empty sections. */
export function outlineOf(report: Report): Outline {
  const { alert, episode, verdict } = report;
  const state = stateWord(episode);
  const words = authorWordsOf(report);
  const area = areaOf(alert);
  return {
    title: `${shorten(alert.name, 200)}${area && ` in ${area}`}`,
    state: `${state}, ${shorten(severityWord(report), 32)}`,
    headline: verdict.headline,
    authorText: words && `The alert says: ${words.quoted}`,
    sections: [
      listOf({ title: 'Verdict', points: verdictPoints }, report),
      ...reportSections.map((section) => listOf(section, report)),
    ].filter(({ points }) => points.length > 0),
  };
}

function listOf({ title, points: of, isOrdered = false }: ReportSection, report: Report):
  OutlineSection {
  const points = of(report);
  const missing = points.length - pointsMax;
  const rest = missing > 0 ? [point([`and ${missing} more in the JSON`])] : [];
  return { title, isOrdered, points: [...points.slice(0, pointsMax), ...rest] };
}

function rowPoints(
  rows: readonly (readonly [string, string, ...unknown[]])[],
  evidence: readonly string[],
): OutlinePoint[] {
  const points = rows.map(([name, value]) => point([`${name}: ${value}`]));
  if (points.length === 0 || evidence.length === 0) return points;
  return [...points, point([`Evidence: ${evidence.join(', ')}`])];
}

function verdictPoints(report: Report): OutlinePoint[] {
  const { verdict, episode, status } = report;
  const until = episode.ends_at === null ? ''
    : `${endWords(episode.end_unknown).until} ${formatExactMoment(episode.ends_at)}`;
  const first = firstStepOf(report);
  const impact = impactText(report);
  const reasons = verdict.reasons.map(({ effect, ...reason }): Piece[] =>
    [effect === 'raises' ? 'Raises it: ' : 'Lowers it: ', ...cited(reason)]);
  const certainty = `Certainty: ${verdict.certainty} (${certaintyMeanings[verdict.certainty]})`;
  return [
    point([`${classificationWords[verdict.classification]}. Report: ${statusWords[status]}`]),
    point([`Since ${formatExactMoment(episode.starts_at)}${until}${
      episode.suppressed === null ? '' : `, ${episode.suppressed} in Alertmanager`}`]),
    ...(impact === null ? [] : [point([`Impact: ${impact}`])]),
    point([verdict.most_likely === null ? unexplainedText(report)
      : `${causeWords(verdict)}: ${verdict.most_likely}`]),
    ...originPoints(report),
    ...lastFeedbackPoints(report),
    point([certainty], reasons),
    ...(first === null ? [] : [point([`First: ${first.text}`], [], first.command)]),
  ];
}

function originPoints(report: Report): OutlinePoint[] {
  const text = incidentOriginText(report);
  return text === null ? [] : [point([text])];
}

function realityPoints({ reality }: Report): OutlinePoint[] {
  return rowPoints(realityRows(reality), reality.evidence);
}

function ruledOutPoints({ ruled_out: causes }: Report): OutlinePoint[] {
  return causes.map(({ cause, why, evidence }) =>
    point([cause], [cited({ text: why, evidence })]));
}

/** What could not be found out, why, and how to find out. */
function unknownPoints({ unknowns }: Report): OutlinePoint[] {
  return unknowns.map(({ what, why, how_to_get: how }) => point([what], [[`${why} ${how}`]]));
}

function lastFeedbackPoints(report: Report): OutlinePoint[] {
  const { last_said: given = null } = report.history;
  if (given === null) return [];
  return [point([`Last time (${lastFeedbackTime(given, report)}): ${lastFeedbackText(given)}`],
    address(given.report_url))];
}

/** What is affected; shared with the post-mortem. */
export function impactPoints(report: Report): OutlinePoint[] {
  const { impact } = report;
  const points = rowPoints(impactRows(impact), impact.evidence);
  const affected = affectedIn(report);
  if (affected.length === 0) return points;
  const names = affected.slice(0, affectedShown).map((name) => [{ code: name }]);
  const missing = affected.length - names.length;
  const rest = missing > 0 ? [[`and ${missing} more in the JSON`]] : [];
  return [...points, point(['Affected:'], [...names, ...rest])];
}

/** Changes that do not stand out are only counted. */
function changePoints(report: Report): OutlinePoint[] {
  const { changes, evidence } = report;
  const found = new Map(evidence.map((item) => [item.id, item]));
  const weak = changes.filter(({ strength }) => strength === 'weak');
  const leading = changes.filter(({ strength }) => strength !== 'weak')
    .map((change) => changePoint(change, found.get(change.evidence[0] ?? '')));
  if (weak.length === 0) return leading;
  return leading.length === 0 ? [point([nothingMovedText(report)])]
    : [...leading, point([`${weak.length} more checked, no notable change.`])];
}

function changePoint(change: Change, item: EvidenceItem | undefined): OutlinePoint {
  const { title, evidence, strength, onset_seconds: onset, component } = change;
  const details = [
    strength,
    ...whyWords(change),
    onset === null ? null : formatOnset(onset),
    beforeAndAfter(change, 'to'),
  ].filter((detail) => detail !== null).join(', ');
  const where: Piece[] =
    component === null ? [] : [', ', { code: `${component.label}=${component.value}` }];
  const drawing = blockLine((item && readSeries(item)?.values) ?? [], drawingColumns);
  const drawn: Piece[][] = drawing === '' ? [] : [[{ drawing }]];
  return point(cited({ text: title, evidence }), [[details, ...where], ...drawn]);
}

function hypothesisPoints({ hypotheses }: Report): OutlinePoint[] {
  return hypotheses.map((hypothesis) => {
    const sides = [
      ...hypothesis.for.map((item): Piece[] => ['For: ', ...cited(item)]),
      ...hypothesis.against.map((item): Piece[] => ['Against: ', ...cited(item)]),
    ];
    const line = `${hypothesis.cause} (${hypothesis.certainty})`;
    return point([line], [...lines(hypothesis.mechanism), ...sides], hypothesis.test);
  });
}

function stepPoints({ next_steps: steps }: Report): OutlinePoint[] {
  return steps.map(({ action, why, command, expected, risk, undo }) => {
    const named = [['Expect', expected], ['Risk', risk], ['Undo', undo]] as const;
    const rest = named.flatMap(([name, text]) => (text === null ? [] : [[`${name}: ${text}`]]));
    return point([action], [...lines(why), ...rest], command);
  });
}

function alertPoints(report: Report): OutlinePoint[] {
  const { alert } = report;
  const words = authorWordsOf(report)?.wholeOf ?? null;
  const silence = silenceCommand(report);
  const links = alert.links.filter(({ url }) => webAddress(url) !== null);
  return [
    ...Object.entries(alert.annotations).filter(([name]) => name !== words)
      .map(([name, value]) => point([{ code: name }, `: ${value}`])),
    ...links.map(({ title, url }) => point([`${title}: `, { url }])),
    ...(silence === null ? [] : [point(['To silence it for two hours:'], [], silence)]),
    // Last, as the JSON has those beyond the limit.
    ...Object.entries(alert.labels).map(([name, value]) => point([{ code: `${name}=${value}` }])),
  ];
}

function evidencePoint(item: EvidenceItem): OutlinePoint {
  const { id, title, state, summary, query, error, warnings } = item;
  const how = state === 'ok' ? '' : ` (${sourceStateWords[state]})`;
  const more = error === summary ? null : error;
  const notes = [...lines(more), ...warnings.slice(0, 20).map((warning) => [warning])];
  return point([`${id} ${title}${how}`], [[summary], ...notes, [evidenceOrigin(item)]], query);
}

function relatedPoints({ related, incident }: Report): OutlinePoint[] {
  const part = incident === null ? [] : [
    point([`Part of an incident of ${counted(incident.members.length, 'alert')}`],
      lines(incident.origin?.text ??
        (incident.likely_origin && `Likely origin: ${incident.likely_origin}`))),
  ];
  return [...part, ...related.map(({ name, why, report_url: url }) =>
    point([`${name}: ${why}`], address(url)))];
}

function address(url: string): Piece[][] {
  return webAddress(url) === null || !isStored(url) ? [] : [[{ url }]];
}

function historyPoints({ history }: Report): OutlinePoint[] {
  const { episodes } = history;
  if (episodes.length <= 1 && history.last_30d <= 1) return [];
  const past = episodes.slice(0, 20).map(({ number, starts_at: from, ends_at: to }) => {
    const lasted = to === null ? 'still firing' : formatSpan(from, to, 0);
    return [`Episode ${number}: ${formatExactMoment(from)}, ${lasted}`];
  });
  return historyRows(history)
    .map(([name, value], index) => point([`${name}: ${value}`], index === 0 ? past : []));
}

function narrativePoints({ narrative }: Report): OutlinePoint[] {
  if (narrative.state === 'absent') return [point([narrative.detail])];
  const unproven = narrative.claims.filter(({ verified }) => !verified);
  return [
    ...(narrative.suspicious_content ? [point([steeredText])] : []),
    ...(narrative.asserted === undefined ? [point([narrative.text])] : findingPoints(narrative)),
    ...unproven.map((claim) => point(['Not found in the evidence: ', ...cited(claim)])),
    point([`Written by the model ${narrative.model}, ${
      formatExactMoment(narrative.written_at)}. It can be wrong.`]),
  ];
}

function questionPoints({ questions = [] }: Report): OutlinePoint[] {
  return questions.map(({ question, asked_at: at, detail, text, claims }) => {
    const found = claims.map((claim) => cited({ text: claim.text, evidence: claim.evidence }));
    const unchecked = text === '' ? [] : [[`${uncheckedText}: ${text}`]];
    return point([`${formatExactMoment(at)}: ${question}`],
      detail === null ? [...unchecked, ...found] : [[detail]]);
  });
}

/** What the model points at, in words of code, then what it makes of that. */
function findingPoints(narrative: WrittenNarrative): OutlinePoint[] {
  const { claims, text, culprits = [], missing = [] } = narrative;
  const blamed = culprits.map(({ component }) => component).join(', ');
  const found = claims.map(({ reading = null, ...claim }): Piece[] =>
    [...cited(claim), ...(reading === null ? [] : [` (the model: ${reading})`])]);
  return [
    ...(blamed === '' ? [] : [point([`The model holds responsible: ${blamed}`])]),
    point([`${foundText}:`], found),
    ...(text === '' ? [] : [point([`${uncheckedText}: ${text}`])]),
    ...(missing.length === 0 ? [] : [point([`Still to be found out: ${missing.join(' ')}`])]),
  ];
}

function resolutionPoints({ resolution, reality }: Report): OutlinePoint[] {
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

function feedbackPoints({ feedback }: Report): OutlinePoint[] {
  return feedback.map(({ at, verdict, cause, note, noisy }) => {
    const noise = noisy ? '; the alert is noise' : '';
    const rating = `${formatExactMoment(at)}: ${feedbackWords[verdict]}${noise}`;
    return point([rating], lines(cause && `Cause: ${cause}`, note));
  });
}

function provenancePoints(report: Report): OutlinePoint[] {
  const { provenance, report_url: url } = report;
  const sources = provenance.sources.filter(({ state }) => state !== 'not_configured')
    .map(({ name, state, duration_ms: ms }) =>
      [`${name}: ${sourceStateWords[state]}, ${formatQuantity(ms, 'milliseconds')}`]);
  const by = `alert-analyst ${provenance.version}, updated ${formatExactMoment(report.updated_at)}`;
  return [point([by], [...sources, ...address(url)])];
}
