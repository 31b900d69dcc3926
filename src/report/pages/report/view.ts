import { parseTime } from '../../../alert/timestamp.ts';
import { formatQuantity } from '../../../lib/quantity.ts';
import { html, isolated, trusted, type Content, type Html } from '../../html.ts';
import { formatExactMoment, formatMoment, formatRelative } from '../../moment.ts';
import type { EvidenceItem, Report, Statement } from '../../report.ts';
import { citingPlaces, type CitingPlace } from './citing-places.ts';
import { told } from './told.ts';

/** What every section of a report's page is given. */
export interface View {
  readonly report: Report;
  /** Ms; what "ago" counts from. */
  readonly now: number;
  /** The anchors that exist on the page, by evidence id. */
  readonly anchors: ReadonlySet<string>;
  /** What rests on an item of evidence, by its id. */
  readonly places: ReadonlyMap<string, readonly CitingPlace[]>;
  /** How people say something of the report. */
  readonly feedbackBy: 'form' | 'command';
}

/** Longest list shown whole; what is beyond it is counted. */
export const listLengthMax = 100;

export function createView(
  report: Report,
  now: number,
  feedbackBy: View['feedbackBy'] = 'form',
): View {
  const ids = report.evidence.slice(0, listLengthMax).map(({ id }) => id);
  const anchors = new Set(ids.filter((id) => /^E\d{1,6}$/.test(id)));
  return { report, now, anchors, places: citingPlaces(report), feedbackBy };
}

/** The item of that id; undefined where there is none. */
export function evidenceFor({ report }: View, id: string | undefined): EvidenceItem | undefined {
  return id === undefined ? undefined : report.evidence.find((item) => item.id === id);
}

/** Whether the analysis has yet to say what can be said. */
export function isUnderWay({ report }: View): boolean {
  return report.status === 'queued' || report.status === 'analysing';
}

/** A titled part of the page; `id` is a constant. */
export function section(id: string, title: string, content: Content): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`;
}

/** Links to the evidence a statement rests on; an id that is not on the page is plain text. */
export function citations(ids: readonly string[], { anchors }: View): Html {
  if (ids.length === 0) return html``;
  const links = ids.slice(0, listLengthMax).map((id) => {
    if (!anchors.has(id)) return html` [${isolated(id)}]`;
    return html` <a href="#${id}">[${id}]</a>`;
  });
  return html`<span class="cites">${links}</span>`;
}

/** A sentence and what it rests on. */
export function statement({ text, evidence }: Statement, view: View): Html {
  return html`${told(text, view)}${citations(evidence, view)}`;
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

/** List items, at most {@linkcode listLengthMax} of them, and how many more there are. */
export function listItems<T>(
  items: readonly T[],
  item: (value: T, number: number) => Html,
  anchorOf: (number: number) => string | null = () => null,
): Html {
  const shown = items.slice(0, listLengthMax).map((value, index) => {
    const anchor = anchorOf(index + 1);
    return html`<li${anchor !== null && html` id="${anchor}"`}>${item(value, index + 1)}</li>\n`;
  });
  const missing = items.length - shown.length;
  const rest = missing > 0 && html`<li class="quiet">and ${missing} more in the JSON</li>`;
  return html`${shown}${rest}`;
}

/** Names and values side by side. */
export function rowList(rows: readonly (readonly [string, Content])[]): Html {
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
    command}</pre>${copyButton('Copy', { id, what })}</div>`;
}

/** Shown only where a script is there to serve it. */
function copyButton(label: string, { id, what }: Copyable): Html {
  return html`<button type="button" class="scripted-only" data-copy-from="${id}">${
    label}<span class="unseen"> ${what}</span></button>`;
}

/** Something to open on demand. */
export function fold(summary: Content, content: Content): Html {
  return html`<details><summary>${summary}</summary>${content}</details>`;
}

/** A shape before a word, for eyes that do not tell colours apart; not read aloud. */
export function glyph(sign: string): Html {
  return html`<span aria-hidden="true">${trusted(sign)}</span>`;
}
