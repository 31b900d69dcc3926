import { parseTime } from '../../alert/timestamp.ts';
import { memberOf } from '../../lib/parse.ts';
import { sizeOfUnit } from '../../lib/unit-sizes.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { isMadeUp } from './whose-words.ts';

/**
 * A value of the evidence by its address, such as `E9.before` or `E2.containers[0].restarts`: the
 * id of an item, then names and indices into its data. A list ends in its length; `[]` counts the
 * entries of which the rest of the address is true; `min`, `max`, `first` and `last` are those of
 * a series, or of the one in the same object.
 */
export interface Cell {
  readonly item: EvidenceItem;
  readonly path: readonly (string | number)[];
  readonly value: CellValue;
}

type CellValue =
  /** `unit` as in `EvidenceItem.data`; null if unknown. */
  | { readonly kind: 'number'; readonly number: number; readonly unit: string | null }
  /** Wall time in milliseconds. */
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'truth'; readonly isTrue: boolean }
  | { readonly kind: 'name'; readonly name: string }
  /** Text of several words, which anybody may have written. */
  | { readonly kind: 'text'; readonly text: string }
  /** Asked, and not known. */
  | { readonly kind: 'unknown' };

export type CitedItems = ReadonlyMap<string, EvidenceItem>;

/** What is wrong with an address or an assertion, as a sentence for the model. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

const addressMax = 200;
const form = /^(E\d{1,4})((?:\.[\w-]{1,80}|\[\d{0,4}\])*)$/u;
/** Members of an item itself, where its data has none of the name. */
const itemMembers: ReadonlySet<string> = new Set(['from', 'to']);

/** Throws a Problem that says what is missing. */
export function cellAt(address: string | null, evidence: CitedItems): Cell {
  const { item, path, shown } = placeAt(address, evidence);
  if (path.length === 0) {
    throw new Problem(`${shown} is a whole item; name a value in it, as in ${shown}.before.`);
  }
  const found = valueAt(item, path);
  if (found === undefined) {
    throw new Problem(`${shown} does not exist. ${membersText(item, path)}`);
  }
  const value = readValue(found, item, path);
  if (value.kind === 'number' && isMadeUp(item)) {
    throw new Problem(`${shown} may be a number of the query itself, which calculates with it.`);
  }
  return { item, path, value };
}

/** The item of an address and the path in it, empty for the item as a whole. Throws a Problem. */
export function placeAt(address: string | null, evidence: CitedItems): {
  readonly item: EvidenceItem;
  readonly path: Cell['path'];
  /** The address as it was understood. */
  readonly shown: string;
} {
  const shown = unbracketed((address ?? '').slice(0, addressMax));
  const [, id = '', rest = ''] = form.exec(shown) ?? [];
  const item = evidence.get(id);
  if (item === undefined) throw new Problem(`"${shown}" is no address of evidence.`);
  const path = [...rest.matchAll(/\.([\w-]+)|\[(\d*)\]/gu)].map(([, name, index = '']) =>
    name ?? (index === '' ? '[]' : Number(index)));
  const isOfData = path[0] === 'data' && memberOf(item.data, 'data') === undefined;
  return { item, path: isOfData ? path.slice(1) : path, shown };
}

/** Models put brackets and braces around ids and whole addresses, as in `[E9].before`. */
function unbracketed(address: string): string {
  const bare = address.trim().replace(/^[[{(]+(?=E)/u, '').replace(/^(E\d{1,4})[\])}]/u, '$1');
  const isOpen = bare.split('[').length === bare.split(']').length;
  return bare.replace(isOpen ? /[})]+$/u : /[})\]]$/u, '');
}

/** Undefined for what does not exist; the number of true entries for a path with `[]`. */
function valueAt(item: EvidenceItem, path: Cell['path']): unknown {
  const open = path.indexOf('[]');
  if (open === -1) {
    const found = walk(item.data, path);
    const [name = ''] = path;
    if (found !== undefined || path.length > 1 || !itemMembers.has(String(name))) return found;
    return memberOf(item, String(name));
  }
  const list = walk(item.data, path.slice(0, open));
  if (!Array.isArray(list)) return undefined;
  const found = list.map((entry: unknown) => walk(entry, path.slice(open + 1)));
  return found.every((each) => typeof each === 'boolean')
    ? found.filter((each) => each).length : undefined;
}

