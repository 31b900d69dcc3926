import { hourMs, minuteMs } from '../../lib/time-units.ts';
import type { Window } from '../metric-facts.ts';

/** When an alert fired and ended, and what all queries take as now; wall time in milliseconds. */
export interface Times {
  readonly startsAtMs: number;
  /** Null while the alert fires. */
  readonly endsAtMs: number | null;
  readonly now: number;
}

/** Assumed if the rule's `for` is unknown. */
const forMsDefault = 5 * minuteMs;
const beforeMs = 5 * hourMs;
const afterMs = 30 * minuteMs;
/** Earliest split, before the alert fired less its `for`. */
const leadMsMax = 2 * hourMs;
/** How far apart the spans of two alerts begin, at least, if not together. */
const sharedMs = 10 * minuteMs;
/** Earlier days are drawn on grids of up to so many steps. */
const coarserSteps = 6;
/** Cap on ranges and `for`, so that four ranges and a `for` fit the coarsest step. */
const secondsMax = 30 * 86_400;
export const pointsMax = 360;
const stepSecondsMin = 15;
const coarsestStep = 43_200;
/** Divisors of a day, so that yesterday's points are on the same grid. */
const steps = [
  15, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600, 7200, 14_400, 28_800, coarsestStep,
];

interface WindowInput extends Omit<Times, 'endsAtMs'> {
  /** Since when the expression holds, according to the server; null is unknown. */
  readonly activeAtMs: number | null;
  /** Null if the rule is unknown. */
  readonly forSeconds: number | null;
  readonly rangeSeconds: number;
  /** Null if unknown. */
  readonly scrapeSeconds: number | null;
  /** How far back the server has data, roughly; null if unknown. */
  readonly historyMs: number | null;
}

/**
 * The time span to look at, and where "before" ends in it. The start that Prometheus sends is when
 * the alert fired, which is `for` after the trouble began (prometheus/prometheus:
 * rules/manager.go), and a range smears a change over its length; so the split is early rather
 * than late. Where the server has less history than the span would take, the span is shorter and
 * its points are closer, as nothing is lost.
 */
export function alertWindow(input: WindowInput): Window {
  const { now, activeAtMs } = input;
  const startsAtMs = Math.min(input.startsAtMs, now); // A sender's clock may be ahead of ours.
  const leadMs = input.forSeconds === null ? forMsDefault : boundedMs(input.forSeconds);
  const isActive = activeAtMs !== null && activeAtMs <= startsAtMs + minuteMs;
  const onMs = isActive ? activeAtMs : startsAtMs - leadMs;
  const rangeMs = boundedMs(input.rangeSeconds);
  const toMs = Math.max(Math.min(now, startsAtMs + afterMs), onMs + stepSecondsMin * 1000);
  const pastMs = rangeMs > hourMs ? 4 * rangeMs : (input.historyMs ?? beforeMs);
  // Alerts that began a little apart look at the same span, and share the answers.
  const fromOf = (splitMs: number, stepSeconds: number): number => {
    const stepMs = coarserSteps * stepSeconds * 1000;
    const roundedMs = stepMs > hourMs ? 1 : stepMs * Math.ceil(sharedMs / stepMs);
    return Math.floor((splitMs - pastMs) / roundedMs) * roundedMs;
  };
  const splitOf = (stepSeconds: number): number =>
    Math.max(onMs - rangeMs - 2 * stepSeconds * 1000, startsAtMs - leadMsMax - leadMs);
  const scrape = input.scrapeSeconds ?? stepSecondsMin;
  const stepSeconds = steps.find((step) => {
    return step >= scrape && (toMs - fromOf(splitOf(step), step)) / (step * 1000) <= pointsMax - 1;
  }) ?? coarsestStep;
  const splitMs = splitOf(stepSeconds);
  return { fromMs: fromOf(splitMs, stepSeconds), toMs, stepSeconds, onMs, splitMs };
}

/** Bounds untrusted numbers: the expression in a link may have a range of centuries. */
function boundedMs(seconds: number): number {
  return Math.min(secondsMax, Math.max(0, seconds)) * 1000;
}

/** Points of a query that reaches to the present, so that all of them can be drawn. */
const drawnPointsMax = 238;

/** The multiple of the step, in seconds, at which this length has few enough points. */
export function drawnStep(stepSeconds: number, lengthMs: number): number {
  const least = lengthMs / 1000 / drawnPointsMax;
  return stepSeconds * Math.max(1, Math.ceil(least / stepSeconds));
}
