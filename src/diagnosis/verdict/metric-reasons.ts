import type { MetricFacts } from '../../evidence/metric-facts.ts';
import type { Hypothesis, Reason } from '../../report/report.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { whenText } from '../causes/component-statements.ts';
import { proofOf } from '../causes/proof.ts';
import { testedCauses } from '../causes/tested-causes.ts';
import { componentName } from '../changes/change-words.ts';
import { changesOf } from '../changes/changes.ts';
import { isAround } from '../changes/event-closeness.ts';
import { standingComponents } from '../changes/ranked-line.ts';
import { isBackWithin, isBarelyOver, isUsualNow } from '../own-value.ts';
import type { Situation } from '../situation.ts';

const faultsMax = 5;
const shortlistMax = 3;
/** With fewer points than this between the beginning and now little can be compared. */
const pointsMin = 3;

/** What the metric source adds to the certainty of the first cause. */
export function metricRaising(situation: Situation, [first]: readonly Hypothesis[]): Reason[] {
  const { metrics } = situation.evidence;
  if (metrics === null || first === undefined) return [];
  // What speaks for the first cause is why it is as certain as it is.
  if (first.certainty !== 'likely' && first.certainty !== 'confirmed') return [];
  // The proof is told as a reason of its own.
  const proof = proofOf(situation);
  return first.for
    .filter(({ text }) => proof === null || text !== proof.statement.text)
    .map((statement) => ({ ...statement, effect: 'raises' as const }));
}

/** What the metric source leaves open, each part that is missing by its name. */
export function metricLowering(
  situation: Situation,
  hypotheses: readonly Hypothesis[],
): Reason[] {
  const { metrics } = situation.evidence;
  if (metrics === null) return [];
  return [
    ...sourceLowering(metrics),
    ...valueLowering(situation, metrics),
    ...searchLowering(metrics),
    ...causeLowering(situation, metrics, hypotheses),
  ];
}

function sourceLowering({ source }: MetricFacts): Reason[] {
  return source.failures.slice(0, faultsMax).map(({ what, why, evidence: id }) =>
    lowers(`Missing: ${shownClause(what, 200)}. ${shownClause(why, 200)}.`, id));
}

function valueLowering(situation: Situation, { own, scrape, source }: MetricFacts): Reason[] {
  const cited = [...(own?.evidence ?? [source.evidence])];
  const reasons: Reason[] = [];
  const say = (text: string, ids: readonly string[] = cited): void => {
    reasons.push({ text, effect: 'lowers', evidence: ids });
  };
  if (isBackWithin(situation)) {
    say('The value is back within its threshold; the alert still fires.');
  }
  if (isBarelyOver(situation)) say('The value was never more than 2 % beyond its threshold.');
  if (isUsualNow(situation)) {
    say('It was beyond its threshold at this hour yesterday and last week, too.');
  }
  if (scrape?.isStale === true) say("The rule's series is gone.", scrape.evidence);
  else if ((scrape?.gaps.length ?? 0) > 0) say('Its data has gaps.', scrape?.evidence ?? cited);
  return reasons;
}

function searchLowering({ ranking, window, source }: MetricFacts): Reason[] {
  const reasons: Reason[] = [];
  if (ranking === null) {
    if (source.state === 'failed') return [];
    return [lowers('What moved before the alert could not be compared.', source.evidence)];
  }
  if (ranking.isTruncated) {
    const where = shownText(ranking.searched, 120);
    reasons.push(lowers(`Not all series of ${where} were compared.`, ranking.evidence));
  }
  const points = (window.toMs - window.splitMs) / (1000 * window.stepSeconds);
  if (points < pointsMin) {
    const text = 'Few points after the beginning are known yet; the next look tells more.';
    reasons.push(lowers(text, ranking.evidence));
  }
  return reasons;
}

/** Why no cause is established, and between what it lies. */
function causeLowering(
  situation: Situation,
  facts: MetricFacts,
  [first]: readonly Hypothesis[],
): Reason[] {
  const reasons: Reason[] = (first?.against ?? []).map((statement) => {
    return { ...statement, effect: 'lowers' as const };
  });
  const undecided = testedCauses(situation).filter(({ outcome }) => outcome === 'undecided');
  if (undecided.length > 0 && first?.certainty !== 'confirmed') {
    const count = undecided.length === 1 ? 'One test' : `${undecided.length} tests`;
    const cited = undecided.flatMap(({ statement }) => statement?.evidence ?? []);
    const text = `${count} of known causes decided nothing.`;
    reasons.push({ text, effect: 'lowers', evidence: [...new Set(cited)] });
  }
  if (facts.ranking === null) return reasons;
  const { evidence } = facts.ranking;
  const standing = standingComponents(facts, facts.ranking);
  if (standing.length === 0) {
    if (first?.certainty !== 'confirmed') {
      reasons.push(nothingStands(situation, evidence, first));
    }
  } else if (first?.certainty === 'possible' || first?.certainty === 'inconclusive') {
    const names = standing.slice(0, shortlistMax)
      .map(({ component }) => componentName(component.component));
    reasons.push(lowers(`The evidence does not carry a cause; moved most: ${names.join(', ')}.`,
      evidence));
  }
  return reasons;
}

/**
 * That no component stands out, which does not mean that nothing happened: what its callers see of
 * the alert's own component moved, or something was done or ended just then.
 */
function nothingStands(
  situation: Situation,
  evidence: string,
  first: Hypothesis | undefined,
): Reason {
  const told = new Set(first?.for.flatMap(({ evidence: cited }) => cited));
  const notable = changesOf(situation).filter(({ strength }) => strength !== 'weak');
  const [event] = notable
    .filter(({ evidence: cited }) => !cited.some((id) => told.has(id)))
    .flatMap(({ kind, title, onset_seconds: onset, evidence: [cited = evidence] }) =>
      kind === 'series' || onset === null || !isAround(onset) ? [] : [{ title, onset, cited }])
    .sort((a, b) => Math.abs(a.onset) - Math.abs(b.onset));
  const what = notable.some(({ kind }) => kind === 'series')
    ? "Nothing but the alert's own symptoms stands out" : 'No value that was compared stands out';
  if (event === undefined) return lowers(`${what}.`, evidence);
  return lowers(`${what}, but ${event.title}, ${whenText(event.onset * 1000)}.`, event.cited);
}

function lowers(text: string, id: string): Reason {
  return { text, effect: 'lowers', evidence: [id] };
}
