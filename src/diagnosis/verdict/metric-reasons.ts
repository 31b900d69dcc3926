import type { MetricFacts } from '../../evidence/metric-facts.ts';
import { groupBy } from '../../lib/group-by.ts';
import { isEstablished } from '../../report/certainty.ts';
import type { Hypothesis, Statement } from '../../report/report.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { formatOnset } from '../../report/time-text.ts';
import { componentName } from '../changes/change-words.ts';
import { isAround } from '../changes/event-closeness.ts';
import { longBeforeMs } from '../changes/moved-series.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { valueDoubts } from '../own-value.ts';

const faultsMax = 5;
const shortlistMax = 3;
/** With fewer points than this since the problem began, little can be compared. */
const pointsMin = 3;

/** What the metric source adds to the certainty of the first cause. */
export function metricRaising(
  { evidence, reason }: Judged,
  [first]: readonly Hypothesis[],
): readonly Statement[] {
  if (evidence.metrics === null || first === undefined) return [];
  // A first cause that is less certain is not raised by its own support.
  if (!isEstablished(first)) return [];
  // The proof is a reason of its own.
  return first.for.filter((statement) => statement !== reason?.statement);
}

/** What the metric source leaves open; each missing part is named. */
export function metricLowering(judged: Judged, [first]: readonly Hypothesis[]): Statement[] {
  const { metrics } = judged.evidence;
  if (metrics === null) return [];
  return [
    ...sourceLowering(metrics),
    ...ruleLowering(metrics),
    ...valueDoubts(judged),
    ...scrapeLowering(metrics),
    ...searchLowering(metrics),
    // The verdict does not name an inconclusive cause, so these stand with the explanation alone.
    ...(first?.certainty === 'inconclusive' ? [] : (first?.against ?? [])),
    ...causeLowering(judged, metrics, first),
  ];
}

/** What is missing for the same reason shares a statement. */
function sourceLowering({ source }: MetricFacts): Statement[] {
  return Array.from(groupBy(source.failures, ({ why }) => why), ([why, faults]) => {
    const missing = faults.map(({ what }) => shownClause(what, 200)).join('; ');
    const text = `Missing: ${missing}. ${shownClause(why, 200)}.`;
    return { text, evidence: [source.evidence] };
  }).slice(0, faultsMax);
}

function ruleLowering({ rule }: MetricFacts): Statement[] {
  return rule === null ? [] : citing([rule.evidence],
    rule.problem !== null && `The rule has a problem: ${shownClause(rule.problem, 300)}.`);
}

function scrapeLowering({ scrape }: MetricFacts): Statement[] {
  if (scrape === null) return [];
  const { isStale, gaps, evidence } = scrape;
  if (isStale) return citing(evidence, "The rule's series is gone.");
  return citing(evidence, gaps.length > 0 && 'Its data has gaps.');
}

function searchLowering({ ranking, window, source }: MetricFacts): Statement[] {
  if (ranking === null) {
    return citing([source.evidence],
      source.state !== 'failed' && 'What moved before the alert could not be determined.');
  }
  const points = (window.toMs - window.splitMs) / (1000 * window.stepSeconds);
  return citing([ranking.evidence],
    ranking.isTruncated && `Not all series of ${shownText(ranking.searched, 120)} were compared.`,
    points < pointsMin && 'Only a few values since the problem began are known so far.');
}

/** Why no cause is established, and between which components it lies. */
function causeLowering(
  judged: Judged,
  facts: MetricFacts,
  first: Hypothesis | undefined,
): Statement[] {
  if (facts.ranking === null || first?.certainty === 'confirmed') return [];
  const { evidence } = facts.ranking;
  const outliers = judged.outliers.filter(({ best }) =>
    (best?.onsetMs ?? 0) >= -longBeforeMs || best?.isOnTheMove === true);
  if (outliers.length === 0) return [nothingStandsOut(judged, evidence, first)];
  if (first !== undefined && isEstablished(first)) return [];
  const names = outliers.slice(0, shortlistMax)
    .map(({ component }) => componentName(component.component));
  return citing([evidence],
    `The evidence does not establish a cause; what moved most: ${names.join(', ')}.`);
}

/**
 * Says that no component stands out. Something may have happened all the same: the alert's own
 * component moved as its callers see it, or something was done or ended at that time.
 */
function nothingStandsOut(
  { changes }: Judged,
  evidence: string,
  first: Hypothesis | undefined,
): Statement {
  const citedIds = new Set(first?.for.flatMap(({ evidence: cited }) => cited));
  const notable = changes.filter(({ strength }) => strength !== 'weak');
  const [event] = notable
    .filter(({ evidence: cited }) => !cited.some((id) => citedIds.has(id)))
    .flatMap(({ kind, title, onset_seconds: onset, evidence: [cited = evidence] }) =>
      kind === 'series' || onset === null || !isAround(onset) ? [] : [{ title, onset, cited }])
    .sort((a, b) => Math.abs(a.onset) - Math.abs(b.onset));
  const isSome = (isNear: boolean): boolean => notable.some(({ kind, onset_seconds: onset }) =>
    kind === 'series' && (1000 * (onset ?? 0) >= -longBeforeMs) === isNear);
  const what = isSome(true) ? "Only the alert's own symptoms stand out"
    : isSome(false) ? 'Nothing near it moved when it began'
      : 'None of the series compared stands out';
  if (event === undefined) return { text: `${what}.`, evidence: [evidence] };
  const title = event.title.replace(/^(?:The|A) /u, (article) => article.toLowerCase());
  const text = `${what}, but ${title}, ${formatOnset(event.onset)}.`;
  return { text, evidence: [event.cited] };
}
