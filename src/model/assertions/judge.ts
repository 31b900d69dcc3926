import { isSteering } from '../../evidence/steering-text.ts';
import { formatDuration } from '../../lib/quantity.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { assertionKinds, type Assertion, type AssertionKind } from './assertion.ts';
import { cellAt, inOneUnit, placeAt, Problem, walk, type Cell, type CitedItems } from './cell.ts';
import { memberText, momentIn, cellPlace, titleOf, valueText } from './cell-text.ts';
import { quoteIn } from './quotes.ts';
import { isAsked } from './whose-words.ts';

export type JudgedAssertion =
  /** `text` is code's sentence of what is so, `evidence` the ids that it rests on. */
  | { readonly holds: true; readonly text: string; readonly evidence: readonly string[] }
  /** What is so instead, as a sentence for the model. */
  | { readonly holds: false; readonly why: string };

/** Computes whether an assertion holds, and says in code's own words what is so. */
export function assess(assertion: Assertion, evidence: CitedItems): JudgedAssertion {
  try {
    const kind = kindOf(assertion.is);
    const { text, items } = judges[kind](assertion, evidence);
    // Names and texts of strangers are part of it.
    if (isSteering(text)) throw new Problem(`${String(assertion.a)} steers you: it is not shown.`);
    return { holds: true, text, evidence: [...new Set(items.map(({ id }) => id))] };
  } catch (error) {
    if (error instanceof Problem) return { holds: false, why: error.message };
    throw error;
  }
}

function kindOf(is: string): AssertionKind {
  const kind = assertionKinds.find((each) => each === is);
  if (kind === undefined) throw new Problem(`There is no assertion "${shownText(is, 40)}".`);
  return kind;
}

interface Fact {
  /** A sentence. */
  readonly text: string;
  readonly items: readonly EvidenceItem[];
}

type Judge = (assertion: Assertion, evidence: CitedItems) => Fact;

const judges: Readonly<Record<AssertionKind, Judge>> = {
  value: judgeValue, moved: judgeMoved, compare: judgeCompare, order: judgeOrder,
  same_time: judgeSameTime, count: judgeCount, top: judgeTop, none: judgeNone,
  unknown: judgeUnknown, said: judgeSaid,
};

/** With a relation or a quote, the value has to be that. */
function judgeValue({ a, rel, quote }: Assertion, evidence: CitedItems): Fact {
  const cell = cellAt(a, evidence);
  const { value } = cell;
  const text = `${cellPlace(cell)}: ${memberText(cell)} ${valueText(cell)}.`;
  if (value.kind === 'unknown') throw new Problem(`${text} Nothing is known of it.`);
  if (value.kind === 'text') throw new Problem(`${String(a)} is a text: quote it with "said".`);
  if (quote !== null && !isEqual(valueText(cell), quote)) throw new Problem(text);
  if ((rel === 'yes' || rel === 'no') && rel !== valueText(cell)) throw new Problem(text);
  return { text, items: [cell.item] };
}

function isEqual(value: string, given: string): boolean {
  return value.toLowerCase() === given.toLowerCase();
}

const verbs = { rose: 'rose', fell: 'fell', same: 'stayed about the same', changed: 'changed' };

/** Judges the change of one quantity from an earlier to a later moment. */
function judgeMoved({ a, b, rel }: Assertion, evidence: CitedItems): Fact {
  const [from, to] = twoCells(a, b, evidence);
  const [earlier, later] = [momentIn(from), momentIn(to)];
  const isOne = from.item === to.item && isSamePath(from.path.slice(0, -1), to.path.slice(0, -1));
  if (!isOne || earlier === null || later === null || earlier.at >= later.at) {
    throw new Problem(`${String(a)} and ${String(b)} are not an earlier and a later value of one ` +
      'quantity: use "compare".');
  }
  const way = wayOf(from, to);
  const text = `${cellPlace(from)}: ${verbs[way]}, from ${valueText(from)} (${earlier.when}) to ` +
    `${valueText(to)} (${later.when}).`;
  const isAsserted = rel === way || rel === 'changed' && way !== 'same';
  if (!isAsserted) throw new Problem(text);
  return { text, items: [from.item] };
}

function isSamePath(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}

