import { labelOf } from '../../alert/labels.ts';
import type { Evidence } from '../../evidence/collect-evidence.ts';
import type { ScrapeDetail, RankingFacts } from '../../evidence/metric-facts.ts';
import { medianOf } from '../../lib/sorted-quantile.ts';
import type { RankedComponent } from '../../statistics/rank-components.ts';
import type { RankedSeries } from '../../statistics/rank-series.ts';
import { notableZ, strengthOf, strongZ } from '../../statistics/strength.ts';
import { eventsOf, isJustBefore, isOn, isRelease, problemStart } from './event-closeness.ts';

/** Taken off the score of a change that is usual at this hour, as if it were half its size. */
const usualLoss: number = Math.LN2;

/** The same for what is never the reason, and for what began long before the problem. */
const slackLoss: number = Math.log(10);
const earlyLoss: number = Math.LN2;
/** What began longer before the problem has to move with it to be its cause. */
export const longBeforeMs: number = 10 * 60_000;
/** A share of what it usually is that matters to nobody. */
const slightMax = 0.05;

/** Chance alone reaches this agreement; below it, a series is unrelated to the alert's own. */
const agreementMin = 0.2;

/** Up to this many times the changes expected by chance, a change that is not strong is chance. */
const chanceFactor = 2;

/** Raises the score of a component to which something happened just before the problem. */
const eventFactor = 1.25;

/** A ranked series whose `z`, `strength` and `score` take account of other days at this hour. */
export interface MovedSeries extends RankedSeries {
  /** Its z by the values around the problem alone. */
  readonly windowZ: number;
  readonly isUsual: boolean;
  /** It moved, but not with the alert's own series. */
  readonly isUnrelated: boolean;
  /** Milliseconds from the beginning of the problem; negative is before, null when unknown. */
  readonly onsetMs: number | null;
  /** When it began, in ms, seen at the interval of the scrapes; null where it is not. */
  readonly seenAtMs: number | null;
  /** How finely its beginning is known, in ms. */
  readonly stepMs: number;
  /** A state or a number of things: whole, and shown by its last value. */
  readonly isWhole: boolean;
  /** It is still moving away. */
  readonly isOnTheMove: boolean;
  /** It measures how a machine is used, which is not near its limit. */
  readonly isSlack: boolean;
  /** It is of another job than the alert, which nothing leads to. */
  readonly isStranger: boolean;
  /** It moved by a share that matters to nobody. */
  readonly isSlight: boolean;
  /** It began after the problem, so it is more likely an effect than the cause. */
  readonly isLate: boolean;
  /** The alert's own series began to move before it did. */
  readonly isAfterOwn: boolean;
  /** It is not strong, and chance alone would produce about as many such changes. */
  readonly isByChance: boolean;
  /** The ledger's item of this series, or else that of the search. */
  readonly evidence: string;
}

/** The series that moved most, best first; none if nothing was ranked. */
export function movedSeries(evidence: Evidence): MovedSeries[] {
  const found = evidence.metrics?.ranking ?? null;
  return found === null ? []
    : found.ranking.series.map((series) => inContext(series, found, evidence));
}

function inContext(series: RankedSeries, found: RankingFacts, evidence: Evidence): MovedSeries {
  const { z: windowZ, agreement, onsetIndex, isState, candidate: { id } } = series;
  const { z, isUsual } = found.seasonal.get(id) ?? { z: windowZ, isUsual: false };
  const isUnrelated = agreement !== null && agreement < agreementMin;
  const detail = found.close.get(id);
  const seenAtMs = detail?.onsetMs ?? null;
  const onsetMs = seenAtMs !== null ? seenAtMs - problemStart(evidence)
    : onsetIndex === null ? null : sinceProblem(onsetIndex, found, evidence);
  const stepMs = seenAtMs === null ? found.grid.stepMs : detail?.stepMs ?? found.grid.stepMs;
  const { moved, expectedByChance } = found.ranking;
  const values = valuesOf(series, detail);
  const isSlack = found.slack.has(id);
  const isSlight = !isState && !isNearlyAll(series) &&
    Math.abs(values.after - values.before) <
      slightMax * Math.max(Math.abs(values.before - series.origin), series.scale);
  const lost = (isUsual ? usualLoss : 0) + (isSlack || isSlight ? slackLoss : 0) +
    (onsetMs !== null && onsetMs < -longBeforeMs ? earlyLoss : 0);
  return {
    ...series, ...values, windowZ, z, isUsual, isUnrelated, onsetMs, seenAtMs, stepMs, isSlack,
    isSlight, isStranger: isStranger(series, evidence), isOnTheMove: isOnTheMove(series, values),
    strength: isUsual || isUnrelated || isSlack || isSlight ? 'weak' : strengthOf(z),
    score: Math.max(0, series.score - lost),
    // The grid is accurate to two steps.
    isLate: onsetMs !== null && onsetMs > 2 * stepMs,
    isAfterOwn: onsetIndex !== null && found.ownOnsetIndex !== null &&
      onsetIndex > found.ownOnsetIndex,
    // What is 0 or 1 does not change by noise.
    isByChance: !isState && !series.isStep && Math.abs(z) < strongZ &&
      moved <= chanceFactor * expectedByChance,
    evidence: found.evidenceOf.get(id) ?? found.evidence,
  };
}