/** The value at a path; undefined for what does not exist. Only own members are found. */
export function walk(from: unknown, path: Cell['path']): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof step === 'number') return Array.isArray(value) ? value[step] as unknown : undefined;
    if (Array.isArray(value)) return step === 'length' ? value.length : ofSeries(value, step);
    const own = memberOf(value, step);
    return own ?? ofSeries(memberOf(value, 'values'), step) ?? own;
  }, from);
}

/** Numbers that the values of a series stand for. */
function ofSeries(values: unknown, name: string): number | undefined {
  if (!Array.isArray(values)) return undefined;
  const known = values.filter((each): each is number => typeof each === 'number');
  if (known.length === 0) return undefined;
  switch (name) {
    case 'min': return Math.min(...known);
    case 'max': return Math.max(...known);
    case 'first': return known[0];
    case 'last': return known.at(-1);
    default: return undefined;
  }
}

const nameMax = 128;

function readValue(found: unknown, item: EvidenceItem, path: Cell['path']): CellValue {
  if (typeof found === 'number') {
    return { kind: 'number', number: found, unit: unitAt(item.data, path) };
  }
  if (typeof found === 'boolean') return { kind: 'truth', isTrue: found };
  if (Array.isArray(found)) return { kind: 'number', number: found.length, unit: 'count' };
  if (typeof found === 'string') return readText(found);
  if (found === null) return { kind: 'unknown' };
  const address = [item.id, ...path].join('.');
  throw new Problem(`${address} is no single value. ${membersText(item, path)}`);
}

function readText(text: string): CellValue {
  const ms = /^\d{4}-\d\d-\d\dT/u.test(text) ? parseTime(text) : null;
  if (ms !== null) return { kind: 'time', ms };
  return text.length <= nameMax && /^\S+$/u.test(text)
    ? { kind: 'name', name: text } : { kind: 'text', text };
}

/** Members that are in no unit, whatever the series is measured in. */
const unitless: ReadonlySet<string> = new Set([
  'z', 'split', 'points', 'agreement', 'score', 'length', 'restarts', 'exit_code', 'times',
]);
const endings: readonly (readonly [RegExp, string])[] = [
  [/(?:_s|S)econds$/u, 'seconds'], [/_bytes$/u, 'bytes'], [/_percent$/u, 'percent'],
  [/(?:_s|S)hare$|_ratio$/u, 'ratio'],
];

/** By the end of the member's name, else by the nearest `unit` beside or above it. */
function unitAt(data: unknown, path: Cell['path']): string | null {
  const name = String(path.findLast((step) => typeof step === 'string') ?? '');
  if (unitless.has(name) || path.includes('[]')) return null;
  const ofName = endings.find(([ending]) => ending.test(name))?.[1];
  if (ofName !== undefined) return ofName;
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const unit = memberOf(walk(data, path.slice(0, depth)), 'unit');
    if (typeof unit === 'string') return unit;
  }
  return null;
}

/** Two numbers in the unit of the first. Throws a Problem if their units cannot be compared. */
export function inOneUnit(
  a: Extract<CellValue, { kind: 'number' }>,
  b: Extract<CellValue, { kind: 'number' }>,
): readonly [number, number] {
  if (a.unit === b.unit || a.unit === null || b.unit === null) return [a.number, b.number];
  const [from, to] = [sizeOfUnit(b.unit), sizeOfUnit(a.unit)];
  if (from === null || to?.base !== from.base) {
    throw new Problem(`${b.unit} cannot be compared with ${a.unit}.`);
  }
  return [a.number, b.number * from.size / to.size];
}

const membersShown = 12;

/** What the model may have meant: the members of the deepest object on the way. */
function membersText(item: EvidenceItem, path: Cell['path']): string {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const value = walk(item.data, path.slice(0, depth));
    if (typeof value !== 'object' || value === null) continue;
    const at = [item.id, ...path.slice(0, depth)].join('.');
    const names = Array.isArray(value) ? [`[0] to [${value.length - 1}]`] : Object.keys(value);
    const isEmpty = Array.isArray(value) ? value.length === 0 : names.length === 0;
    return isEmpty ? `${at} is empty.` : `${at} has ${names.slice(0, membersShown).join(', ')}.`;
  }
  return `${item.id} has no data.`;
}
