import { code, html, markupText, sentence, unbroken, type Html } from '../../html.ts';
import type { Change } from '../../report.ts';
import { formatOnset } from '../../time-text.ts';
import { beforeAndAfter, nothingMovedText } from '../../words.ts';
import { fold, joined, listLengthMax } from '../elements.ts';
import { changeChart } from './change-chart.ts';
import { citations } from './linked-text.ts';
import { isUnderWay, type View } from './view.ts';

/** What changed around the time the problem began, best first; weak changes are folded. */
export function changesContent(view: View): Html {
  const changes = view.report.changes.slice(0, listLengthMax);
  const standing = changes.filter(({ strength }) => strength !== 'weak');
  const weak = changes.filter(({ strength }) => strength === 'weak');
  if (changes.length === 0) {
    if (isUnderWay(view)) return html``;
    const reason = view.report.unknowns.length > 0 && html` <a href="#unknowns">Why</a>`;
    return html`<p class="quiet">No changes are known.${reason}</p>`;
  }
  if (standing.length === 0) {
    return html`<p class="quiet">${nothingMovedText(view.report)}</p>${
      fold(`${weak.length} of them`, rankedList(weak, view))}`;
  }
  const folded = fold(`${weak.length} more checked, no notable change`, rankedList(weak, view));
  return html`${rankedList(standing, view)}${weak.length > 0 && folded}`;
}

function rankedList(changes: readonly Change[], view: View): Html {
  const items = changes.map((change) => changeItem(change, view));
  return html`<ol class="ranked">${items}</ol>`;
}

function changeItem(change: Change, view: View): Html {
  const { component, onset_seconds: onset, evidence } = change;
  const drawn = changeChart(change, view);
  const isDrawn = markupText(drawn) !== '';
  // The chart's caption already contains them.
  const values = isDrawn ? null : beforeAndAfter(change, '→');
  return html`<li><span class="rank">${change.rank}.</span>
${isDrawn ? drawn : html`<p>${sentence(change.title)}${citations(evidence, view)}</p>`}
<p class="small quiet">${joined([
    change.strength,
    onset !== null && unbroken(formatOnset(onset)),
    values !== null && unbroken(values),
    component !== null && code(`${component.label}=${component.value}`),
  ], ' · ')}</p>
</li>
`;
}
