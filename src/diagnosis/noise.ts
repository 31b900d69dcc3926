import type { PastFacts } from '../evidence/metric-facts.ts';
import { hourMs } from '../lib/time-units.ts';
import type { HopFault } from '../report/path.ts';
import { alternationsOf, type Alternations } from '../statistics/flapping.ts';
import { secondsOf } from '../statistics/interval.ts';
import {
  holds, isDecidedByValue, isFarOver, isInsideNoise, isMovedByClock, isStateRule, marginShare,
  ownOf,
} from './own-value.ts';
import type { Situation } from './situation.ts';

/**
 * Why an alert says nothing new.
 *
 * - `always`: the value has been beyond the threshold for as long as anything is known of it.
 * - `ordinary`: the value is now what it is again and again; `fits` is the threshold beyond that.
 * - `flapping`: it comes and goes, soon after each other.
 * - `hovering`: the value is never far from the threshold, and keeps crossing it.
 * - `few`: of so few events that one of them is beyond the threshold, one or two were bad.
 * - `short`: most of its episodes are over before anybody could act.
 */
export type Noise =
  | { readonly kind: 'always'; readonly past: PastFacts }
  | { readonly kind: 'ordinary'; readonly past: PastFacts; readonly fits: number }
  | { readonly kind: 'flapping'; readonly run: Alternations }
  | { readonly kind: 'few'; readonly bad: number; readonly of: number }
  | { readonly kind: 'hovering' | 'short' };

/** From this time on, what was never different is as it is meant to be. */
const alwaysMsMin = 2 * hourMs;
/** From these on, a threshold lies inside the ordinary range. */
const ordinaryMsMin = 6 * hourMs;
const ordinaryShareMin = 0.05;
const ordinaryStretchesMin = 4;
/** The stretches are spread over this share of what is known: one bad hour is no range. */
const spreadShareMin = 1 / 3;
/** What is farther beyond than ever by this share of the threshold is not ordinary. */
const fartherMax = 0.1;
/** So many alternations are flapping however long each is. */
const manyTimes = 4;
/** With fewer, they are no longer apart than this. */
const closeMsMax = 10 * 60_000;
const episodesPerWeekMin = 4;
const selfResolvedShareMin = 0.75;

/** Null for an alert that may be news. An episode that outlasts most of its others is news. */
export function noiseOf(situation: Situation): Noise | null {
  const known = alwaysBeyond(situation) ?? ordinarilyBeyond(situation) ?? fewEvents(situation);
  if (known !== null || outlastsUsual(situation) || hasBrokenOrigin(situation)) return known;
  const run = flappingOf(situation);
  if (run !== null) return { kind: 'flapping', run };
  if (isInsideNoise(situation)) return { kind: 'hovering' };
  const { last7d, selfResolvedShare } = situation.evidence.history.recurrence;
  const isShort = last7d >= episodesPerWeekMin && (selfResolvedShare ?? 0) >= selfResolvedShareMin;
  // That several real outages were short does not make the next one noise.
  return isShort && !isFarOver(situation) && situation.related.length === 0
    ? { kind: 'short' } : null;
}

/** What nothing works without, whoever asks. */
const breaking: ReadonlySet<HopFault['kind']> = new Set([
  'down', 'full', 'alarm', 'limit_lowered', 'link_down', 'no_server',
]);

/** Something behind the alert's own thing is broken, which is news however often it was before. */
function hasBrokenOrigin({ evidence: { metrics } }: Situation): boolean {
  const { origin = null, hops = [] } = metrics?.path ?? {};
  return origin !== null && origin > 0 &&
    hops[origin]?.faults.some(({ kind }) => breaking.has(kind)) === true;
}

/** It has fired for longer than nine in ten of its earlier episodes. */
export function outlastsUsual({ evidence: { history }, now }: Situation): boolean {
  const { current, usualMostSeconds } = history;
  return usualMostSeconds !== null && secondsOf(current, now) > usualMostSeconds;
}

/** Its own past; null where the threshold says nothing of a level, or not alone. */
function pastOf(situation: Situation): PastFacts | null {
  const isLevel = !isStateRule(situation) && !isMovedByClock(situation) &&
    situation.evidence.rule?.functions.includes('time') !== true &&
    situation.knowledge?.family.isGradual !== true && isDecidedByValue(situation);
  return isLevel ? (ownOf(situation)?.past ?? null) : null;
}

