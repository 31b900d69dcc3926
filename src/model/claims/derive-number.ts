import type { KnownNumber } from './evidence-facts.ts';
import {
  isAbout, isClose, isCloseSpan, isSpan, meantNumbers, type Sought,
} from './match-number.ts';
import { fits, fitsCount, type Role } from './role.ts';

/**
 * Whether a number follows from the cited items: as a factor, a change, a share, a difference, a
 * sum or a span of time. Only numbers whose roles belong together are combined, and only if the
 * words call for it: among all pairs of numbers some would always fit.
 */
export function isDerived(sought: Sought): boolean {
  const { said } = sought;
  if (said.kind === 'factor') return isFactor(sought);
  // "From 3 ms to 134 ms (44 times)".
  if (said.kind === 'bare' && /^times$/i.test(said.noun) && isFactor(sought)) return true;
  if (said.kind === 'percent' && (isShare(sought) || isChange(sought))) return true;
  if (said.kind === 'seconds' && isBetweenMoments(sought)) return true;
  return isDifference(sought) || isSum(sought);
}

interface Pair {
  readonly high: KnownNumber;
  readonly low: KnownNumber;
}

const results: readonly (Role | null)[] = ['fire', 'now', 'end', 'after', 'max'];
const bases: readonly (Role | null)[] = ['limit', 'before', 'yesterday', 'week', 'min', 'mean'];
const numbersMax = 40;

/** Measured values paired with the values that they may be compared to, as the words allow. */
function pairsOf(sought: Sought): Pair[] {
  const base = baseIn(sought.said.after) ?? baseIn(sought.said.before);
  const result = resultIn(sought.clause);
  const pairs: Pair[] = [];
  for (const fact of sought.facts) {
    const measured = meantNumbers(sought, fact).slice(0, numbersMax);
    // The limit may be in another item, the one about the rule.
    const limits = sought.facts.filter((other) => other !== fact)
      .flatMap((other) => meantNumbers(sought, other).slice(0, numbersMax))
      .filter(({ role }) => role === 'limit');
    for (const high of measured) {
      if (!results.includes(high.role) || !fits(result, high.role)) continue;
      for (const low of [...measured, ...limits]) {
        if (!isBase(low.role, high.role) || base !== null && low.role !== base) continue;
        if (low.kind === high.kind || low.kind === 'any') {
          pairs.push({ high, low: inKindOf(high, low) });
        }
      }
    }
  }
  return pairs;
}

/** Later values may also be compared to the value at fire. */
function isBase(role: Role | null, of: Role | null): boolean {
  return bases.includes(role) || role === 'fire' && (of === 'now' || of === 'end');
}

/** Rules have shares as ratios or in percent; assumes the one that is nearer to the measurement. */
function inKindOf(high: KnownNumber, low: KnownNumber): KnownNumber {
  if (low.kind !== 'any' || high.kind !== 'percent' || low.value * high.value <= 0) return low;
  const apart = (value: number): number => Math.abs(Math.log(high.value / value));
  return apart(low.value * 100) < apart(low.value) ? { ...low, value: low.value * 100 } : low;
}

/** The earlier value that words compare with. */
export function baseIn(text: string): Role | null {
  if (/\b(?:limit|threshold|allowed)\b/i.test(text)) return 'limit';
  if (/\byesterday\b|\bday (?:before|earlier|ago)\b/i.test(text)) return 'yesterday';
  return /\bweek\b/i.test(text) ? 'week' : null;
}

function resultIn(clause: string): Role | null {
  if (/\b(?:now|currently)\b/i.test(clause)) return 'now';
  // In "fell by 285 since it fired" the result is the later value.
  return /(?<!\bsince (?:it|the alert) )\bfired\b/i.test(clause) ? 'fire' : null;
}

const rises = new RegExp(
  '\\b(?:r[io]s\\w*|increas\\w*|grew|grow\\w*|higher|more|larger|greater|slower|longer|up|above|' +
    'over|jump\\w*|climb\\w*|exceed\\w*)\\b', 'i',
);
const falls = new RegExp(
  '\\b(?:f[ea]ll\\w*|decreas\\w*|dropp?\\w*|lower|less|smaller|faster|shorter|down|below|under|' +
    'shr[ai]nk\\w*|fewer)\\b', 'i',
);

