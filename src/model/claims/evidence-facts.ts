import { memberOf } from '../../lib/parse.ts';
import { secondsIn } from '../../lib/time-units.ts';
import { inToldUnit } from '../../lib/unit-sizes.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { happeningsIn, spansIn, timesOf, type Happening } from './happenings.ts';
import { folded, labelsOf, labelValues } from './labels.ts';
import { momentsIn, type KnownMoment } from './moments.ts';
import { withDigits } from './number-words.ts';
import { partOf, quantitiesIn, type Kind } from './quantity-text.ts';
import { roleOfMember, type Role } from './role.ts';
import { ownNumbers, withoutOwnWords } from './whose-words.ts';

export interface KnownNumber {
  readonly value: number;
  /** `any`: from a query, or in an unknown unit. */
  readonly kind: Kind | 'any';
  /** Rounding error: numbers that differ by no more may be the same. */
  readonly slack: number;
  readonly role: Role | null;
  /** Names of the object it belongs to, in lower case; empty if it is about the whole item. */
  readonly names: readonly string[];
  /** Computed here from many points, so it supports only claims that state its role. */
  readonly isOfRole: boolean;
}

interface KnownShare {
  readonly part: number;
  readonly whole: number;
  /** Role of the part. */
  readonly role: Role | null;
}

/** The contents of one item of evidence, in a form that claims can be compared to. */
export interface Facts {
  /** All its texts and names in lower case. */
  readonly text: string;
  readonly numbers: readonly KnownNumber[];
  /** Shares such as "3 of 12". */
  readonly shares: readonly KnownShare[];
  readonly moments: readonly KnownMoment[];
  /** Durations between moments that belong together, in seconds. */
  readonly spans: readonly number[];
  readonly happened: readonly Happening[];
  /** Precision of these, in milliseconds. */
  readonly grainMs: number;
  /** When the alert in it began, in epoch milliseconds; null if the item is no alert. */
  readonly alertBegan: number | null;
  /** Names that distinguish its numbers from each other. */
  readonly objects: ReadonlySet<string>;
  /** Of a number in a list that says of none whose it is, the ones it may be of all the named. */
  readonly listed: ReadonlyMap<KnownNumber, readonly KnownNumber[]>;
  /** Components by how much they moved, the first one most; empty where none are ranked. */
  readonly ranking: readonly string[];
  /** Label values and other names of the item as a whole. */
  readonly names: readonly string[];
  /** Labels of the item as a whole. */
  readonly labels: ReadonlyMap<string, string>;
}

/** Of events, which were seen by scrapes. */
const grainMinMs = 15_000;
const numbersMax = 1000;
const objectsMax = 200;
const pointsMax = 2000;
const nodesMax = 5000;
const textMax = 65_536;
const textLengthMax = 4000;

interface Reading {
  nodes: number;
  readonly texts: string[];
  readonly numbers: KnownNumber[];
  readonly moments: KnownMoment[];
  readonly shares: KnownShare[];
}

/** Cached, as many claims cite the same items, and all are checked against the alert's. */
const factsByItem = new WeakMap<EvidenceItem, Facts>();

export function factsOf(item: EvidenceItem): Facts {
  const known = factsByItem.get(item);
  if (known !== undefined) return known;
  const facts = readFacts(item);
  factsByItem.set(item, facts);
  return facts;
}

function readFacts(given: EvidenceItem): Facts {
  const item = withoutOwnWords(given);
  const reading: Reading = { nodes: 0, texts: [], numbers: [], moments: [], shares: [] };
  for (const text of [item.title, item.summary, ...item.warnings]) readText(text, [], reading);
  readQuery(item.query, reading);
  walk(item.data, { name: '', unit: null, names: [] }, reading);
  for (const text of [item.from, item.to, item.fetched_at]) {
    const at = text === null ? Number.NaN : Date.parse(text);
    if (!Number.isNaN(at)) reading.moments.push({ at, isWindow: true, isTimeOnly: false });
  }
  const { texts, moments, shares } = reading;
  const own = ownNumbers(given);
  const numbers = reading.numbers.filter(({ value }) => !own.includes(value));
  const told = withoutShadows(numbers.slice(0, numbersMax));
  const objects = objectsOf(told);
  return {
    text: folded(texts.join('\n').slice(0, textMax)), moments, shares,
    numbers: told, objects, listed: listedOf(told, objects), spans: spansIn(item),
    happened: happeningsIn(item.data),
    grainMs: Math.max(grainMinMs, 1000 * (item.step_seconds ?? 0)),
    alertBegan: item.kind === 'alert' ? timesOf(item.data, ['startsAt'])[0] ?? null : null,
    ranking: rankingOf(item.data),
    // The labels that a rule adds say nothing about where: its limit holds for every series.
    names: item.kind === 'rule' ? [] : labelValues(item.data),
    labels: labelsOf(item.data),
  };
}

function rankingOf(data: unknown): string[] {
  const components = memberOf(data, 'components');
  return (Array.isArray(components) ? components : []).map((each) => memberOf(each, 'component'))
    .filter((name) => typeof name === 'string').map(folded);
}

