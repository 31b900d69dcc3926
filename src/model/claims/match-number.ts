import type { Facts, KnownNumber } from './evidence-facts.ts';
import { measuresRest, speaksOfRest } from './free-or-used.ts';
import type { SaidMoment } from './moments.ts';
import { holdsName } from './names.ts';
import type { SaidQuantity } from './quantity-text.ts';
import { fitsCount } from './role.ts';

/** What a claim is compared to. */
export interface Cited {
  /** The whole claim in lower case: where a clause names nothing, its names decide. */
  readonly claim: string;
  /** The cited items. */
  readonly facts: readonly Facts[];
  readonly alert: readonly Facts[];
  /** When the alert began, in epoch milliseconds; null if unknown. */
  readonly alertBegan: number | null;
  /** The moments of the claim, in their order. */
  readonly moments: readonly SaidMoment[];
  /** The claim with blanks in the place of its moments. */
  readonly text: string;
}

/** Relative error beyond which a number is another one, however coarsely it was rounded. */
const relativeMax = 1 / 8;
const aboutMax = 0.05;
const nearlyMax = 0.1;
const boundMax = 0.25;

/** Whether a value is the one that is said, given its digits and words such as `about`. */
export function isClose(said: SaidQuantity, value: number): boolean {
  const { value: claimed, slack: half, bound } = said;
  const apart = Math.abs(value - claimed);
  const size = Math.max(Math.abs(value), Math.abs(claimed));
  if (apart <= size * 1e-9) return true;
  if (bound === 'about' && apart <= size * aboutMax) return true;
  if (bound === 'nearly' && value <= claimed && apart <= Math.abs(claimed) * nearlyMax) return true;
  // Something that grew 2.8-fold "more than doubled".
  const beyond = Math.max(Math.abs(claimed) * boundMax, said.kind === 'factor' ? 1 : 0);
  if (bound === 'over' && value >= claimed && apart < beyond) return true;
  // Something that fell to a sixth "more than halved".
  if (bound === 'under' && said.kind === 'factor' && claimed < 1) {
    return value > 0 && value < claimed;
  }
  if (bound === 'under' && value <= claimed && apart <= Math.abs(claimed) * boundMax) return true;
  // Counts are exact.
  if (said.kind === 'bare' && Number.isInteger(value) && Number.isInteger(claimed)) return false;
  return apart <= half * (1 + 1e-9) && apart <= size * relativeMax;
}

/** Durations may be rounded down: 5 min 50 s is "5 minutes". */
export function isCloseSpan(said: SaidQuantity, seconds: number): boolean {
  if (isClose(said, seconds)) return true;
  const over = seconds - said.value;
  return over >= 0 && over < said.slack * 2 && over <= seconds * relativeMax;
}

/** Whether a cited item contains the number itself. */
export function isStated(said: SaidQuantity, cited: Cited): boolean {
  const owner = alertOf(said, cited);
  const inRoleOf = inRoleOfValue(said, cited);
  return cited.facts.some((fact) => meantNumbers(fact, said.named, cited).some((known) => {
    return inRole(inRoleOf, known) && isSame(said, turned(known, said, fact)) &&
      (owner === null || known.names.includes(owner));
  }));
}

/** The name of the alerts that are counted, as in "7 HighErrorRate alerts". */
function alertOf({ value, named }: SaidQuantity, { facts, alert }: Cited): string | null {
  const counted = new RegExp(`(?<![\\d.,])${value} (?:other )?([\\w-]+) alerts?\\b`);
  const [, name] = counted.exec(named) ?? [];
  if (name === undefined) return null;
  const isAlert = alert.some(({ labels }) => labels.get('alertname') === name) ||
    facts.some(({ objects }) => objects.has(name));
  return isAlert ? name : null;
}

const ofUse = /\b(?:full|usage|used|in use|utili[sz]ed|utili[sz]ation|occupied)\b/;

/** The complement of a share of free space, where the claim speaks of used space. */
function turned(known: KnownNumber, { kind, clause }: SaidQuantity, fact: Facts): KnownNumber {
  const isTurned = kind === 'percent' && known.kind === 'percent' && known.role !== 'limit' &&
    ofUse.test(clause) && !speaksOfRest(clause) && measuresRest(fact);
  return isTurned ? { ...known, value: 100 - known.value } : known;
}

/** The numbers of an item that a clause may mean: of several objects, those that it names. */
export function meantNumbers(fact: Facts, clause: string, cited: Cited): readonly KnownNumber[] {
  if (!isAbout(fact, clause, cited)) return [];
  const [near, far] = [clause, cited.claim].map((text) =>
    [...fact.objects].filter((name) => holdsName(text, name)));
  const named = near?.length === 0 ? far : near;
  const ownOf = ({ names }: KnownNumber): string[] =>
    names.filter((name) => fact.objects.has(name));
  const isNamed = (one: KnownNumber): boolean => ownOf(one).some((name) => named?.includes(name));
  const isOfOther = (known: KnownNumber): boolean => named?.length !== 0 &&
    fact.listed.get(known)?.some((one) => !isNamed(one)) === true;
  return fact.numbers.filter((known) =>
    isNamed(known) || ownOf(known).length === 0 && !isOfOther(known));
}

