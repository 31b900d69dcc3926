import { memberOf } from '../../lib/parse.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { momentOf, utcText } from '../../report/time-text.ts';
import { walk, type Cell } from './cell.ts';
import { askedTitle, isAsked } from './whose-words.ts';

/**
 * Members that hold one quantity at different times, in the order of these times, and when that is.
 */
const moments: readonly (readonly [member: string, when: string])[] = [
  ['last_week', 'a week before'], ['yesterday', 'a day before'], ['first', 'at first'],
  ['before', 'before'], ['value_at_fire', 'when it fired'], ['when_it_fired', 'when it fired'],
  ['after', 'since then'], ['value_now', 'now'], ['level', 'at the end'], ['last', 'at last'],
  ['value_at_end', 'at its end'],
];

/** Place of the cell in time among those of the same object; null if it has none. */
export function momentIn({ path }: Cell): { readonly at: number; readonly when: string } | null {
  const name = path.at(-1);
  if (typeof name === 'number') return { at: name, when: `at point ${name + 1}` };
  const at = moments.findIndex(([member]) => member === name);
  const [, when = ''] = moments[at] ?? [];
  return at === -1 ? null : { at, when };
}

/** The value with its unit; a moment in UTC, with its day where that is not the item's. */
export function valueText({ item, value }: Pick<Cell, 'item' | 'value'>): string {
  switch (value.kind) {
    case 'number': return formatQuantity(value.number, value.unit);
    case 'time': return utcText(value.ms, momentOf(item.fetched_at, value.ms), true);
    case 'truth': return value.isTrue ? 'yes' : 'no';
    case 'name': return shownText(value.name, nameMax);
    case 'text': return `“${shownText(value.text, nameMax)}”`;
    case 'unknown': return 'not known';
  }
}

const nameMax = 128;
const titleMax = 120;

/** What an item is about. A query in a model's own words is not repeated. */
export function titleOf(item: EvidenceItem): string {
  if (item.role === 'query_of_model') return "The answer to the model's query";
  return shownText(isAsked(item) ? item.title.slice(askedTitle.length) : item.title, titleMax);
}

/** The item, and which of its entries the cell is of. */
export function cellPlace(cell: Cell): string {
  return [titleOf(cell.item), ...entriesOf(cell)].join(', ');
}

/** `value at fire` for `value_at_fire`; an index into a list of plain values stays. */
export function memberText({ path, value }: Cell): string {
  const names = path.flatMap((step, index) => typeof step === 'string' && step !== '[]'
    && (step !== 'length' || index === 0) ? [step] : []);
  const name = names.at(-1) ?? 'value';
  const word = value.kind === 'time' && name !== 'onset' ? name : memberWords.get(name) ?? name;
  return word.replace(/([a-z\d])([A-Z])/gu, '$1 $2').replaceAll('_', ' ').toLowerCase();
}

const memberWords: ReadonlyMap<string, string> = new Map([
  ['after', 'since then'], ['when_it_fired', 'when it fired'], ['value_at_fire', 'when it fired'],
  ['value_now', 'now'], ['value_at_end', 'at its end'], ['last', 'last value'],
  ['first', 'first value'], ['onset', 'began to move'], ['min', 'lowest'], ['max', 'highest'],
]);

/** Members that distinguish the entries of a list, in the order in which they are named. */
const naming = [
  'container', 'pod', 'component', 'object', 'name', 'reason', 'series', 'text', 'number',
] as const;

function entriesOf({ item, path }: Cell): string[] {
  const entries = path.slice(0, -1).flatMap((step, index) => {
    if (typeof step !== 'number') return [];
    const list = walk(item.data, path.slice(0, index));
    return namesOf(walk(list, [step]), Array.isArray(list) ? list : []);
  });
  return isAsked(item) ? [...namesOf(item.data, []), ...entries] : entries;
}

const labelsShown = 4;

/** The labels that distinguish the entry from the others, or the members that name it. */
function namesOf(entry: unknown, others: readonly unknown[]): string[] {
  const all = labelsOf(entry);
  const apart = all.filter(([name, value]) =>
    others.some((other) => labelsOf(other).some(([its, that]) => its === name && that !== value)));
  const labels = apart.length > 0 ? apart : all;
  if (labels.length > 0) {
    return labels.slice(0, labelsShown).map(([name, value]) => `${name} ${shownText(value, 60)}`);
  }
  return naming.flatMap((name) => {
    const value = memberOf(entry, name);
    const isShown = typeof value === 'string' && value !== '' || typeof value === 'number';
    return isShown ? [`${name} ${shownText(String(value), 80)}`] : [];
  }).slice(0, 2);
}

function labelsOf(entry: unknown): [name: string, value: string][] {
  return Object.entries(memberOf(entry, 'labels') ?? {})
    .filter((label): label is [string, string] => typeof label[1] === 'string');
}
