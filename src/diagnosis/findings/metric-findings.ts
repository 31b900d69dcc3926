import { alertNameOf } from '../../alert/alert.ts';
import { exhaustionText } from '../../evidence/exhaustion-text.ts';
import type { MetricFacts, OwnSeries } from '../../evidence/metric-facts.ts';
import { isSameExpression } from '../../evidence/metrics/rule-lookup.ts';
import { formatDuration, formatQuantity } from '../../lib/quantity.ts';
import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import { endings } from '../ending.ts';
import { heldTimeText } from '../held-time.ts';
import type { Judged } from '../judged.ts';
import { isMovedByClock, isOverNow, isStateRule, ruleWords } from '../own-value.ts';
import { scrapedTexts } from '../scraped-targets.ts';
import type { Situation } from '../situation.ts';
import { insideText } from './inside-text.ts';
import { shareText } from './share-text.ts';

const gapsMax = 3;

/** What the metric source measured, each fact with the items it follows from. */
export function metricFindings(situation: Judged): Statement[] {
  const { metrics } = situation.evidence;
  if (metrics === null) return [];
  const { inside } = metrics;
  return [
    ...valueFindings(situation, metrics),
    ...shareFindings(situation, metrics),
    ...pendingFindings(metrics),
    ...(inside === null ? [] : citing([inside.evidence],
      insideText(inside, situation.evidence.measurement.unit))),
    ...peerFindings(situation, metrics),
    ...scrapeFindings(situation, metrics),
    ...rankingFindings(metrics),
  ];
}

function shareFindings(situation: Situation, { own, whole }: MetricFacts): Statement[] {
  if (own === null || whole === null) return [];
  const { unit } = situation.evidence.measurement;
  return citing([...own.evidence.slice(0, 1), whole.evidence],
    shareText(whole, { value: own.valueAtFire, unit }));
}

function valueFindings(situation: Judged, { own }: MetricFacts): Statement[] {
  if (own === null) return [];
  const { unit } = situation.evidence.measurement;
  const { overSinceMs, recoveredMs, worst, exhaustion } = own;
  const at = (ms: number): string => utcText(ms, situation.now);
  const shown = (value: number): string => formatQuantity(value, unit);
  const words = ruleWords(situation);
  const over = isStateRule(situation) ? 'It has matched its rule' : 'Beyond its threshold';
  const known = [own.valueAtFire, own.valueNow].map((value) => value === null ? '' : shown(value));
  const isWorse = worst !== null && Number.isFinite(worst) && !known.includes(shown(worst));
  return citing(own.evidence,
    burnText(situation),
    movedLimitText(situation, own),
    overSinceMs !== null &&
      `${over} ${own.wasOverBefore ? 'since before' : 'since'} ${at(overSinceMs)}.`,
    heldTimeText(situation),
    exhaustion !== null && exhaustionText(exhaustion, unit, situation.now),
    exhaustion === null && !isMovedByClock(situation) &&
      growthText(own.growth, unit, situation.now),
    recoveredMs !== null && `The value ${words.cameBack} at ${at(recoveredMs)}.`,
    endingText(situation, own),
    own.crossedMs.length > 1 &&
      `The value ${words.crossed} ${own.crossedMs.length} times in the window examined.`,
    isWorse && `At its worst, the value was ${shown(worst)}.`);
}

/** Why the alert ended; null where it recovered. */
/** `It has grown since 20:16 UTC, by 2.9 MB/s: from 52 MB to 251 MB.` */
function growthText(growth: OwnSeries['growth'], unit: string | null, now: number): string | null {
  if (growth === null) return null;
  const { foot, top } = growth;
  const shown = (value: number): string => formatQuantity(value, unit);
  const moved = Math.abs(top.value - foot.value);
  const pace = shown(moved / Math.max(1, (top.atMs - foot.atMs) / 1000));
  const did = top.value < foot.value ? 'fell' : 'grew';
  return `It ${did} from ${utcText(foot.atMs, now)} on, by ${pace} per second: ` +
    `from ${shown(foot.value)} to ${shown(top.value)}.`;
}

function endingText(judged: Judged, own: OwnSeries): string | null {
  const why = judged.ending === null ? null : endings[judged.ending].why;
  return why && `The alert ended ${why}${endingDetail(judged, own)}.`;
}

function endingDetail(
  { ending, evidence: { measurement, metrics, rule } }: Judged,
  { cutOffValue }: OwnSeries,
): string {
  if (ending === 'rule_changed') {
    return ': its value has never been beyond the threshold that the rule has now';
  }
  // Where the value is the number wanted, the last one says nothing.
  if (ending === 'series_gone' && cutOffValue !== null && measurement.counted === null) {
    const last = formatQuantity(cutOffValue, measurement.unit);
    return `; its last value was ${last}, beyond the threshold`;
  }
  if (ending !== 'still_over' || metrics === null) return '';
  if (metrics.rule === null) {
    return metrics.isRuleUnlisted ? ': the server lists no rule of this name any more' : '';
  }
  const isEdited = rule !== null && !isSameExpression(rule.expression, metrics.rule.expression);
  return isEdited ? ': the rule has been changed since' : '';
}

