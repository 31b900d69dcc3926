import { parseTime } from '../../../alert/timestamp.ts';
import { sparkline } from '../../charts/sparkline.ts';
import { firstStepOf } from '../../first-step.ts';
import { html, isolated, link, sentence, type Html } from '../../html.ts';
import { incidentOriginText } from '../../incident.ts';
import { lastFeedbackText } from '../../last-feedback.ts';
import { pathText } from '../../path-text.ts';
import type { Certainty } from '../../report.ts';
import { formatSpan } from '../../time-text.ts';
import {
  causeWords, certaintyMeanings, classificationWords, titleHasValues, unexplainedText,
} from '../../words.ts';
import { ageOf, commandBlock, glyph, listItems, moment, quantity } from '../elements.ts';
import { citations, linkedAction, linkedText, statement } from './linked-text.ts';
import { evidenceFor, isUnderWay, type View } from './view.ts';

/** Each certainty as a gauge next to its word. */
const gauges: Readonly<Record<Certainty, string>> = {
  confirmed: '■■■', likely: '■■□', possible: '■□□', inconclusive: '□□□',
};

/** The verdict, its certainty and reasons, the first thing to do, and the largest change. */
export function verdictSection(view: View): Html {
  const { verdict } = view.report;
  // While the analysis is under way, an inconclusive verdict only means that there is none yet.
  const isConcluded = !isUnderWay(view) || verdict.certainty !== 'inconclusive';
  const title = isConcluded ? classificationWords[verdict.classification] : 'Known so far';
  return html`<section class="verdict" id="verdict" aria-labelledby="verdict-title">
<h2 id="verdict-title" class="kicker">${title}</h2>
<p class="headline">${linkedText(headlineOf(view), view)}</p>
${oldValues(view)}
${isConcluded && causeLine(view)}
${isConcluded && pathLine(view)}
${isConcluded && incidentOriginLine(view)}
${lastFeedback(view)}
${isConcluded && certainty(view)}
${firstStep(view)}
${strongestChange(view)}
</section>
`;
}

/** The headline without what is shown right above it, unless nothing else is in it. */
function headlineOf({ report: { verdict } }: View): string {
  return verdict.gist || verdict.headline;
}

/** Values of an alert that still fires are told with their age once they are this old. */
const oldMs = 30 * 60_000;

/** `Values from 17:31 UTC, 6 h ago.`, so that nobody takes old values for those of now. */
function oldValues({ report: { episode, provenance, reality }, now }: View): Html {
  const madeAt = provenance.finished_at ?? '';
  const madeMs = parseTime(madeAt);
  if (episode.ends_at !== null || reality.value_now === null) return html``;
  if (madeMs === null || now - madeMs < oldMs) return html``;
  return html`<p class="quiet">Values from ${moment(madeAt, now)}, ${ageOf(madeAt, now)}.</p>`;
}

/** Where other alerts of its incident lead, unless its own path does. */
function incidentOriginLine({ report }: View): Html | null {
  const text = incidentOriginText(report);
  if (text === null) return null;
  const { alert = null, report_url: url = null } = report.incident?.origin ?? {};
  return html`<p class="cause">${sentence(text)}${alert !== null && url !== null && html`
<span class="quiet">· report of ${link(url, alert, 'own')}</span>`}</p>`;
}

function causeLine(view: View): Html {
  const { verdict } = view.report;
  const { most_likely: cause } = verdict;
  if (cause === null) return html`<p class="cause quiet">${unexplainedText(view.report)}</p>`;
  const text = linkedText(cause, view);
  return html`<p class="cause"><strong>${causeWords(verdict)}:</strong> ${text}</p>`;
}

/** Where it leads to more than the alert's own thing. */
function pathLine(view: View): Html {
  const { report: { path = null }, now } = view;
  if (path === null || path.hops.length < 2 || path.origin === null) return html``;
  return html`<p class="path"><strong>Path:</strong> ${isolated(pathText(path, now))}</p>`;
}

/** What people said of an earlier episode. */
function lastFeedback({ report: { history }, now }: View): Html {
  const { last_said: given = null } = history;
  if (given === null) return html``;
  const { number, starts_at: from, ends_at: to, report_url: url } = given;
  return html`<p><strong>Last time</strong> (${moment(from, now)}${
    to !== null && `, ${formatSpan(from, to, now)}`}): ${isolated(lastFeedbackText(given))} <span
class="quiet">· ${link(url, `episode ${number}`, 'own')}</span></p>`;
}

function certainty(view: View): Html {
  const { certainty: level, reasons } = view.report.verdict;
  const items = listItems(reasons, ({ effect, ...reason }) => {
    const [sign, word] = effect === 'raises' ? ['+', 'Raises it: '] : ['−', 'Lowers it: '];
    return html`<span class="mark">${glyph(sign)}</span><span class="unseen">${word}</span>${
      statement(reason, view)}`;
  });
  return html`<details class="certainty"><summary><strong>Certainty: ${level}</strong> ${
    glyph(gauges[level])}</summary>
<p class="quiet">${level}: ${certaintyMeanings[level]}.</p>
${reasons.length > 0 && html`<ul class="reasons">${items}</ul>`}</details>`;
}

function firstStep(view: View): Html {
  const first = firstStepOf(view.report);
  if (first === null) return html``;
  return html`<div class="first"><p><strong>First:</strong> ${linkedAction(first.text, view)}</p>${
    first.command !== null &&
    commandBlock(first.command, { id: 'first-command', what: 'the command of the first step' })
  }</div>`;
}

/** The first change that stands out and came no later than the problem, beside a cause. */
function strongestChange(view: View): Html {
  const { changes, hypotheses: [leading], verdict: { most_likely: cause } } = view.report;
  if (cause === null) return html``;
  const change = changes.find(({ strength, onset_seconds: onset, evidence }) => {
    const step = evidenceFor(view, evidence[0])?.step_seconds ?? 0;
    // The grid is accurate to two steps.
    return strength !== 'weak' && onset !== null && onset <= 2 * step;
  });
  if (change === undefined) return html``;
  const { before, after, unit, title, evidence } = change;
  const isCause = leading?.kind === 'component' && leading.certainty !== 'inconclusive' &&
    leading.for.some((each) => each.evidence.some((id) => evidence.includes(id)));
  const values = before !== null && after !== null && !titleHasValues(change) &&
    html` <strong>${quantity(before, unit)} → ${quantity(after, unit)}</strong>`;
  const all = html`<a href="#changes">all changes</a>${citations(evidence, view)}`;
  return html`<div class="strongest"><p class="quiet small">What moved most · ${all}</p>
${!isCause && html`<p>${sentence(title)}${values}</p>`}
${sparkline(view.series.get(evidence[0] ?? ''))}</div>`;
}