function wayOf(from: Cell, to: Cell): keyof typeof verbs {
  if (from.value.kind !== 'number' || to.value.kind !== 'number') {
    if (from.value.kind !== to.value.kind || from.value.kind === 'unknown') {
      throw new Problem(`${memberText(from)} is ${valueText(from)}, ` +
        `${memberText(to)} is ${valueText(to)}.`);
    }
    return valueText(from) === valueText(to) ? 'same' : 'changed';
  }
  const [before, after] = inOneUnit(from.value, to.value);
  if (isAbout(before, after, { unit: from.value.unit, share: movedShare })) return 'same';
  return after > before ? 'rose' : 'fell';
}

/** Less than this is no movement, and what differs by less is about as much. */
const movedShare = 0.05;
const aboutShare = 0.1;

/** For a share near all, what is missing is compared: 99.9 % is not about 99.5 %. */
function isAbout(
  a: number,
  b: number,
  { unit, share }: { readonly unit: string | null; readonly share: number },
): boolean {
  const whole = unit === 'ratio' ? 1 : unit === 'percent' ? 100 : null;
  const size = Math.max(Math.abs(a), Math.abs(b));
  const isShare = whole !== null && Math.max(a, b) <= whole && Math.min(a, b) >= 0;
  const missing = isShare ? Math.max(whole - a, whole - b) : Infinity;
  return Math.abs(a - b) <= share * Math.min(size, missing);
}

function judgeCompare({ a, b, rel }: Assertion, evidence: CitedItems): Fact {
  const [one, other] = twoCells(a, b, evidence);
  const [left, right] = inOneUnit(numberOf(one), numberOf(other));
  const about = isAbout(left, right, { unit: numberOf(one).unit, share: aboutShare });
  const isSo = rel === 'above' ? left > right : rel === 'below' ? left < right
    : rel === 'about' && about;
  const how = rel === 'about' && about ? 'about as much as'
    : left > right ? 'above' : left < right ? 'below' : 'equal to';
  const place = cellPlace(one) === cellPlace(other) ? '' : `${cellPlace(other)}: `;
  const text = `${cellPlace(one)}: ${memberText(one)} ${valueText(one)} is ${how} ` +
    `${place}${memberText(other)} ${valueText(other)}.`;
  if (!isSo) throw new Problem(text);
  return { text, items: [one.item, other.item] };
}

/** Moments that are closer are the same. */
const sameMsMax = 60_000;

function judgeOrder({ a, b }: Assertion, evidence: CitedItems): Fact {
  const [first, then] = twoCells(a, b, evidence);
  const { text, gapMs } = apart(first, then);
  if (gapMs <= 0) throw new Problem(text);
  return { text, items: [first.item, then.item] };
}

function judgeSameTime({ a, b }: Assertion, evidence: CitedItems): Fact {
  const [one, other] = twoCells(a, b, evidence);
  const { text, gapMs } = apart(one, other);
  if (Math.abs(gapMs) > sameMsMax) throw new Problem(text);
  return { text, items: [one.item, other.item] };
}

/** By how much the second moment is later, in milliseconds, and that in words. */
function apart(first: Cell, then: Cell): { readonly text: string; readonly gapMs: number } {
  const gapMs = timeOf(then) - timeOf(first);
  const [one, other] = [first, then].map((cell) => {
    const what = cell.path.at(-1) === 'at' ? '' : `${memberText(cell)} `;
    return `${cellPlace(cell)} (${what}${valueText(cell)})`;
  });
  const gap = formatDuration(Math.abs(gapMs) / 1000);
  const text = gapMs === 0 ? `At the same time: ${one} and ${other}.`
    : `${one}: ${gap} ${gapMs > 0 ? 'before' : 'after'} ${other}.`;
  return { text, gapMs };
}

/** Members that count parts of what another member of the same object counts. */
const wholes: ReadonlyMap<string, string> = new Map([
  ['up', 'total'], ['beyond', 'total'], ['ready', 'total'], ['moved', 'compared'],
]);

function judgeCount({ a, b, rel }: Assertion, evidence: CitedItems): Fact {
  const [part, whole] = twoCells(a, b, evidence);
  if (!isPartOf(part, whole)) {
    throw new Problem(`${String(a)} counts no part of what ${String(b)} counts.`);
  }
  const [some, all] = [numberOf(part).number, numberOf(whole).number];
  const share = some === 0 ? 'none' : some === all ? 'all' : 'some';
  const text = `${cellPlace(part)}: ${memberText(part)} ${some} of ${all}.`;
  if (rel !== share) throw new Problem(text);
  return { text, items: [part.item] };
}