/** Neither of the alert's namespace, job or machine, nor of what its path leads to. */
function isStranger(
  { candidate: { labels, component } }: RankedSeries,
  { metrics }: Evidence,
): boolean {
  const place = { ...metrics?.place?.target, ...metrics?.place?.labels };
  const hops = metrics?.path?.hops ?? [];
  const ways = [place, ...hops.map((hop) => hop.labels)];
  const [own, job] = [labelOf(place, 'job'), labelOf(labels, 'job')];
  if (own === null || job === null || hops.some((hop) => hop.component === component)) return false;
  return !ways.some((way) => ['namespace', 'job', 'instance'].some((name) =>
    labelOf(way, name) !== null && labelOf(way, name) === labelOf(labels, name)));
}

/** A few per cent matter in what is nearly used up. */
function isNearlyAll({ candidate: { signal, unit }, after }: RankedSeries): boolean {
  const whole = unit === 'ratio' ? 1 : unit === 'percent' ? 100 : Infinity;
  return (signal === 'saturation' || signal === 'utilization') && after >= nearlyAllMin * whole;
}

const nearlyAllMin = 0.9;

/**
 * From what it went to what. Whole numbers and states are shown as they are, since half a consumer
 * is none; a level of which only a minute is known, by what the scrapes since show.
 */
function valuesOf(
  { before, after, candidate, isState, fewPoints, z }: RankedSeries,
  detail: ScrapeDetail | undefined,
): Pick<MovedSeries, 'before' | 'after' | 'isWhole'> {
  const isWhole = isState || (candidate.made === undefined && isCount(candidate));
  if (!isWhole) {
    const isFarther = detail !== undefined && (detail.level - after) * z > 0;
    return { before, after: fewPoints && isFarther ? detail.level : after, isWhole };
  }
  const last = detail?.last ?? candidate.values.findLast(Number.isFinite) ?? after;
  const usual = Math.round(before);
  // What was away for a moment is shown by how far away it was.
  return { before: usual, after: last === usual ? awayFrom(usual, after) : last, isWhole };
}

/** The whole number nearest to the value, on the side away from the other. */
function awayFrom(usual: number, value: number): number {
  return value >= usual ? Math.ceil(value) : Math.floor(value);
}

/** A number of things: whole at all times, of no unit, and few enough to be counted one by one. */
function isCount({ unit, values }: RankedSeries['candidate']): boolean {
  return (unit === null || unit === 'count') && values.every((value) =>
    !Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) <= countMax));
}

const countMax = 1000;

/** Its last values are farther away than those with which it began. */
function isOnTheMove(
  { candidate, scale, z }: RankedSeries,
  { before }: Pick<MovedSeries, 'before'>,
): boolean {
  const known = candidate.values.filter(Number.isFinite);
  const [now, earlier] = [known.slice(-3), known.slice(-movingPoints, -movingPoints + 3)];
  if (now.length < 3 || earlier.length < 3) return false;
  const gained = (medianOf(now) - medianOf(earlier)) * Math.sign(z);
  return gained > Math.max(scale, movingMin * Math.abs(medianOf(now) - before));
}

/** A move that goes on gains this share of its way in so many points. */
const movingMin = 0.1;
const movingPoints = 13;

/** Milliseconds between the beginning of the problem and a point of the grid. */
export function sinceProblem(index: number, { grid }: RankingFacts, evidence: Evidence): number {
  return grid.startMs + index * grid.stepMs - problemStart(evidence);
}

/** A component that stands out, with the series that shows it best. */
export interface OutlierComponent {
  readonly component: RankedComponent;
  readonly score: number;
  /** Null where most of its series ended and none of the others moved. */
  readonly best: MovedSeries | null;
  /** What shows it best is likely a victim's. */
  readonly isVictim: boolean;
  readonly isOwn: boolean;
}

/**
 * Components in which something moved notably, best first; a restart, release or configuration
 * change just before raises one. Only internals of the alert's own component count, as what its
 * callers see is the alert itself.
 */
export function outlierComponents(evidence: Evidence): OutlierComponent[] {
  const found = evidence.metrics?.ranking ?? null;
  if (found === null) return [];
  return found.ranking.components
    .map((component) => outlier(component, found, evidence))
    .filter((each) => each !== null)
    .sort((a, b) => b.score - a.score);
}

function outlier(
  component: RankedComponent,
  found: RankingFacts,
  evidence: Evidence,
): OutlierComponent | null {
  const isOwn = component.component === found.ownComponent;
  const [best = null] = component.strongest
    .filter(({ candidate }) => !isOwn || candidate.side === 'internal')
    .map((series) => inContext(series, found, evidence))
    .filter(({ z, isUsual, isSlack, isSlight }) =>
      Math.abs(z) >= notableZ && !isUsual && !isSlack && !isSlight)
    .sort((a, b) => Number(isStepNow(b)) - Number(isStepNow(a)) || b.score - a.score);
  if (best === null && !component.isGone) return null;
  const moved = component.isGone ? component.score : (best?.score ?? 0);
  const isRaised = eventsOf(evidence).some((event) => {
    const counts = !isOwn || isRelease(event);
    return counts && isOn(event, component.component) && isJustBefore(event, evidence);
  });
  const isVictim = !component.isGone && best?.isVictim === true;
  const isEvent = isRaised || (best !== null && isStepNow(best));
  return { component, score: moved * (isEvent ? eventFactor : 1), best, isVictim, isOwn };
}

/** A step of what stands still otherwise, not after the problem, is as good as an event. */
function isStepNow({ isStep, isLate }: MovedSeries): boolean {
  return isStep && !isLate;
}
