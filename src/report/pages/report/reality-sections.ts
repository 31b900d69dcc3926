import { code, html, type Html } from '../../html.ts';
import { affectedIn, affectedShown, impactRows, realityRows } from '../../words.ts';
import { exactly, rowList, type Row } from '../elements.ts';
import { citations } from './linked-text.ts';
import type { View } from './view.ts';

/** What was measured about the alert itself, and what is affected; empty where nothing was. */
export function numbersContent(view: View): Html {
  const { reality, impact } = view.report;
  const rows = realityRows(reality).map(([name, said, exact]): Row =>
    [name, exact === null ? said : exactly(exact, reality.unit, said)]);
  const all = affectedIn(view.report);
  const affected = all.slice(0, affectedShown).map((name) => html`${code(name)}<br>`);
  const missing = all.length - affected.length;
  const affectedRow: Row[] = affected.length === 0 ? []
    : [['Affected', html`${affected}${missing > 0 && `and ${missing} more in the JSON`}`]];
  const shown = [...rows, ...impactRows(impact), ...affectedRow];
  if (shown.length === 0) return html``;
  const evidence = [...new Set([...reality.evidence, ...impact.evidence])];
  return html`<div class="small">${rowList(shown)}${
    evidence.length > 0 && html`<p>${citations(evidence, view)}</p>`}</div>`;
}