/** A value that moved by less than this share of what its limit did hardly moved. */
const valueShareMax = 0.2;

/** Says when the limit moved and the value hardly did, so that nobody looks for what raised it. */
function movedLimitText(
  { evidence: { measurement } }: Situation,
  { limit, valueAtFire }: OwnSeries,
): string | null {
  if (limit === null || limit.before === null || measurement.counted !== null) return null;
  const { before, atFire } = limit;
  if (atFire === null || valueAtFire === null) return null;
  const way = Math.abs(atFire - before.limit);
  const [from, to] = [before.limit, atFire].map((each) => formatQuantity(each, measurement.unit));
  if (from === to || Math.abs(valueAtFire - before.value) > valueShareMax * way) return null;
  const verb = atFire > before.limit ? 'rose' : 'fell';
  return `Its threshold ${verb} from ${from} to ${to}, while the value hardly moved.`;
}

/** A product of two numbers. Each number is tried from its beginning alone, to stay linear. */
const product = /(?<![\d.])(\d+(?:\.\d+)?|\.\d+)\s*\*\s*(\d+(?:\.\d+)?|\.\d+)/gu;

/**
 * The current burn rate, where the threshold is written as burn rate times error budget, such as
 * `14.4 * 0.001`. Null for a rule that is not about errors or not written like this.
 */
function burnText({ caseFile, evidence: { rule, measurement } }: Situation): string | null {
  const { value, threshold, unit, operator } = measurement;
  if (rule === null || value === null || threshold === null || unit !== 'ratio') return null;
  const about = `${alertNameOf(caseFile.alert.labels)} ${rule.metrics.join(' ')}`;
  if (!/burn|slo|budget|error/iu.test(about) || operator?.startsWith('>') !== true) return null;
  for (const [, a, b] of rule.expression.matchAll(product)) {
    const [budget = 0, rate = 0] = [Number(a), Number(b)].sort((one, other) => one - other);
    const isIt = Math.abs(budget * rate / threshold - 1) < 1e-9;
    if (!isIt || budget <= 0 || budget > 0.1 || rate < 1) continue;
    return `The error budget burns at ${formatQuantity(value / budget, null)}× the sustainable ` +
      `rate; the rule's threshold is ${formatQuantity(rate, null)}×.`;
  }
  return null;
}

function pendingFindings({ fired }: MetricFacts): Statement[] {
  return fired === null ? [] : citing([fired.evidence],
    fired.pendingOnly > 0 &&
      `It was pending ${counted(fired.pendingOnly, 'more time')} without firing.`);
}

function peerFindings(situation: Situation, { peers }: MetricFacts): Statement[] {
  if (peers === null || peers.total < 2) return [];
  const [was, were] = isStateRule(situation) ? ['matched it', 'matched it']
    : situation.evidence.measurement.limit === null
      ? ['was beyond the threshold', 'were beyond the threshold']
      : ['was beyond its threshold', 'were beyond theirs'];
  const { beyond, total } = peers;
  const all = total === 2 ? 'both' : `all ${total}`;
  const many = beyond === total ? all : `${beyond === 0 ? 'none' : beyond} of the ${total}`;
  const reach = beyond === 1 && isOverNow(situation)
    ? `of the ${total} series of its rule, only this one ${was}`
    : `${many} series of its rule ${beyond <= 1 ? was : were}`;
  return citing([peers.evidence], `When last checked, ${reach}.`);
}

function scrapeFindings(situation: Situation, { scrape }: MetricFacts): Statement[] {
  if (scrape === null) return [];
  const { now } = situation;
  return citing(scrape.evidence,
    ...scrapedTexts(scrape, situation),
    ...scrape.gaps.slice(0, gapsMax).map(({ fromMs, toMs }) => {
      const long = formatDuration((toMs - fromMs) / 1000);
      return `Its data has a gap of ${long} from ${utcText(fromMs, now)}.`;
    }));
}

/** How many series were compared, and how many moved against what chance alone would make. */
function rankingFindings({ ranking }: MetricFacts): Statement[] {
  if (ranking === null) return [];
  const { compared, moved, expectedByChance } = ranking.ranking;
  if (compared === 0) {
    const text = 'No series had values both before and after the problem began.';
    return citing([ranking.evidence], text);
  }
  const most = Math.round(expectedByChance);
  const chance = expectedByChance < 1 ? 'less than one is'
    : most === 1 ? 'at most one is' : `at most ${most} are`;
  return citing([ranking.evidence],
    `${moved} of ${compared} series moved; ${chance} expected by chance.`);
}