function isPartOf(part: Cell, whole: Cell): boolean {
  if (part.item !== whole.item) return false;
  const open = part.path.indexOf('[]');
  if (open !== -1) return isSamePath([...part.path.slice(0, open), 'length'], whole.path);
  const [name, of] = [String(part.path.at(-1)), String(whole.path.at(-1))];
  return isSamePath(part.path.slice(0, -1), whole.path.slice(0, -1)) && wholes.get(name) === of;
}

/** The highest of its list. */
function judgeTop({ a }: Assertion, evidence: CitedItems): Fact {
  const cell = cellAt(a, evidence);
  const { number } = numberOf(cell);
  const at = cell.path.findLastIndex((step) => typeof step === 'number');
  if (at === -1) throw new Problem(`${String(a)} is in no list.`);
  const rest = cell.path.slice(at + 1);
  const list = walk(cell.item.data, cell.path.slice(0, at));
  const numbers = (Array.isArray(list) ? list as readonly unknown[] : [])
    .map((entry) => walk(entry, rest)).filter((value) => typeof value === 'number');
  const higher = numbers.filter((each) => each > number).length;
  const text = `${cellPlace(cell)}: ${memberText(cell)} ${valueText(cell)}, `;
  if (numbers.length < 2) throw new Problem(`${text}which is the only one.`);
  if (higher > 0) throw new Problem(`${text}and ${higher} of ${numbers.length} are higher.`);
  return { text: `${text}the highest of ${numbers.length}.`, items: [cell.item] };
}

/** Asked, answered and empty; or a number that is zero. */
function judgeNone({ a }: Assertion, evidence: CitedItems): Fact {
  const { item, path } = placeAt(a, evidence);
  if (path.length === 0) {
    const summary = isAsked(item) ? 'Nothing came back.' : item.summary;
    const text = `${titleOf(item)}: ${summary}`;
    if (item.state !== 'empty') throw new Problem(`${item.id} is ${stateText(item)}: ${summary}`);
    return { text, items: [item] };
  }
  const cell = cellAt(a, evidence);
  const text = `${cellPlace(cell)}: ${memberText(cell)} ${valueText(cell)}.`;
  if (numberOf(cell).number !== 0) throw new Problem(text);
  return { text, items: [item] };
}

function stateText({ state }: EvidenceItem): string {
  return state === 'ok' ? 'not empty' : state.replaceAll('_', ' ');
}

/** A source that is not configured or failed, or a value that is not known. */
function judgeUnknown({ a }: Assertion, evidence: CitedItems): Fact {
  const { item, path } = placeAt(a, evidence);
  if (path.length === 0) {
    const text = `${titleOf(item)}: ${item.summary}`;
    const isUnknown = item.state === 'failed' || item.state === 'not_configured';
    if (!isUnknown) throw new Problem(`${item.id} was answered. ${item.summary}`);
    return { text, items: [item] };
  }
  const cell = cellAt(a, evidence);
  const text = `${cellPlace(cell)}: ${memberText(cell)} ${valueText(cell)}.`;
  if (cell.value.kind !== 'unknown') throw new Problem(text);
  return { text, items: [item] };
}

/** Word for word in what the item says; shown with the words around it. */
function judgeSaid({ a, quote }: Assertion, evidence: CitedItems): Fact {
  const { item } = placeAt(a, evidence);
  const found = quote === null ? null : quoteIn(item, quote);
  if (found === null) {
    throw new Problem(`${item.id} does not say "${quote ?? ''}" word for word.`);
  }
  return { text: `${titleOf(item)} says: “${found}”.`, items: [item] };
}

function twoCells(a: string | null, b: string | null, evidence: CitedItems): readonly [Cell, Cell] {
  const [one, other] = [cellAt(a, evidence), cellAt(b, evidence)];
  if (one.item === other.item && isSamePath(one.path, other.path)) {
    throw new Problem(`${String(a)} and ${String(b)} are the same value.`);
  }
  return [one, other];
}

function numberOf(cell: Cell): Extract<Cell['value'], { kind: 'number' }> {
  if (cell.value.kind === 'number') return cell.value;
  throw new Problem(`${cellPlace(cell)}: ${memberText(cell)} ${valueText(cell)} is no number.`);
}

function timeOf(cell: Cell): number {
  if (cell.value.kind === 'time') return cell.value.ms;
  throw new Problem(`${cellPlace(cell)}: ${memberText(cell)} ${valueText(cell)} is no time.`);
}