/** 1 if the words say that something rose, -1 if it fell, 0 if neither or both. */
function direction(clause: string): number {
  return Number(rises.test(clause)) - Number(falls.test(clause));
}

function isFactor(sought: Sought): boolean {
  const { said, clause } = sought;
  return pairsOf(sought).some(({ high, low }) => {
    if (low.value === 0 || high.value === 0) return false;
    const factor = high.value / low.value;
    if (direction(clause) < 0) {
      return factor < 1 && (isClose(said, factor) || isClose(said, 1 / factor));
    }
    return isClose(said, factor) && (direction(clause) === 0 || factor >= 1);
  });
}

function isShare(sought: Sought): boolean {
  const { said, facts } = sought;
  const isOfShares = facts.some((fact) => isAbout(sought, fact) && fact.shares.some((share) => {
    if (share.whole <= 0 || !fitsCount(said.role, share.role)) return false;
    return isClose(said, (share.part / share.whole) * 100);
  }));
  if (isOfShares) return true;
  if (!/^\s*of (?:its|the) (?:limit|threshold)/i.test(said.after)) return false;
  return pairsOf(sought).some(({ high, low }) => {
    return low.role === 'limit' && low.value > 0 && isClose(said, (high.value / low.value) * 100);
  });
}

const byAmount = new RegExp(
  '\\b(?:by|up|down|(?:increase|decrease|rise|growth|drop|fall) of) ' +
    '(?:(?:about|around|roughly|approximately|nearly|over|more than|just|only) |[~≈])?$', 'i',
);

function isChange(sought: Sought): boolean {
  const { said, clause } = sought;
  const isBy = byAmount.test(said.before);
  // "From 0.209 to 0.909 (+335 %)".
  const isSigned = /^[-+]/.test(said.text);
  const way = isSigned ? Math.sign(said.value) : direction(clause);
  if (!isBy && !isSigned && direction(said.after.slice(0, 20)) === 0) return false;
  const size = { ...said, value: Math.abs(said.value) };
  return pairsOf(sought).some(({ high, low }) => {
    if (low.value === 0) return false;
    const change = ((high.value - low.value) / Math.abs(low.value)) * 100;
    return Math.sign(change) === way && isClose(size, Math.abs(change));
  });
}

function isDifference(sought: Sought): boolean {
  const { said, clause } = sought;
  const isBy = byAmount.test(said.before);
  const way = direction(clause);
  if (!isBy && direction(said.after.slice(0, 20)) === 0) return false;
  return pairsOf(sought).some(({ high, low }) => {
    if (said.kind !== high.kind) return false;
    const change = high.value - low.value;
    return Math.sign(change) === way && isClose(said, Math.abs(change));
  });
}

function isSum(sought: Sought): boolean {
  const { said, clause } = sought;
  if (!/\b(?:together|combined|altogether|in total|in all|sum)\b/i.test(clause)) return false;
  const numbers = sought.facts.flatMap((fact) => meantNumbers(sought, fact).slice(0, numbersMax))
    .filter(({ kind, isOfRole }) => kind === said.kind && !isOfRole).slice(0, numbersMax);
  return numbers.some((one, index) => numbers.slice(index + 1).some((other) => {
    return one.role === other.role && isClose(said, one.value + other.value);
  }));
}

/** As in "four minutes before the alert fired". */
const toTheAlert = /^ (before|after) (?:the|this) alert\b/i;
/** As in "the alert fired four minutes after". */
const fromTheAlert = /\balert (?:fired|began|started) (?:(?:about|around|roughly|some) |[~≈])?$/i;

function isBetweenMoments(sought: Sought): boolean {
  const { said, alertBegan } = sought;
  if (!isSpan(said)) return false;
  const isTurned = fromTheAlert.test(said.before);
  const [, side] = (isTurned ? /^ (before|after)\b/i : toTheAlert).exec(said.after) ?? [];
  if (alertBegan !== null && side !== undefined) {
    const way = (side.toLowerCase() === 'before') === isTurned ? -1 : 1;
    const ahead = sought.facts.filter((fact) => isAbout(sought, fact))
      .flatMap(({ happened }) => happened.map((at) => (alertBegan - at) / 1000 * way));
    if (ahead.some((seconds) => isCloseSpan(said, seconds))) return true;
  }
  return sought.facts.some((fact) => {
    return isAbout(sought, fact) && fact.spans.some((seconds) => isCloseSpan(said, seconds));
  });
}
