import type { MetricFacts } from '../../evidence/metric-facts.ts';
import { groupBy } from '../../lib/group-by.ts';
import { formatOnset } from '../../report/moment.ts';
import type { Hypothesis, Reason } from '../../report/report.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { proofOf } from '../causes/proof.ts';
import { testedCauses } from '../causes/tested-causes.ts';
import { componentName } from '../changes/change-words.ts';
import { changesOf } from '../changes/changes.ts';
import { isAround } from '../changes/event-closeness.ts';
import { standingComponents } from '../changes/ranked-line.ts';
import { isBackWithin, isBarelyOver, isUsualNow, ruleWords } from '../own-value.ts';
import type { Situation } from '../situation.ts';

const faultsMax = 5;
const shortlistMax = 3;
/** With fewer points than this since the problem began, little can be compared. */
const pointsMin = 3;

/** What the metric source adds to the certainty of the first cause. */
export function metricRaising(situation: Situation, [first]: readonly Hypothesis[]): Reason[] {
  const { metrics } = situation.evidence;
  if (metrics === null || first === undefined) return [];
  // A first cause that is less certain is not raised by its own support.
  if (first.certainty !== 'likely' && first.certainty !== 'confirmed') return [];
  // The proof is a reason of its own.
  const proof = proofOf(situation);
  return first.for
    .filter(({ text }) => proof === null || text !== proof.statement.text)
    .map((statement) => ({ ...statement, effect: 'raises' as const }));
}

/** What the metric source leaves open; each missing part is named. */
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

/** What is missing for the same reason shares a statement. */
function sourceLowering({ source }: MetricFacts): Reason[] {
  return Array.from(groupBy(source.failures, ({ why }) => why), ([why, faults]): Reason => {
    const missing = faults.map(({ what }) => shownClause(what, 200)).join('; ');
    const text = `Missing: ${missing}. ${shownClause(why, 200)}.`;
    return { text, effect: 'lowers', evidence: [source.evidence] };
  }).slice(0, faultsMax);
}

function valueLowering(situation: Situation, { own, scrape, source }: MetricFacts): Reason[] {
  const cited = [...(own?.evidence ?? [source.evidence])];
  const reasons: Reason[] = [];
  const say = (text: string, ids: readonly string[] = cited): void => {
    reasons.push({ text, effect: 'lowers', evidence: ids });
  };
  if (isBackWithin(situation)) {
    say(`The value ${ruleWords(situation).isBack}, but the alert is still firing.`);
  }
  if (isBarelyOver(situation)) say('The value was never more than 2 % beyond its threshold.');
  if (isUsualNow(situation)) {
    say(`The value ${ruleWords(situation).wasAlso} a day and a week before it fired.`);
  }
  if (scrape?.isStale === true) say("The rule's series is gone.", scrape.evidence);
  else if ((scrape?.gaps.length ?? 0) > 0) say('Its data has gaps.', scrape?.evidence ?? cited);
  return reasons;
}

function searchLowering({ ranking, window, source }: MetricFacts): Reason[] {
  const reasons: Reason[] = [];
  if (ranking === null) {
    if (source.state === 'failed') return [];
    return [lowers('What moved before the alert could not be determined.', source.evidence)];
  }
  if (ranking.isTruncated) {
    const where = shownText(ranking.searched, 120);
    reasons.push(lowers(`Not all series of ${where} were compared.`, ranking.evidence));
  }
  const points = (window.toMs - window.splitMs) / (1000 * window.stepSeconds);
  if (points < pointsMin) {
    const text = 'Only a few values since the problem began are known so far.';
    reasons.push(lowers(text, ranking.evidence));
  }
  return reasons;
}

/** Why no cause is established, and between which components it lies. */
function causeLowering(
  situation: Situation,
  facts: MetricFacts,
  [first]: readonly Hypothesis[],
): Reason[] {
  // Of a cause that the verdict does not name, they are told with the explanation alone.
  const against = first?.certainty === 'inconclusive' ? [] : (first?.against ?? []);
  const reasons: Reason[] = against.map((statement) => {
    return { ...statement, effect: 'lowers' as const };
  });
  const undecided = testedCauses(situation).filter(({ outcome }) => outcome === 'undecided');
  if (undecided.length > 0 && first?.certainty !== 'confirmed') {
    const [tests, were] = undecided.length === 1 ? ['One test of a known cause', 'was']
      : [`${undecided.length} tests of known causes`, 'were'];
    const cited = undecided.flatMap(({ statement }) => statement?.evidence ?? []);
    const text = `${tests} ${were} inconclusive.`;
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
    const text = `The evidence does not establish a cause; what moved most: ${names.join(', ')}.`;
    reasons.push(lowers(text, evidence));
  }
  return reasons;
}

/**
 * Says that no component stands out. Something may have happened all the same: the alert's own
 * component moved as its callers see it, or something was done or ended at that time.
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
    ? "Nothing but the alert's own symptoms stands out" : 'None of the series compared stands out';
  if (event === undefined) return lowers(`${what}.`, evidence);
  const title = event.title.replace(/^(?:The|A) /u, (article) => article.toLowerCase());
  return lowers(`${what}, but ${title}, ${formatOnset(event.onset)}.`, event.cited);
}

function lowers(text: string, id: string): Reason {
  return { text, effect: 'lowers', evidence: [id] };
}
