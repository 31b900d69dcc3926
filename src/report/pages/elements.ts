/** What pages of all kinds are put together from: titled parts, times, numbers, lists, folds. */
import type { Severity } from '../../alert/severity.ts';
import { parseTime } from '../../alert/timestamp.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import { html, isolated, trusted, type Content, type Html } from '../html.ts';
import { formatExactMoment, formatMoment, formatRelative } from '../moment.ts';
import { severitySigns } from '../words.ts';

/** Longest list shown whole; what is beyond it is counted. */
export const listLengthMax = 100;

/** A titled part of the page; `id` is a constant. */
export function section(id: string, title: string, content: Content): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`;
}

/** `02:14 UTC`, exact to the machine and on demand; text that is no time stays text. */
export function moment(time: string, now: number): Html {
  if (parseTime(time) === null) return isolated(time);
  const label = formatMoment(time, now);
  return html`<time datetime="${time}" title="${formatExactMoment(time)}">${label}</time>`;
}

/** The same for ms since 1970. */
export function momentAt(ms: number, now: number): Html {
  return moment(new Date(ms).toISOString(), now);
}

/** The same, followed by how long ago that is. */
export function momentAndAge(time: string, now: number): Html {
  const age = formatRelative(time, now);
  const shown = html` <span class="quiet">(<time data-age="ago" datetime="${time}">${
    age}</time>)</span>`;
  return html`${moment(time, now)}${age !== null && shown}`;
}

/** `1.9 s`, exact on demand and to the machine. */
export function quantity(value: number, unit: string | null): Html {
  return exactly(value, unit, formatQuantity(value, unit));
}

/** A number in words of any kind, exact on demand and to the machine. */
export function exactly(value: number, unit: string | null, said: string): Html {
  const exact = unit === null ? `${value}` : `${value} ${unit.replaceAll('_', ' ')}`;
  return html`<data value="${value}" title="${exact}">${said}</data>`;
}

/**
 * List items, at most {@linkcode listLengthMax} of them, and how many more there are. Numbers begin
 * at 1.
 */
export function listItems<T>(
  items: readonly T[],
  item: (value: T, number: number) => Html,
  idOf: (number: number) => string | null = () => null,
): Html {
  const shown = items.slice(0, listLengthMax).map((value, index) => {
    const id = idOf(index + 1);
    return html`<li${id !== null && html` id="${id}"`}>${item(value, index + 1)}</li>\n`;
  });
  const missing = items.length - shown.length;
  const rest = missing > 0 && html`<li class="quiet">and ${missing} more in the JSON</li>`;
  return html`${shown}${rest}`;
}

export type Row = readonly [name: string, value: Content];

/** Names and values side by side. */
export function rowList(rows: readonly Row[]): Html {
  const items = rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`);
  return html`<dl class="rows">${items}</dl>`;
}

/** What is copied, and how it is told from others of its kind. */
export interface Copyable {
  /** Id of the element; unique on the page. */
  readonly id: string;
  /** Follows "Copy" for those who hear the button and do not see what it stands beside. */
  readonly what: string;
}

/** A command or query with a button that copies it; long ones can be scrolled by keyboard. */
export function commandBlock(command: string, { id, what }: Copyable): Html {
  return html`<div class="copyable"><pre class="command" id="${id}" dir="ltr" tabindex="0">${
    command}</pre><button type="button" class="scripted-only" data-copy-from="${
    id}">Copy<span class="unseen"> ${what}</span></button></div>`;
}

/** Something to open on demand. */
export function fold(summary: Content, content: Content): Html {
  return html`<details><summary>${summary}</summary>${content}</details>`;
}

/** A shape before a word, for eyes that do not tell colours apart; not read aloud. */
export function glyph(sign: string): Html {
  return html`<span aria-hidden="true">${trusted(sign)}</span>`;
}

export function severityGlyph(severity: Severity): Html {
  return glyph(severitySigns[severity]);
}

/** Names up to this length fit on a line of a phone. */
const wholeNameMax = 24;

/** A long name may be broken where a new word begins in it. */
export function breakable(name: string): Html {
  if (name.length <= wholeNameMax) return html`${name}`;
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[_.:/-])/u);
  return html`${words.map((word, index) => html`${index > 0 && trusted('<wbr>')}${word}`)}`;
}
