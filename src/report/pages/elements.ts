/** Building blocks of all pages: titled sections, times, numbers, lists, folds. */
import type { Severity } from '../../alert/severity.ts';
import { parseTime } from '../../alert/timestamp.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import { html, isolated, longText, trusted, unbroken, type Content, type Html } from '../html.ts';
import { commandLengthMax } from '../plain-text.ts';
import { formatExactMoment, formatMoment, formatRelative } from '../time-text.ts';
import { severitySigns } from '../words.ts';

/** Longest list shown in full; the rest is counted. */
export const listLengthMax = 100;

/** A titled section of the page; `id` is a constant. */
export function section(id: string, title: string, content: Content): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`;
}

/** `02:14 UTC`, with the exact time as tooltip and for scripts; other text is shown as it is. */
export function moment(time: string, now: number, hasSeconds = false): Html {
  if (parseTime(time) === null) return isolated(time);
  const label = formatMoment(time, now, hasSeconds);
  return html`<time datetime="${time}" title="${formatExactMoment(time)}"${
    hasSeconds && html` data-seconds`}>${label}</time>`;
}

/** The same without the exact time, for where there are many. */
export function plainMoment(time: string, now: number): Html {
  const atMs = parseTime(time);
  return atMs === null ? isolated(time) : html`<time datetime="${
    new Date(atMs).toISOString().replace('.000Z', 'Z')}">${formatMoment(time, now)}</time>`;
}

/** The same for milliseconds since the epoch. */
export function momentAt(ms: number, now: number): Html {
  return moment(new Date(ms).toISOString(), now);
}

/** The same, followed by its age. */
export function momentAndAge(time: string, now: number): Html {
  const isTime = parseTime(time) !== null;
  return html`${moment(time, now)}${
    isTime && html` <span class="quiet">(${ageOf(time, now)})</span>`}`;
}

/** When the page was rendered, for its foot. */
export function renderedLine(now: number): Html {
  return html`<p class="small">Rendered ${formatExactMoment(new Date(now).toISOString())}.</p>`;
}

/** `12 min ago`, kept up to date by the page's script; other text is shown as it is. */
export function ageOf(time: string, now: number): Html {
  const age = formatRelative(time, now);
  if (age === null) return isolated(time);
  return html`<time data-age="ago" datetime="${time}">${age}</time>`;
}

/** `1.9 s`, with the exact value as tooltip and for scripts. */
export function quantity(value: number, unit: string | null): Html {
  return exactly(value, unit, formatQuantity(value, unit));
}

/** A number shown as any text, with the exact value as tooltip and for scripts. */
export function exactly(value: number, unit: string | null, shown: string): Html {
  const exact = unit === null ? `${value}` : `${value} ${unit.replaceAll('_', ' ')}`;
  return html`<data value="${value}" title="${exact}">${unbroken(shown)}</data>`;
}

/**
 * At most {@linkcode listLengthMax} list items, and how many more there are. Numbers start at 1.
 */
export function listItems<T>(
  items: readonly T[],
  item: (value: T, number: number) => Html,
): Html {
  const shown = items.slice(0, listLengthMax)
    .map((value, index) => html`<li>${item(value, index + 1)}</li>\n`);
  const missing = items.length - shown.length;
  const rest = missing > 0 && html`<li class="quiet">and ${missing} more in the JSON</li>`;
  return html`${shown}${rest}`;
}

/** Paragraphs under each other, each item's own; empty without any. */
export function itemList<T>(items: readonly T[], item: (value: T) => Html): Html {
  return items.length === 0 ? html`` : html`<ul class="items">${listItems(items, item)}</ul>`;
}

function isPresent(content: Content): boolean {
  return content !== null && content !== false;
}

/** The contents that are not absent, with a separator between them. */
export function joined(contents: readonly Content[], separator: string): Html {
  return html`${contents.filter(isPresent)
    .map((each, index) => html`${index > 0 && separator}${each}`)}`;
}

export type Row = readonly [name: string, value: Content];

/** Names and values side by side; those of absent values are left out. */
export function rowList(rows: readonly Row[]): Html {
  const items = rows.filter(([, value]) => isPresent(value)).map(([name, value]) =>
    html`<dt>${name}</dt><dd>${typeof value === 'string' ? unbroken(value) : value}</dd>\n`);
  return items.length === 0 ? html`` : html`<dl class="rows">${items}</dl>`;
}

/** Identifies a text that a button copies. */
interface Copyable {
  /** Id of the element; unique on the page. */
  readonly id: string;
  /** Follows "Copy" in the button's label for screen readers. */
  readonly what: string;
}

/** A command or query with a copy button; long ones can be scrolled by keyboard. */
export function commandBlock(command: string, { id, what }: Copyable): Html {
  return html`<div class="copyable"><pre class="command" id="${id}" dir="ltr" tabindex="0">${
    commandText(command)}</pre><button type="button" class="scripted-only" data-copy-from="${
    id}">Copy<span class="unseen"> ${what}</span></button></div>`;
}

/** In a command of more characters, lines may end at the hyphens of options. */
const wholeOptionsMax = 1000;

/** The command, in which no line ends within an `--option`. */
function commandText(command: string): Html {
  if (command.length > wholeOptionsMax) return longText(command, commandLengthMax);
  const parts = command.split(/(?<=\s)(--?[a-z][\w-]*)/i);
  return html`${parts.map((part, index) =>
    index % 2 === 0 ? html`${part}` : html`<span class="whole">${part}</span>`)}`;
}

/** Content that opens on demand. */
export function fold(summary: Content, content: Content): Html {
  return html`<details><summary>${summary}</summary>${content}</details>`;
}

/** A shape before a word, so that colour is not needed; hidden from screen readers. */
export function glyph(sign: string): Html {
  return html`<span aria-hidden="true">${trusted(sign)}</span>`;
}

export function severityGlyph(severity: Severity): Html {
  return glyph(severitySigns[severity]);
}

/** Names up to this length fit on one line on a phone. */
const wholeNameMax = 24;

/** Lets a long name break where a new word begins in it. */
export function breakable(name: string): Html {
  if (name.length <= wholeNameMax) return html`${name}`;
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[_.:/-])/u);
  return html`${words.map((word, index) => html`${index > 0 && trusted('<wbr>')}${word}`)}`;
}