/** How far a value is beyond the past, as a share of the threshold; negative within it. */
function fartherThan({ least, most }: PastFacts, situation: Situation): number {
  const { threshold, operator } = situation.evidence.measurement;
  const own = ownOf(situation);
  const known = [own?.worst ?? null, own?.valueAtFire ?? null, own?.valueNow ?? null]
    .filter((value) => value !== null && holds(value, situation) === true);
  if (known.length === 0 || threshold === null) return 0;
  const size = Math.abs(threshold) || 1;
  return Math.max(...known.map((value) => (value === null ? 0
    : operator?.startsWith('<') === true ? (least - value) / size : (value - most) / size)));
}

function alwaysBeyond(situation: Situation): Noise | null {
  const past = pastOf(situation);
  if (past === null || past.beyondShare < 1 || past.toMs - past.fromMs < alwaysMsMin) return null;
  // That nothing is there at all may be an outage of any age.
  if (past.most === 0 && past.least === 0) return null;
  const own = ownOf(situation);
  const wasWithin = [own?.yesterday ?? null, own?.lastWeek ?? null]
    .some((value) => holds(value, situation) === false);
  return wasWithin || fartherThan(past, situation) > fartherMax ? null : { kind: 'always', past };
}

function ordinarilyBeyond(situation: Situation): Noise | null {
  const past = pastOf(situation);
  if (past === null || past.toMs - past.fromMs < ordinaryMsMin) return null;
  const { beyondShare, stretches, spreadMs, fromMs, toMs } = past;
  if (beyondShare < ordinaryShareMin || stretches < ordinaryStretchesMin) return null;
  if (spreadMs < spreadShareMin * (toMs - fromMs)) return null;
  if (fartherThan(past, situation) > fartherMax) return null;
  const isLow = situation.evidence.measurement.operator?.startsWith('<') === true;
  return { kind: 'ordinary', past, fits: isLow ? -roundedUp(-past.least) : roundedUp(past.most) };
}

/** So many bad events are an accident where others went well. */
const fewMax = 2;

/** What a share counts is so little that a single event takes it beyond the threshold. */
function fewEvents({ evidence: { metrics, measurement } }: Situation): Noise | null {
  const { value, threshold, unit, operator } = measurement;
  const whole = metrics?.whole ?? null;
  const size = unit === 'ratio' ? 1 : unit === 'percent' ? 100 : Number.NaN;
  if (whole === null || value === null || threshold === null) return null;
  if (operator?.startsWith('>') !== true) return null;
  const of = Math.round(whole.isRate ? whole.atFire * whole.rangeSeconds : whole.atFire);
  const bad = Math.round((value / size) * of);
  const isFew = bad >= 1 && bad <= fewMax && bad < of && 1 / of > threshold / size;
  return isFew ? { kind: 'few', bad, of } : null;
}

/** To two significant digits, never below the value. */
function roundedUp(value: number): number {
  if (value === 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
  return Number((Math.ceil(value / step) * step).toPrecision(2));
}

/** The run of its episodes, or of the crossings of its value, which began before them. */
function flappingOf(situation: Situation): Alternations | null {
  const { evidence: { history: { starts } }, now } = situation;
  const alternations = alternationsOf(starts, now);
  const crossed = alternationsOf(ownOf(situation)?.crossedMs ?? [], now);
  const isNear = marginShare(situation) !== null && !isFarOver(situation);
  const isFlapping = (run: Alternations | null, least: number): run is Alternations => {
    if (run === null) return false;
    // Several real outages trip a general alert as well, but go far beyond its threshold.
    if (run.times >= manyTimes) return run.isRegular || !isFarOver(situation);
    return run.times >= least && run.periodMs <= closeMsMax && isNear;
  };
  const runs = [
    ...(isFlapping(alternations, 2) ? [alternations] : []),
    ...(isNear && isFlapping(crossed, manyTimes - 1) ? [crossed] : []),
  ];
  return runs.sort((a, b) => b.times - a.times)[0] ?? null;
}
