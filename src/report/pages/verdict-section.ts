import { firstStepOf } from '../first-step.ts';
import { html, type Html, sentence } from '../html.ts';
import type { Verdict } from '../report.ts';
import { certaintyMeanings, classificationWords } from '../words.ts';
import { citations, commandBlock, fold, glyph, isUnderWay, type View } from './view.ts';

/** Reasons shown at once; what else there is opens on demand. */
const reasonsShown = 3;

/** The answer in a few words, how sure it is and why, and the first thing to do. */
export function verdictSection(view: View): Html {
  const { verdict } = view.report;
  // Before the analysis has said anything, an answer's absence is no answer.
  if (isUnderWay(view) && verdict.certainty === 'inconclusive') return firstImpression(view);
  return html`<section class="verdict" aria-labelledby="verdict-title">
<h2 id="verdict-title" class="quiet small">${classificationWords[verdict.classification]}</h2>
<p class="headline">${sentence(verdict.headline)}</p>
${causeLine(verdict)}
<p><strong>Certainty: ${verdict.certainty}</strong><span class="quiet"> – ${
  certaintyMeanings[verdict.certainty]}</span></p>
${reasonList(view)}
${firstStep(view)}
</section>
`;
}

function firstImpression(view: View): Html {
  return html`<section class="verdict" aria-labelledby="verdict-title">
<h2 id="verdict-title" class="quiet small">Known so far</h2>
<p class="headline">${sentence(view.report.verdict.headline)}</p>
${firstStep(view)}
</section>
`;
}

function causeLine({ most_likely: cause }: Verdict): Html {
  if (cause === null) return html`<p class="quiet">Cause not established.</p>`;
  return html`<p>Most likely: ${sentence(cause)}</p>`;
}

function reasonList(view: View): Html {
  const { reasons } = view.report.verdict;
  const items = reasons.slice(0, 50).map(({ text, effect, evidence }) => {
    const [sign, word] = effect === 'raises' ? ['+', 'Raises it: '] : ['−', 'Lowers it: '];
    return html`<li><span class="mark">${glyph(sign)}</span><span class="skip">${word}</span>${
      sentence(text)}${citations(evidence, view)}</li>\n`;
  });
  const rest = items.slice(reasonsShown);
  const more = `${rest.length} more ${rest.length === 1 ? 'reason' : 'reasons'}`;
  return html`<ul class="reasons">${items.slice(0, reasonsShown)}</ul>${
    rest.length > 0 && fold(more, html`<ul class="reasons">${rest}</ul>`)}`;
}

function firstStep({ report }: View): Html {
  const first = firstStepOf(report);
  if (first === null) return html``;
  return html`<div class="first"><p><strong>First:</strong> ${sentence(first.text)}</p>${
    first.command !== null && commandBlock(first.command)}</div>`;
}
