import type { MetricFacts } from '../../evidence/metric-facts.ts';
import { formatDuration } from '../../lib/quantity.ts';
import type { Hypothesis, Statement } from '../../report/report.ts';
import type { Situation } from '../situation.ts';
import { goneText } from './change-words.ts';
import { outcomesOf, type ChangeOutcome } from './moved-back.ts';

/** A change that came back earlier than the alert's own value by more than this is unrelated. */
const withinMs = 10 * 60_000;

/** Whether what the leading explanation rests on came back with the alert, and why. */
interface Held {
  readonly held: boolean | null;
  readonly why: Statement | null;
}

/**
 * True when everything that the leading explanation rests on came back with the alert, false when
 * none of it did within enough time. Null where that is unknown.
 */
export function hypothesisHeld(situation: Situation, [leading]: readonly Hypothesis[]): Held {
  const { metrics } = situation.evidence;
  if (metrics === null || leading === undefined || leading.certainty === 'inconclusive') {
    return { held: null, why: null };
  }
  const outcomes = restsOn(leading, outcomesOf(situation));
  const [first] = outcomes;
  const evidence = first?.evidence ?? [metrics.recovery?.evidence ?? metrics.source.evidence];
  const unknown = unknownBecause(outcomes, situation, metrics);
  if (first === undefined || unknown !== null) {
    const why = unknown ?? 'it rests on no series that could have moved back';
    const text = `Whether the explanation held is unknown: ${why}.`;
    return { held: null, why: { text, evidence } };
  }
  const held = first.atEnd.state === 'back';
  const text = held ? `The explanation held: ${first.name} came back with the alert.`
    : `The explanation did not hold: the alert ended, but ${first.name} did not come back.`;
  return { held, why: { text, evidence } };
}

/** Null where all came back with the alert, or none did. */
function unknownBecause(
  outcomes: readonly ChangeOutcome[],
  situation: Situation,
  metrics: MetricFacts,
): string | null {
  const name = outcomes[0]?.name;
  const states = new Set(outcomes.map(({ atEnd: { state } }) => state));
  if (states.has('unseen')) return `${name} has no values at the end`;
  if (states.has('unsettled')) return 'there are too few values after the end';
  if (states.size > 1 || states.has('partly')) return `${name} came back only in part`;
  const early = states.has('back') ? earlyMs(outcomes, situation, metrics) : 0;
  if (early <= 0) return null;
  return `${name} came back ${formatDuration(early / 1000)} before the alert's value did`;
}

/** The outcomes of the series that its statements cite, or of the component they say is gone. */
function restsOn(
  { for: supports }: Hypothesis,
  outcomes: readonly ChangeOutcome[],
): ChangeOutcome[] {
  const cited = new Set(supports.flatMap(({ evidence }) => evidence));
  const series = outcomes.filter(({ item }) => item !== null && cited.has(item));
  if (series.length > 0) return series;
  return outcomes.filter(({ series: own, component }) =>
    own === null && supports.some(({ text }) => text === goneText(component)));
}

/** Milliseconds by which the first came back before the alert's value; 0 where close enough. */
function earlyMs(
  outcomes: readonly ChangeOutcome[],
  { evidence }: Situation,
  { own, window }: MetricFacts,
): number {
  const { end } = evidence.history.current;
  const recovered = own?.recoveredMs ?? end ?? 0;
  const first = Math.min(...outcomes.map(({ atEnd }) => atEnd.backMs ?? Infinity));
  // The rule's range still covers the past, which keeps the alert firing for that long.
  const allowed = window.onMs - window.splitMs + withinMs;
  return recovered - first > allowed ? recovered - first : 0;
}
