import { parseTime } from '../../../alert/timestamp.ts';
import { parsePromql } from '../../../lib/promql/promql-tree.ts';
import { graphOf } from '../../alert-links.ts';
import { isEstablished } from '../../certainty.ts';
import { firstStepOf } from '../../first-step.ts';
import { html, isolated, link, sentence, type Html } from '../../html.ts';
import { incidentOriginText } from '../../incident.ts';
import { lastFeedbackText } from '../../last-feedback.ts';
import type { FaultKind } from '../../path.ts';
import { hopTexts, pathToOrigin } from '../../path-text.ts';
import type { Certainty, Report } from '../../report.ts';
import { formatSpan } from '../../time-text.ts';
import { certaintyMeanings, unexplainedText } from '../../words.ts';
import { commandBlock, fold, glyph, listItems, moment } from '../elements.ts';
import { alertSeries } from './drawn-series.ts';
import { causeAndDetail } from './explanation-sections.ts';
import { linkedAction, linkedText, statement } from './linked-text.ts';
import { isConcluded, type View } from './view.ts';

/** Each certainty as a gauge next to its word. */
const gauges: Readonly<Record<Certainty, string>> = {
  confirmed: '■■■', likely: '■■□', possible: '■□□', inconclusive: '□□□',
};

/** What the cause is called by its certainty. */
const titles: Readonly<Record<Certainty, string>> = {
  confirmed: 'Confirmed cause', likely: 'Likely cause', possible: 'Possible cause',
  inconclusive: 'Cause',
};

/** The same of where it lies, where no more than that is known. */
const placeTitles: Readonly<Record<Certainty, string>> = {
  confirmed: 'Where it lies', likely: 'Likely place', possible: 'Possible place',
  inconclusive: 'Cause',
};

/** Faults that say where something is wrong, but not what. */
const ofPlace: ReadonlySet<FaultKind> = new Set(['fails', 'slow', 'unreachable']);

/** Whether its cause is where the path ends: in the alert's own thing, or where calls go wrong. */
function isPlace({ hypotheses: [first], path = null }: Report): boolean {
  const kind = path?.hops[path.origin ?? -1]?.faults[0]?.kind;
  return first?.kind === 'path' && kind !== undefined && (path?.origin === 0 || ofPlace.has(kind));
}

/** The cause with its certainty and the reasons for that, where it lies, and what to do first. */
export function verdictSection(view: View): Html {
  const { verdict: { certainty: level } } = view.report;
  const title = (isPlace(view.report) ? placeTitles : titles)[
    isConcluded(view) ? level : 'inconclusive'];
  return html`<section class="verdict" id="verdict" aria-labelledby="verdict-title">
<div class="lead"><h2 id="verdict-title" class="kicker">${title}</h2>
${isConcluded(view) && certainty(view)}</div>
${isConcluded(view) ? causeText(view) : html`<p class="quiet">Being looked for.</p>`}
${isConcluded(view) && pathLine(view)}
${isConcluded(view) && incidentOriginLine(view)}
${lastFeedback(view)}
${firstStep(view)}
</section>
`;
}

/** When the problem began, as the first screen says, in ms. */
function beganOf(view: View): number | null {
  return alertSeries(view)?.series.onsetMs ?? parseTime(view.report.episode.starts_at);
}

/** The cause large, as far as it is established, and below it who does it. */
function causeText(view: View): Html {
  const { report } = view;
  const { verdict } = report;
  if (verdict.most_likely === null) return html`<p class="cause">${unexplainedText(report)}</p>`;
  const first = report.hypotheses.find((each) => each.cause === verdict.most_likely);
  const { path = null } = report;
  const origin = path?.hops[path.origin ?? -1];
  const isOrigin = first?.kind === 'path' && origin !== undefined &&
    first.about?.includes(origin.component) === true;
  const [cause, detail] = isOrigin ? hopTexts(origin, { now: view.now, beganMs: beganOf(view) })
    : first === undefined ? [verdict.most_likely, null] : causeAndDetail(first);
  const look = isEstablished(verdict) && ' strong';
  return html`<p class="cause${look}">${linkedText(cause, view)}</p>${
    detail !== null && detail !== '' && html`<p>${linkedText(detail, view)}</p>`}`;
}

/** Where other alerts of its incident lead, unless its own path does. */
function incidentOriginLine({ report }: View): Html | null {
  const text = incidentOriginText(report);
  if (text === null) return null;
  const { alert = null, report_url: url = null } = report.incident?.origin ?? {};
  return html`<p>${sentence(text)}${alert !== null && url !== null && html`
<span class="quiet">· report of ${link(url, alert, 'own')}</span>`}</p>`;
}

/** Where it leads beyond the alert's own thing; what fails there, unless the cause says it. */
function pathLine(view: View): Html {
  const { report: { path = null, hypotheses: [first] }, now } = view;
  if (path === null || (path.origin ?? 0) === 0) return html``;
  const text = pathToOrigin(path, now, first?.kind !== 'path');
  return html`<p class="path"><strong>Path:</strong> ${linkedText(text, view)}</p>`;
}

/** The feedback on an earlier episode. */
function lastFeedback({ report: { history }, now }: View): Html {
  const { last_said: said = null } = history;
  if (said === null) return html``;
  const { number, starts_at: from, ends_at: to, report_url: url } = said;
  return html`<p><strong>Last time</strong> (${moment(from, now)}${
    to !== null && `, ${formatSpan(from, to, now)}`}): ${isolated(lastFeedbackText(said))} <span
class="quiet">· ${link(url, `episode ${number}`, 'own')}</span></p>`;
}

function certainty(view: View): Html {
  const { certainty: level, reasons } = view.report.verdict;
  const items = listItems(reasons, ({ effect, ...reason }) => {
    const [sign, word] = effect === 'raises' ? ['+', 'Raises it: '] : ['−', 'Lowers it: '];
    return html`<span class="mark">${glyph(sign)}</span><span class="unseen">${word}</span>${
      statement(reason, view)}`;
  });
  return html`<details class="certainty"><summary><span class="unseen">Certainty: ${
    level}. </span>${glyph(gauges[level])} Why</summary>
<p class="quiet small">${level}: ${certaintyMeanings[level]}.</p>
${reasons.length > 0 && html`<ul class="reasons small">${items}</ul>`}</details>`;
}

/** What to do first. A query is opened as a graph. */
function firstStep(view: View): Html {
  const { report } = view;
  const first = firstStepOf(report);
  if (first === null) return html``;
  const { command } = first;
  // A single word may be a command as well.
  const isQuery = command !== null && /[({]/u.test(command) && parsePromql(command) !== null;
  const graph = isQuery ? graphOf(command, report.alert.links) : null;
  const block = command !== null &&
    commandBlock(command, { id: 'first-command', what: 'the command of the first step' });
  return html`<div class="first"><h3 class="kicker">Do first</h3>
<p class="action">${linkedAction(first.text, view)}</p>${graph === null ? block
    : html`<div class="graph">${link(graph, 'Open the graph', 'button')}${
      fold('The query', block)}</div>`}</div>`;
}
