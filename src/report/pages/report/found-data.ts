import { parseTime } from '../../../alert/timestamp.ts';
import { memberOf } from '../../../lib/parse.ts';
import type { SeriesRead } from '../../charts/read-series.ts';
import { html, longText, sentence, type Html } from '../../html.ts';
import { clippedJson, shorten } from '../../plain-text.ts';
import type { EvidenceItem } from '../../report.ts';
import { fold, joined, listItems, plainMoment } from '../elements.ts';

/** Longest data shown of one item; the JSON has all of it. */
const dataLengthMax = 400;
/** Longest value of a row. */
const valueLengthMax = 300;

/** An item's data as lists or JSON; nothing of a series, of which its curve is shown. */
export function foundData(
  data: EvidenceItem['data'],
  series: SeriesRead | undefined,
  now: number,
): Html {
  const isTold = data === null || data === undefined || series !== undefined || isOneNumber(data);
  return isTold ? html`` : fold('Data', listing(data, now) ??
    html`<pre dir="ltr">${longText(shownData(data), Infinity)}</pre>`);
}

/** A single value without labels, which the summary of its item tells. */
function isOneNumber(data: unknown): boolean {
  const samples = memberOf(data, 'samples');
  const [only, ...others] = Array.isArray(samples) ? samples as unknown[] : [];
  const labels = memberOf(only, 'labels');
  return only !== undefined && others.length === 0 && isRow(labels) && isRow(data) &&
    Object.keys(data).length === 1 && Object.keys(labels).length === 0;
}

/** As JSON with plain names, and lists of plain values on a line: a tenth of a page less. */
function shownData(data: EvidenceItem['data']): string {
  return clippedJson(data, dataLengthMax)
    .replace(/^( *)"(\w+)":/gmu, '$1$2:')
    .replace(/^ +/gmu, (indent) => indent.slice(indent.length / 2))
    .replace(/\[\n([^[\]{}]*)\n *\]/gu, (_, values: string) =>
      `[${values.trim().replaceAll(/\n */gu, ' ')}]`);
}

type Row = Readonly<Record<string, unknown>>;

/** Data that consists of lists of texts or flat objects; null for any other shape. */
function listing(data: unknown, now: number): Html | null {
  if (!isRow(data)) return null;
  const members = Object.entries(data).filter(([, value]) => !isNothing(value));
  const lists = members.flatMap(([name, value]) => (isList(value) ? [{ name, value }] : []));
  const others = members.filter(([, value]) => !isList(value));
  if (lists.length === 0 || others.some(([, value]) => typeof value === 'object')) return null;
  return html`${others.length > 0 && html`<p class="small">${rowText(others, now)}</p>`}${
    lists.map(({ name, value }) => html`
${lists.length > 1 && html`<p class="small quiet">${sentence(wordsOf(name))}</p>`}
<ul class="points small">${shortList(value, (item) => foundItem(item, now))}</ul>`)}`;
}

/** The JSON has the rest. */
const rowsMax = 5;

function shortList(items: readonly unknown[], row: (item: unknown) => Html): Html {
  const missing = items.length - rowsMax;
  return html`${listItems(items.slice(0, rowsMax), row)}${
    missing > 0 && html`<li class="quiet">and ${missing} more in the JSON</li>`}`;
}

function foundItem(item: unknown, now: number): Html {
  if (!isRow(item)) return sentence(shorten(String(item), valueLengthMax));
  return rowText(Object.entries(item).filter(([, value]) => !isNothing(value)), now);
}

/** `web-1 · phase: Pending · restarts: 3`: a leading text is the object's name. */
function rowText(members: readonly (readonly [name: string, value: unknown])[], now: number): Html {
  return joined(members.map(([name, value], index) => {
    const isNamed = index > 0 || typeof value !== 'string';
    return html`${isNamed && html`<span class="quiet">${wordsOf(name)}:</span> `}${
      shownValue(value, now)}`;
  }), ' · ');
}

function shownValue(value: unknown, now: number): Html {
  if (typeof value !== 'string') return html`${String(value)}`;
  return parseTime(value) === null ? sentence(shorten(value, valueLengthMax))
    : plainMoment(value, now);
}

function wordsOf(name: string): string {
  return name.replaceAll('_', ' ');
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) &&
    value.every((item) => typeof item === 'string' || (isRow(item) && isFlat(item)));
}

function isFlat(row: Row): boolean {
  return Object.values(row).every((value) => typeof value !== 'object' || value === null);
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