/** Names that some of the named numbers have and others do not. */
function objectsOf(numbers: readonly KnownNumber[]): Set<string> {
  const named = numbers.filter(({ names }) => names.length > 0);
  const counts = new Map<string, number>();
  for (const name of named.flatMap(({ names }) => [...new Set(names)])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const distinct = [...counts].filter(([, count]) => count < named.length).map(([name]) => name);
  return new Set(distinct.slice(0, objectsMax));
}

function listedOf(
  numbers: readonly KnownNumber[],
  objects: ReadonlySet<string>,
): Map<KnownNumber, readonly KnownNumber[]> {
  const isNamed = ({ names }: KnownNumber): boolean => names.some((name) => objects.has(name));
  const named = numbers.filter(isNamed);
  const others = numbers.filter((one) => one.role === null && !isNamed(one));
  return new Map(others.map((one) => [one, named.filter(({ value, slack }) =>
    Math.abs(value - one.value) <= slack + one.slack)]));
}

/** Drops numbers without a role that repeat a number of the same item with a role. */
function withoutShadows(numbers: readonly KnownNumber[]): KnownNumber[] {
  const told = numbers.filter(({ role, isOfRole }) => role !== null && !isOfRole);
  return numbers.filter(({ role, kind, value, slack, names }) => {
    return role !== null || names.length > 0 || !told.some((other) => {
      const isKind = other.kind === kind || other.kind === 'any' || kind === 'bare';
      return isKind && Math.abs(other.value - value) <= slack + other.slack;
    });
  });
}

function readText(text: string, names: readonly string[], reading: Reading): void {
  const shown = text.slice(0, textLengthMax);
  reading.texts.push(shown);
  const { moments, rest } = momentsIn(withDigits(shown).replace(ofTotal, '$<part> of $<total> '));
  for (const { at, time } of moments) {
    const known = at ?? time;
    if (known !== null) {
      reading.moments.push({ at: known, isWindow: false, isTimeOnly: at === null });
    }
  }
  for (const said of quantitiesIn(rest).found) {
    const { value, kind, slack: half, role, of } = said;
    const slack = kind === 'bare' && Number.isInteger(value) ? 0 : half;
    const owner = ownerIn(rest, said.text);
    const owners = owner === null ? names : [...names, owner];
    reading.numbers.push(numberOf(value, kind, { slack, role, names: owners }));
    if (of !== null) addShare({ part: partOf(said), whole: of, role }, names, reading);
  }
}

/** The name right behind a number, as in "7 HighErrorRate". */
function ownerIn(text: string, number: string): string | null {
  const [, name] = /^ (\p{Lu}\w*\p{Ll}\p{Lu}\w*)/u
    .exec(text.slice(text.indexOf(number) + number.length)) ?? [];
  return name === undefined ? null : folded(name);
}

/** As in "Of 20 changes, 14 moved back". */
const ofTotal = /\bof (?<total>\d+ \p{L}+), (?<part>\d+) /giu;

function readQuery(query: string | null, reading: Reading): void {
  if (query === null) return;
  const text = query.slice(0, textLengthMax);
  reading.texts.push(text);
  const plain = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  for (const { 1: number = '', 2: unit, index } of plain.matchAll(queryNumber)) {
    const isSpan = unit !== undefined;
    const isLimit = /[<>=]=?\s*(?:bool\s*)?$/.test(plain.slice(Math.max(0, index - 12), index));
    reading.numbers.push(isSpan
      ? numberOf(Number(number) * (secondsIn(unit) ?? Number.NaN), 'seconds', { role: 'window' })
      : numberOf(Number(number), 'any', { role: isLimit ? 'limit' : 'parameter' }));
  }
}

function numberOf(
  value: number,
  kind: KnownNumber['kind'],
  over: Partial<KnownNumber>,
): KnownNumber {
  const slack = Math.abs(value) * 1e-9;
  return { value, kind, slack, role: null, names: [], isOfRole: false, ...over };
}

const queryNumber = /(?<![\w.:])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)(ms|[smhdwy])?(?![\w.])/g;

interface Place {
  readonly name: string;
  readonly unit: string | null;
  readonly names: readonly string[];
}

function walk(value: unknown, place: Place, reading: Reading): void {
  reading.nodes += 1;
  if (reading.nodes > nodesMax) return;
  if (typeof value === 'number') return addNumber(value, place, reading);
  if (typeof value === 'string') return readMember(value, place, reading);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) return walkList(value, place, reading);
  const members = value as Record<string, unknown>;
  const { unit } = members;
  const inside = { ...place, unit: typeof unit === 'string' ? unit : place.unit };
  addExtremes(members, inside, reading);
  addPairs(members, reading);
  for (const [name, member] of Object.entries(members)) {
    reading.texts.push(name);
    if (name === 'values' && Array.isArray(member)) continue;
    if (typeof member === 'string') reading.texts.push(`${name}=${member}`, `${name}="${member}"`);
    walk(member, { ...inside, name }, reading);
  }
}

