import {
  isAbout, isClose, isCloseSpan, isSpan, timesAbout, type Cited,
} from './match-number.ts';
import { timeFrom, type SaidMoment } from './moments.ts';
import { directionIn } from './movement.ts';
import { pairsIn, type Pair } from './pairs.ts';
import type { SaidQuantity } from './quantity-text.ts';
import { fits, fitsCount, type Role } from './role.ts';

/**
 * Whether a number follows from the cited items: as a factor, a change, a share or a span of time.
 * Only numbers whose roles belong together are combined, and only if the words call for it: among
 * all pairs of numbers some would always fit.
 */
export function isDerived(said: SaidQuantity, cited: Cited): boolean {
  if (said.kind === 'seconds' && isBetweenMoments(said, cited)) return true;
  if (said.kind === 'percent' && isShareOfCount(said, cited)) return true;
  const base = baseIn(said.after) ?? baseIn(said.before);
  const result = base === 'fire' ? null : resultIn(said.clause);
  return cited.facts.flatMap((fact) => pairsIn(fact, said.named, cited))
    .filter(({ from, to }) => (base === null || from.role === base) && fits(result, to.role))
    .some((pair) => followsFrom(pair, said));
}

/** The earlier value that words compare with. */
export function baseIn(text: string): Role | null {
  if (/\b(?:what|than) it was when\b/i.test(text)) return 'fire';
  if (/\b(?:limit|threshold|allowed)\b/i.test(text)) return 'limit';
  if (/\byesterday\b|\bday (?:before|earlier|ago)\b/i.test(text)) return 'yesterday';
  return /\bweek\b/i.test(text) ? 'week' : null;
}

function resultIn(clause: string): Role | null {
  if (/\b(?:now|currently)\b/.test(clause)) return 'now';
  // In "fell by 285 since it fired" the result is the later value.
  return /(?<!\bsince (?:it|the alert) )\bfired\b/.test(clause) ? 'fire' : null;
}

function followsFrom({ from, to }: Pair, said: SaidQuantity): boolean {
  const { kind, noun, role, after, clause } = said;
  const factor = from.value === 0 ? Number.NaN : to.value / from.value;
  if (kind === 'percent' && from.role === 'limit' && /^\s*of (?:its|the) /i.test(after)) {
    return isClose(said, factor * 100);
  }
  // "From 0.209 to 0.909 (+335 %)".
  const isSigned = /^[-+]/.test(said.text);
  const way = isSigned ? Math.sign(said.value) : directionIn(clause);
  const change = to.value - from.value;
  if (way !== 0 && way !== Math.sign(change)) return false;
  // "From 3 ms to 134 ms (44 times)".
  if (kind === 'factor' || kind === 'bare' && noun === 'times') {
    return isClose(said, factor) || way < 0 && factor > 0 && isClose(said, 1 / factor);
  }
  if (role !== 'change' && !isSigned) return false;
  const size = { ...said, value: Math.abs(said.value) };
  return kind === 'percent' && isClose(size, Math.abs(factor - 1) * 100) ||
    kind === to.kind && isClose(size, Math.abs(change));
}

function isShareOfCount(said: SaidQuantity, cited: Cited): boolean {
  return cited.facts.filter((fact) => isAbout(fact, said.named, cited))
    .some(({ shares }) => shares.some(({ part, whole, role }) =>
      whole > 0 && fitsCount(said.role, role) && isClose(said, part / whole * 100)));
}

/** As in "four minutes before the alert fired". */
const toTheAlert = /^ (before|after) (?:the|this) alert\b(?! (?:ended|resolved))/i;
/** As in "the alert fired four minutes after". */
const fromTheAlert = /\balert (?:fired|began|started) (?:(?:about|around|roughly|some) |[~≈])?$/i;

function isBetweenMoments(said: SaidQuantity, cited: Cited): boolean {
  if (!isSpan(said)) return false;
  const { alertBegan } = cited;
  const about = cited.facts.filter((fact) => isAbout(fact, said.named, cited));
  const isTurned = fromTheAlert.test(said.before);
  const [, side] = (isTurned ? /^ (before|after)\b/i : toTheAlert).exec(said.after) ?? [];
  const way = (side?.toLowerCase() === 'before') === isTurned ? -1 : 1;
  const spans = alertBegan === null || side === undefined ? about.flatMap((fact) => fact.spans)
    : about
      .flatMap((fact) => timesAbout(fact, { clause: said.named, claim: cited.claim }))
      .map((at) => (alertBegan - at) / 1000 * way);
  return spans.some((seconds) => isCloseSpan(said, seconds)) || isBetweenStated(said, cited);
}

/** Whether it is from a moment that the sentence tells to another, or to an event of an item. */
function isBetweenStated(said: SaidQuantity, { moments, text, facts, alertBegan }: Cited): boolean {
  const index = text.indexOf(said.text);
  const told = moments.filter(({ time }) => time !== null);
  const ahead = told.findLast((moment) => moment.index < index);
  const behind = told.find((moment) => moment.index > index);
  if (ahead === undefined && behind === undefined) return false;
  const events = [...facts.flatMap(({ happened }) => happened.map(({ at }) => at)),
    ...alertBegan === null ? [] : [alertBegan]];
  const timesOf = (moment: SaidMoment | undefined): readonly number[] => {
    if (moment === undefined) return events;
    const { time = null, grain } = moment;
    // The sentence may have cut the time of an event.
    const cut = events.map((at) => timeFrom(time ?? Number.NaN, at));
    return [0, ...cut.filter((apart) => apart > 0 && apart < grain)]
      .map((apart) => (time ?? Number.NaN) + apart);
  };
  const [, side] = /^ (before|after)\b/i.exec(said.after) ?? [];
  return timesOf(ahead).some((from) => timesOf(behind).some((to) => {
    const seconds = timeFrom(from, to) / 1000;
    if (side === undefined) return isCloseSpan(said, Math.abs(seconds));
    return isCloseSpan(said, side.toLowerCase() === 'before' ? seconds : -seconds);
  }));
}
