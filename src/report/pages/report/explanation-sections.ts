import { isEstablished } from '../../certainty.ts';
import { html, sentence, type Html } from '../../html.ts';
import type { Hypothesis, NextStep, RuledOut, Statement } from '../../report.ts';
import {
  commandBlock, fold, glyph, joined, listItems, listLengthMax, rowList, type Row,
} from '../elements.ts';
import { linkedAction, linkedText, statement } from './linked-text.ts';
import type { View } from './view.ts';

/**
 * The possible causes: the first and those that are established in full, other possible ones folded
 * each, and behind one fold what nothing speaks for and what is ruled out, unless that is all.
 */
export function hypothesesContent(view: View): Html {
  const { hypotheses, ruled_out: ruledOut } = view.report;
  const numbered = hypotheses.slice(0, listLengthMax)
    .map((hypothesis, index) => ({ hypothesis, number: index + 1 }));
  const [open, unsettled] = [true, false].map((isOpen) => numbered.filter(({ hypothesis }) =>
    (hypothesis.certainty !== 'inconclusive') === isOpen)) as [typeof numbered, typeof numbered];
  const item = ({ hypothesis, number }: (typeof numbered)[number]): Html =>
    html`<li>${hypothesisItem(hypothesis, number, view)}</li>\n`;
  const rest = html`${unsettled.map(item)}${ruledOut.slice(0, listLengthMax)
    .map((each) => html`<li>${ruledOutItem(each, view)}</li>\n`)}`;
  const counts = joined([
    unsettled.length > 0 && `${unsettled.length} not established`,
    ruledOut.length > 0 && `${ruledOut.length} ruled out`,
  ], ', ');
  if (unsettled.length + ruledOut.length === 0 && open.length === 0) return html``;
  const others = html`<ul class="hypotheses small">${rest}</ul>`;
  if (open.length === 0) {
    return html`${unsettled.length > 0 && html`<p class="quiet small">None of these is
established.</p>`}${others}`;
  }
  return html`<ol class="hypotheses">${open.map(item)}</ol>${
    unsettled.length + ruledOut.length > 0 && fold(counts, others)}`;
}

/** A cause without who does it, and that, with which it ends; null where that is not known. */
export function causeAndDetail({ cause, detail }: Hypothesis): [string, string | null] {
  const end = `: ${detail ?? ''}`;
  if (detail === undefined || !cause.endsWith(end)) return [cause, null];
  return [cause.slice(0, -end.length), detail];
}

function ruledOutItem({ cause, why, evidence }: RuledOut, view: View): Html {
  return html`<p><span class="mark">${glyph('✗')}</span>${linkedText(cause, view)} <span
class="quiet">– ruled out:</span> ${statement({ text: why, evidence }, view)}</p>`;
}

/** What to do, in order; of what the first screen says to do first, only what it leaves out. */
export function nextStepsContent(view: View): Html {
  const { next_steps: steps, verdict } = view.report;
  const isFirst = ({ id }: NextStep): boolean => id !== undefined && id === verdict.first_step;
  if (steps.every((step, index) => index === 0 && isFirst(step))) return html``;
  const items = listItems(steps, (step, number) =>
    stepItem(number === 1 && isFirst(step) ? { ...step, command: null } : step, number, view));
  const hasRisks = steps.every(({ risk }) => risk !== null);
  const note = steps.every(isReadOnly) ? 'All steps are read-only.'
    : 'Steps without a stated risk are read-only.';
  return html`${hasRisks && html`<p class="quiet small">${note}</p>`}
<ol class="steps">${items}</ol>`;
}

function isReadOnly({ reads_only: readsOnly }: NextStep): boolean {
  return readsOnly === true;
}

function hypothesisItem(hypothesis: Hypothesis, number: number, view: View): Html {
  const { cause, certainty, mechanism, test } = hypothesis;
  const sides = [
    ...hypothesis.for.map((item) => side('+', 'For: ', item, view)),
    ...hypothesis.against.map((item) => side('−', 'Against: ', item, view)),
  ];
  const isOnTop = cause === view.report.verdict.most_likely;
  const said = isOnTop ? causeAndDetail(hypothesis)[0] : cause;
  const title = html`<h3>${linkedText(said, view)}${certainty !== 'inconclusive' &&
    html` <span class="quiet">– ${certainty}</span>`}</h3>`;
  const body = html`${mechanism !== null && html`<p>${linkedText(mechanism, view)}</p>`}
${sides.length > 0 && html`<ul class="sides">${listItems(sides, (item) => item)}</ul>`}
${test !== null && fold('How to check it',
  commandBlock(test, { id: `test-${number}`, what: `the check of cause ${number}` }))}`;
  // The first is open unless nothing speaks for it; the others if likely or confirmed.
  const isOpen = (number === 1 && certainty !== 'inconclusive') || isEstablished(hypothesis);
  return isOpen ? html`${title}${body}` : fold(title, body);
}

function side(sign: '+' | '−', word: string, item: Statement, view: View): Html {
  return html`<span class="mark">${glyph(sign)}</span><span class="unseen">${word}</span>${
    statement(item, view)}`;
}

function stepItem(step: NextStep, number: number, view: View): Html {
  const { action, why, command, expected, undo } = step;
  const rows: Row[] = [
    ['Expect', expected], ['Risk', isReadOnly(step) ? null : step.risk], ['Undo', undo],
  ];
  return html`<p>${linkedAction(action, view)}</p>
${why !== null && html`<p class="quiet">${sentence(why)}</p>`}
${command !== null &&
  commandBlock(command, { id: `step-${number}`, what: `the command of step ${number}` })}
${rows.some(([, value]) => value !== null) && html`<div class="small">${rowList(rows)}</div>`}`;
}
