import { code, html, type Html } from '../../html.ts';
import { affectedIn, affectedShown, hasImpact, impactRows, realityRows } from '../../words.ts';
import { exactly, rowList, type Row } from '../elements.ts';
import { alertChart } from './alert-chart.ts';
import { citations } from './linked-text.ts';
import { isUnderWay, type View } from './view.ts';

/** What was measured about the alert itself. */
export function realityContent(view: View): Html {
  const { reality } = view.report;
  const rows = realityRows(reality).map(([name, value, exact]): Row =>
    [name, exact === null ? value : exactly(exact, reality.unit, value)]);
  return html`${rowsOrNothing(rows, reality, view)}${alertChart(view)}`;
}

/** What is affected, and how much of it; empty where that is not known. */
export function impactContent(view: View): Html {
  if (!hasImpact(view.report)) return html``;
  const { impact } = view.report;
  const all = affectedIn(view.report);
  const affected = all.slice(0, affectedShown);
  const missing = all.length - affected.length;
  const rows: Row[] = [...impactRows(impact)];
  if (affected.length > 0) {
    const names = affected.map((name) => html`${code(name)}<br>`);
    rows.push(['Affected', html`${names}${missing > 0 && `and ${missing} more in the JSON`}`]);
  }
  return rowsOrNothing(rows, impact, view);
}

function rowsOrNothing(
  rows: readonly Row[],
  { evidence }: { readonly evidence: readonly string[] },
  view: View,
): Html {
  if (rows.length === 0) {
    if (isUnderWay(view)) return html``;
    return html`<p class="quiet">Not measured.${
      view.report.unknowns.length > 0 && html` <a href="#unknowns">Why</a>`}</p>`;
  }
  return html`${rowList(rows)}${evidence.length > 0 && html`<p>${citations(evidence, view)}</p>`}`;
}