function walkList(list: readonly unknown[], place: Place, reading: Reading): void {
  addCounts(list, reading);
  for (const item of list) {
    const names = list.length > 1 ? labelValues(item) : [];
    walk(item, { ...place, names: [...place.names, ...names] }, reading);
  }
}

/** Adds how many entries of a list have the same name. */
function addCounts(list: readonly unknown[], reading: Reading): void {
  const named = list.map((one) => memberOf(one, 'name')).filter((name) => typeof name === 'string');
  for (const name of new Set(named)) {
    const count = named.filter((other) => other === name).length;
    reading.numbers.push(numberOf(count, 'bare', { names: [folded(name)] }));
  }
}

/** Members that hold the time at which an alert fired or an interval began. */
const beginnings = new Set(['startsAt', 'fired_at', 'active_at', 'from', 'start']);

function readMember(text: string, { name, names }: Place, reading: Reading): void {
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (name === 'compared') readQuery(text, reading);
  if (Number.isNaN(at)) return readText(text, names, reading);
  reading.texts.push(text);
  reading.moments.push({ at, isWindow: false, isTimeOnly: false, edge: edgeOf(name) });
}

function edgeOf(name: string): KnownMoment['edge'] {
  if (name === 'onset') return 'onset';
  if (name === 'endsAt') return 'end';
  return beginnings.has(name) ? 'start' : undefined;
}

function addNumber(value: number, { name, unit, names }: Place, reading: Reading): void {
  const { kind, scale } = measureOf(name, unit);
  reading.numbers.push(numberOf(value * scale, kind, { role: roleOfMember(name), names }));
}

const measured = new RegExp(
  '^(?:value|value_.*|when_it_fired|yesterday|last_week|before|after|threshold|threshold_.*|' +
    'min|max|mean|median|last|avg)$',
);

const byEnding: readonly (readonly [ending: RegExp, kind: Kind, scale: number])[] = [
  [/(?:_ms|milliseconds)$/i, 'seconds', 1e-3], [/seconds$/i, 'seconds', 1],
  [/percent$/i, 'percent', 1], [/(?:share|ratio)$/i, 'percent', 100], [/bytes$/i, 'bytes', 1],
];

function measureOf(name: string, unit: string | null): { kind: Kind | 'any'; scale: number } {
  const [, kind, scale] = byEnding.find(([ending]) => ending.test(name)) ?? [];
  if (kind !== undefined && scale !== undefined) return { kind, scale };
  if (!measured.test(name)) return { kind: 'bare', scale: 1 };
  return unit === null ? { kind: 'any', scale: 1 } : kindOfUnit(unit);
}

function kindOfUnit(unit: string | null): { kind: Kind; scale: number } {
  switch (unit) {
    case 'percent': case 'per_second': return { kind: unit, scale: 1 };
    case 'ratio': return { kind: 'percent', scale: 100 };
  }
  const known = inToldUnit(unit ?? '');
  if (known === null || known.base === 'bits_per_second') return { kind: 'bare', scale: 1 };
  return { kind: known.base, scale: known.size };
}

/**
 * Adds the extremes and the last value of a series, which are all that a model is told of it. Of a
 * course that is shown for comparison, such as yesterday's, nothing is now.
 */
function addExtremes(
  { values }: Record<string, unknown>,
  { name, unit }: Place,
  reading: Reading,
): void {
  if (!Array.isArray(values) || roleOfMember(name) !== null) return;
  const { kind, scale } = kindOfUnit(unit);
  const points = values.slice(0, pointsMax)
    .filter((value): value is number => typeof value === 'number');
  const last = points.at(-1);
  if (last === undefined) return;
  const told = [['max', Math.max(...points)], ['min', Math.min(...points)], ['now', last]] as const;
  for (const [role, value] of told) {
    reading.numbers.push(numberOf(value * scale, kind, { role, isOfRole: true }));
  }
}

/** Reads pairs of members that are a part and its whole. */
function addPairs(members: Record<string, unknown>, reading: Reading): void {
  const pairs = [['up', 'total'], ['beyond', 'total'], ['moved', 'compared']] as const;
  for (const [part, whole] of pairs) {
    const [one, all] = [members[part], members[whole]];
    if (typeof one !== 'number' || typeof all !== 'number') continue;
    addShare({ part: one, whole: all, role: part }, [], reading);
    // A rule that fires on a state: what is not in it is up.
    const isState = part === 'beyond' && members['operator'] === '==';
    if (isState) addShare({ part: all - one, whole: all, role: 'up' }, [], reading);
  }
  const { changes } = members;
  if (!Array.isArray(changes)) return;
  const back = changes.filter((change) => memberOf(change, 'state') === 'moved back');
  addShare({ part: back.length, whole: changes.length, role: 'back' }, [], reading);
}

/** Adds a share; of a share that is up, the rest is down. */
function addShare(share: KnownShare, names: readonly string[], reading: Reading): void {
  reading.shares.push(share);
  const { part, whole, role } = share;
  if (role !== 'up' || part > whole) return;
  const rest = { part: whole - part, whole, role: 'down' } as const;
  reading.shares.push(rest);
  reading.numbers.push(numberOf(rest.part, 'bare', { role: rest.role, names }));
}
