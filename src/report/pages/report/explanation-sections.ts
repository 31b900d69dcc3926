import { isEstablished } from '../../certainty.ts';
import { html, sentence, type Html } from '../../html.ts';
import type { Hypothesis, NextStep, Statement } from '../../report.ts';
import { commandBlock, fold, glyph, listItems, rowList, type Row } from '../elements.ts';
import { linkedAction, linkedText, statement } from './linked-text.ts';
import type { View } from './view.ts';

export function hypothesesContent(view: View): Html {
  const { hypotheses } = view.report;
  if (hypotheses.length === 0) return html``;
  const items = listItems(hypotheses, (hypothesis, number) =>
    hypothesisItem(hypothesis, number, view));
  return html`<ol class="hypotheses">${items}</ol>`;
}

/** What to do, in order: steps that only read come first. */
export function nextStepsContent(view: View): Html {
  const { next_steps: steps } = view.report;
  if (steps.length === 0) return html``;
  const items = listItems(steps, (step, number) => stepItem(step, number, view));
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
  const title = html`<h3>${linkedText(cause, view)} <span class="quiet">– ${certainty}</span></h3>`;
  const body = html`${mechanism !== null && html`<p>${linkedText(mechanism, view)}</p>`}
${sides.length > 0 && html`<ul class="sides">${listItems(sides, (item) => item)}</ul>`}
${test !== null && html`<p class="quiet">How to check it:</p>${
  commandBlock(test, { id: `test-${number}`, what: `the check of explanation ${number}` })}`}`;
  // The first is always open; of the others only those that are likely or confirmed.
  const isOpen = number === 1 || isEstablished(hypothesis);
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
