import { type Content, html, type Html, sentence } from '../html.ts';
import type { Hypothesis, NextStep, Statement } from '../report.ts';
import {
  citations, commandBlock, listItems, rowList, section, statement, type View,
} from './view.ts';

/** What was found and what would explain it. */
export function findingsSection(view: View): Html {
  const { findings } = view.report;
  if (findings.length === 0) return html``;
  const items = listItems(findings, (finding) => statement(finding, view));
  return section('findings', 'Findings', html`<ul class="items">${items}</ul>`);
}

export function hypothesesSection(view: View): Html {
  const { hypotheses } = view.report;
  if (hypotheses.length === 0) return html``;
  const items = listItems(hypotheses, (hypothesis) => hypothesisItem(hypothesis, view));
  return section('hypotheses', 'What would explain it', html`<ul class="items">${items}</ul>`);
}

export function ruledOutSection(view: View): Html {
  const { ruled_out: ruledOut } = view.report;
  if (ruledOut.length === 0) return html``;
  const items = listItems(ruledOut, ({ cause, why, evidence }) => {
    return html`<p>${sentence(cause)}</p><p class="quiet">${sentence(why)}${
      citations(evidence, view)}</p>`;
  });
  return section('ruled-out', 'Ruled out', html`<ul class="items">${items}</ul>`);
}

/** What to do, in order; reading before changing. */
export function nextStepsSection(view: View): Html {
  const { next_steps: steps } = view.report;
  if (steps.length === 0) return html``;
  return section('next', 'Next steps', html`<ol class="steps">${listItems(steps, stepItem)}</ol>`);
}

function hypothesisItem(hypothesis: Hypothesis, view: View): Html {
  const { cause, certainty, mechanism, test } = hypothesis;
  return html`<h3>${sentence(cause)} <span class="quiet">(${certainty})</span></h3>
${mechanism !== null && html`<p>${sentence(mechanism)}</p>`}
${sideOf('For', hypothesis.for, view)}${sideOf('Against', hypothesis.against, view)}
${test !== null && html`<p class="quiet">What would decide it:</p>${commandBlock(test)}`}`;
}

function sideOf(name: string, statements: readonly Statement[], view: View): Html {
  if (statements.length === 0) return html``;
  const items = listItems(statements, (item) => statement(item, view));
  return html`<p class="quiet">${name}:</p><ul class="points">${items}</ul>`;
}

function stepItem({ action, why, command, expected, risk, undo }: NextStep): Html {
  const rows: (readonly [string, Content])[] = [
    ['Expect', expected], ['Risk', risk], ['Undo', undo],
  ];
  const known = rows.filter(([, value]) => value !== null);
  return html`<p>${sentence(action)}</p>
${why !== null && html`<p class="quiet">${sentence(why)}</p>`}
${command !== null && commandBlock(command)}
${known.length > 0 && html`<div class="small">${rowList(known)}</div>`}`;
}
