import { code, html, link, type Html } from '../../html.ts';
import type { Piece, Point } from '../../text/outline-point.ts';
import { itemList } from '../elements.ts';
import { citations, linkedText } from './linked-text.ts';
import type { View } from './view.ts';

/** The points of an outline as a page shows them: what else belongs to each is below it. */
export function pointList(points: readonly Point[], view: View): Html {
  return itemList(points, ({ line, more, command }) => html`<p>${piecesOf(line, view)}</p>${
    more.map((pieces) => html`<p class="quiet">${piecesOf(pieces, view)}</p>`)}${
    command !== null && html`<pre dir="ltr">${command}</pre>`}`);
}

function piecesOf(pieces: readonly Piece[], view: View): Html {
  return html`${pieces.map((piece) => {
    if (typeof piece === 'string') return linkedText(piece, view);
    if ('cites' in piece) return citations(piece.cites, view);
    if ('url' in piece) return link(piece.url, piece.url);
    return code('code' in piece ? piece.code : piece.drawing);
  })}`;
}
