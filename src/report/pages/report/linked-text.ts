import { code, html, isolated, link, unbroken, type Content, type Html } from '../../html.ts';
import { clip } from '../../plain-text.ts';
import type { Statement } from '../../report.ts';
import type { Piece, OutlinePoint } from '../../text/outline-point.ts';
import { formatExactMoment, parseMoment } from '../../time-text.ts';
import { itemList, listLengthMax } from '../elements.ts';
import type { View } from './view.ts';

/** Longest sentence shown. */
const lengthMax = 2000;

/**
 * Times as `utcText` writes them, web addresses without trailing punctuation, and code. The time in
 * `usually on Mondays around 22:00 UTC` is of no certain day, so a script must not convert it.
 */
const linkable = new RegExp(
  '((?<!\\busually(?: on [A-Z][a-z]+)? around )'
  + '(?:\\d{1,2} [A-Z][a-z]{2} (?:\\d{4} )?)?\\d{2}:\\d{2}(?::\\d{2})? UTC\\b'
  + '|https?://[^\\s<>"\'“”]*[^\\s<>"\'“”.,;:!?)]|`[^`\\n]{1,80}`)',
  'u',
);

/**
 * A sentence of the report with its times and web addresses marked up, so that the script can show
 * times in the reader's zone and addresses are links.
 */
export function linkedText(text: string, { report }: View): Html {
  // A time without a date is of the day of the analysis.
  const asOf = report.provenance.started_at ?? report.updated_at;
  const parts = clip(text, lengthMax).split(linkable);
  return html`<span dir="ltr">${parts.map((part, index) =>
    index % 2 === 0 ? unbroken(part) : html`${markedUp(part, asOf)}`)}</span>`;
}

/** What to do; an address at the end becomes the target of the words before it. */
export function linkedAction(text: string, view: View): Html {
  const [, words, address] = /^([^:]{1,200}): (https?:\/\/\S+)$/u.exec(text) ?? [];
  if (words === undefined || address === undefined) return linkedText(text, view);
  return link(address, words);
}

/** Links to the evidence a statement cites; an id that is not on the page is plain text. */
export function citations(ids: readonly string[], { anchors }: View): Html {
  if (ids.length === 0) return html``;
  const links = ids.slice(0, listLengthMax).map((id) => {
    if (!anchors.has(id)) return html` [${isolated(id)}]`;
    return html` <a href="#${id}">[${id}]</a>`;
  });
  return html`<span class="cites">${links}</span>`;
}

/** A sentence and its citations. */
export function statement({ text, evidence }: Statement, view: View): Html {
  return html`${linkedText(text, view)}${citations(evidence, view)}`;
}

function markedUp(part: string, asOf: string): Content {
  if (part.startsWith('http')) return link(part, part);
  if (part.startsWith('`')) return code(part.slice(1, -1));
  const time = parseMoment(part, asOf);
  if (time === null) return part;
  const hasSeconds = /:\d\d:/u.test(part);
  return html`<time datetime="${time}" title="${formatExactMoment(time)}"${
    hasSeconds && html` data-seconds`}>${part}</time>`;
}

/** The points of an outline as a page shows them: what else belongs to each is below it. */
export function pointList(points: readonly OutlinePoint[], view: View): Html {
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