/** Whether a clause is about the item: if it names some of the items, only about those. */
export function isAbout(fact: Facts, clause: string, { facts, alert }: Cited): boolean {
  const isNamed = fact.names.some((name) => holdsName(clause, name));
  if (!isNamed && alert.some((one) => isOther(one, fact, clause))) return false;
  // Of an item about one object, where the clause names one in a list.
  const isElsewhere = facts.some(({ objects }) => [...objects].some((name) =>
    !fact.text.includes(name) && holdsName(clause, name)));
  if (isElsewhere && !isNamed && fact.names.length > 0) return false;
  const placed = facts.filter(({ names }) => names.length > 0);
  if (placed.length < 2 || fact.names.length === 0) return true;
  const isCommon = (name: string): boolean => placed.every(({ names }) => names.includes(name));
  const mentioned = new Set(placed.flatMap(({ names }) => names)
    .filter((name) => !isCommon(name) && holdsName(clause, name)));
  return mentioned.size === 0 || fact.names.some((name) => mentioned.has(name));
}

/** When what the clause speaks of happened, in epoch milliseconds. */
export function timesAbout(
  { happened }: Facts,
  { clause, claim }: { readonly clause: string; readonly claim: string },
): number[] {
  const heldBy = (text: string): number[] => happened
    .filter(({ names }) => names.length === 0 || names.some((name) => holdsName(text, name)))
    .map(({ at }) => at);
  const near = heldBy(clause);
  return near.length > 0 ? near : heldBy(claim);
}

/** Whether the clause names one by a label that is another one's, too, with another value. */
function isOther(one: Facts, fact: Facts, clause: string): boolean {
  // "2" and "a" are rarely meant as names.
  // The pods of web are named after it, though the job that tells of them is another.
  const pod = fact.labels.get('pod') ?? '';
  return [...one.labels].some(([label, value]) => value.length > 2 &&
    (fact.labels.get(label) ?? value) !== value && !pod.startsWith(`${value}-`) &&
    holdsName(clause, value));
}

/** The value of an `increase()` is told as a change: "grew by 5 when it fired". */
function inRoleOfValue(said: SaidQuantity, { facts }: Cited): SaidQuantity {
  return said.role === 'change' && measuresChange(facts) ? { ...said, role: null } : said;
}

export function measuresChange(facts: readonly Facts[]): boolean {
  return facts.some(({ text }) => /\bi?(?:increase|delta)\(/.test(text));
}

/** Numbers with these roles support a claim only if it states the role. */
const told = new Set<KnownNumber['role']>(['limit', 'z', 'pending']);
const past = new Set<KnownNumber['role']>(['yesterday', 'week', 'before']);
const present = /\b(?:is|are|stands|remains|sits|stay(?:s|ed)|remained)\b/;

function inRole(said: SaidQuantity, known: KnownNumber): boolean {
  if (known.role === 'parameter') return isQuantile(said, known);
  // A value that fired and recovered went "from 305 to 20.2".
  const isFrom = /\bfrom (?:about |around |roughly |~)?$/i.test(said.before);
  if (known.role === 'fire' && said.role === 'before' && isFrom) return true;
  if (known.role === 'window' && isSpan(said)) return true;
  if (!fitsCount(said.role, known.role)) return false;
  if (known.isOfRole) return said.role !== null;
  // "OOMKilled (137)", but not "137 restarts".
  if (known.role === 'exit' && said.role === null) {
    return said.noun === '' && !/restart/i.test(said.before);
  }
  if (known.role === 'window') return said.role === 'window';
  // In "above 5" the limit has to be 5 exactly, not something near it.
  const isCompared = said.bound !== null || /[<>]=?\s*$/.test(said.before);
  if (known.role === 'limit' && isCompared) {
    const exact = { ...said, bound: null };
    return isClose(exact, known.value) || isClose(exact, known.value * 100);
  }
  if (told.has(known.role) && said.role === null) return false;
  return !(past.has(known.role) && said.role === null && present.test(said.clause));
}

function isQuantile({ kind, clause }: SaidQuantity, known: KnownNumber): boolean {
  return known.kind === 'any' && /\b(?:quantile|percentile)\b/.test(clause) &&
    (kind === 'bare' || kind === 'ordinal' || kind === 'percent');
}

/** Whether the words make it a duration: "for 5 minutes" is not a measured latency. */
export function isSpan({ kind, before, after }: SaidQuantity): boolean {
  if (kind !== 'seconds') return false;
  return aheadOfSpan.test(before) || behindSpan.test(after);
}

const aheadOfSpan =
  /\b(?:for|after|within|lasted|took|last|past|since|over|during|every|of|than|in)\b[^.]{0,20}$/i;
const behindSpan =
  /^\s*(?:before|after|ago|earlier|later|apart|long|window|of|into|old|until|rate|interval)\b/i;

export function isSame(said: SaidQuantity, known: KnownNumber): boolean {
  const { kind } = said;
  if (kind === known.kind) return isClose(said, known.value);
  if (known.kind === 'any') {
    const isShare = kind === 'percent' || kind === 'ordinal';
    // A limit above 2 is hardly a ratio (200 %), so the rule must have percent already.
    if (kind === 'percent' && known.role === 'limit' && Math.abs(known.value) >= 1) {
      return isClose(said, known.value) ||
        Math.abs(known.value) <= 2 && isClose(said, known.value * 100);
    }
    return isClose(said, isShare ? known.value * 100 : known.value);
  }
  if (kind === 'ordinal') return known.kind === 'bare' && said.value === known.value;
  if (kind !== 'bare' || isCounted(said)) return false;
  if (known.kind === 'percent') return isClose(said, known.value / 100);
  return known.kind !== 'factor' && isClose(said, known.value);
}

/** "1.02 cores" is not 1.02 s: a plural after a number is its unit. */
function isCounted({ noun }: SaidQuantity): boolean {
  return /[a-z]{2}s$/i.test(noun) && !notPlural.test(noun);
}

const notPlural =
  /^(?:this|exceeds|rises|falls|stays|remains|across|towards|always|perhaps|times|units)$/i;
