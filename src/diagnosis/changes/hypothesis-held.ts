import type { MetricFacts } from '../../evidence/metric-facts.ts';
import { judgeTest } from '../../knowledge/judge-test.ts';
import type { Statement } from '../../report/report.ts';
import type { Explained } from '../causes/explanation.ts';
import { returnedText } from '../causes/tested-causes.ts';
import type { Judged } from '../judged.ts';
import type { ChangeOutcome } from './outcomes.ts';

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
export function hypothesisHeld(judged: Judged, [leading]: readonly Explained[]): Held {
  const { metrics } = judged.evidence;
  if (metrics === null || leading === undefined || leading.certainty === 'inconclusive') {
    return { held: null, why: null };
  }
  if (leading.release !== undefined && leading.certainty === 'confirmed') {
    const text = 'The explanation held: the value came back once the release was taken back.';
    return { held: true, why: { text, evidence: [leading.release.evidence] } };
  }
  const outcomes = restsOn(leading, judged.outcomes);
  const [first] = outcomes;
  if (first === undefined) return heldByTest(leading, metrics);
  const { name, evidence } = first;
  if (outcomes.every(({ atEnd }) => atEnd.state === 'changed')) {
    const text = `The explanation did not hold: the alert ended, but ${name} did not come back.`;
    return { held: false, why: { text, evidence } };
  }
  const earliestMs = earliestWith(judged, metrics);
  if (outcomes.every(({ atEnd: { state, backMs } }) =>
    state === 'back' && (backMs === null || backMs >= earliestMs))) {
    const isCause = outcomes.some(({ of }) => beganBefore(of, metrics));
    const text = isCause ? `The explanation held: ${name} came back with the alert.`
      : `Whether the explanation held is unknown: ${name} came back with the alert, as an effect ` +
        'does as well.';
    return { held: isCause || null, why: { text, evidence } };
  }
  const text = `Whether the explanation held is unknown: ${name} neither clearly came back ` +
    'with the alert nor clearly stayed away.';
  return { held: null, why: { text, evidence } };
}

/** What moved no earlier than the alert's value may be as much of an effect. */
function beganBefore(of: ChangeOutcome['of'], { ranking }: MetricFacts): boolean {
  if (of.kind === 'gone' || ranking === null) return true;
  const { onsetMs, isAfterOwn } = of.series;
  return onsetMs !== null && onsetMs <= -ranking.grid.stepMs && !isAfterOwn;
}

/**
 * By what its test returned once the alert had ended. Where that still supports it, nothing
 * follows: one failure that is left may be as typical as all of those before.
 */
function heldByTest({ tested }: Explained, metrics: MetricFacts): Held {
  const { answersAtEnd, own, recovery, source } = metrics;
  const again = answersAtEnd?.get(tested?.cause.id ?? '');
  const bounds = tested?.cause.test?.bounds ?? null;
  const samples = again?.samples.filter(Number.isFinite) ?? [];
  // An alert may also end because all of its data is gone, and then nothing supports anything.
  const isGone = samples.length === 0 && (own?.recoveredMs ?? null) === null;
  const isHeld = again !== undefined && again.failed === null && bounds !== null && !isGone &&
    judgeTest(bounds, samples) !== 'supported';
  const isTested = tested?.outcome === 'supported';
  const why = isTested && answersAtEnd === null ? 'it is too early after the end'
    : again === undefined ? 'it rests on no series that could have moved back'
      : 'its test does not tell';
  const text = isHeld
    ? `The explanation held: after the end its test query returned ${returnedText(again, samples)}.`
    : `Whether the explanation held is unknown: ${why}.`;
  const evidence = [again?.evidence ?? recovery?.evidence ?? source.evidence];
  return { held: isHeld || null, why: { text, evidence } };
}

/** The outcomes of the series that its statements cite, or of the component that is gone. */
function restsOn(
  { for: supports, suspect, lone }: Explained,
  outcomes: readonly ChangeOutcome[],
): ChangeOutcome[] {
  const cited = new Set(supports.flatMap(({ evidence }) => evidence));
  const series = outcomes.filter(({ of }) => of.kind === 'series' && cited.has(of.item ?? ''));
  if (series.length > 0) return series;
  const parts = new Set(lone?.parts.map(({ candidate }) => candidate.id));
  const ofParts = outcomes.filter(({ of }) =>
    of.kind === 'series' && parts.has(of.series.candidate.id));
  if (ofParts.length > 0) return ofParts;
  return outcomes.filter(({ of }) =>
    of.kind === 'gone' && of.component === suspect?.component.component);
}

/** From when on (ms) what comes back does so together with the alert's value. */
function earliestWith({ evidence }: Judged, { own, window }: MetricFacts): number {
  const recovered = own?.recoveredMs ?? evidence.history.current.end ?? 0;
  // The rule's range still covers the past, which keeps the alert firing for that long.
  return recovered - (window.onMs - window.splitMs + withinMs);
}
