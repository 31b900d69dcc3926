import type { MetricFacts } from '../evidence/metric-facts.ts';
import { formatDuration, formatQuantity } from '../lib/quantity.ts';
import { counted } from '../report/plain-text.ts';
import type { Statement } from '../report/report.ts';
import { utcText } from '../report/time-text.ts';
import { firedHistory, isBackWithin, isBarelyOver, isUsualNow } from './own-value.ts';
import type { Situation } from './situation.ts';

const gapsMax = 3;

/** What the metric source measured, each fact with the items it follows from. */
export function metricFindings(situation: Situation): Statement[] {
  const { metrics } = situation.evidence;
  if (metrics === null) return [];
  return [
    ...valueFindings(situation, metrics),
    ...earlierFindings(situation, metrics),
    ...peerFindings(metrics),
    ...scrapeFindings(situation, metrics),
    ...ruleFindings(metrics),
    ...rankingFindings(metrics),
  ];
}

function valueFindings(situation: Situation, { own }: MetricFacts): Statement[] {
  if (own === null) return [];
  const { unit } = situation.evidence.measurement;
  const findings: Statement[] = [];
  const say = (text: string): void => {
    findings.push({ text, evidence: own.evidence });
  };
  const at = (ms: number): string => utcText(ms, situation.now);
  if (own.overSinceMs !== null) say(`It is beyond its limit since ${at(own.overSinceMs)}.`);
  if (isBackWithin(situation)) say('Its value is back within its limit while the alert fires.');
  if (own.recoveredMs !== null) say(`It came back within its limit ${at(own.recoveredMs)}.`);
  if (isBarelyOver(situation)) say('It was never more than 2 % beyond its limit.');
  if (own.crossings > 1) say(`It crossed its limit ${own.crossings} times in the window.`);
  const { worst } = own;
  const isTold = worst === own.valueAtFire || worst === own.valueNow;
  if (worst !== null && Number.isFinite(worst) && !isTold) {
    say(`Its worst value since the problem began is ${formatQuantity(worst, unit)}.`);
  }
  if (isUsualNow(situation)) {
    say('At this hour it was beyond its limit yesterday and last week as well.');
  }
  return findings;
}

/** `ALERTS` knows of firing that this service never heard of. */
function earlierFindings(situation: Situation, { fired }: MetricFacts): Statement[] {
  const history = firedHistory(situation);
  if (fired === null) return [];
  const findings: Statement[] = [];
  const cited = [fired.evidence];
  if (history !== null && history.intervals.length > 1) {
    const { intervals, isFlapping } = history;
    const flaps = isFlapping ? ', and it flaps' : '';
    const text = `By Prometheus it fired ${intervals.length} times in the last 7 days${flaps}.`;
    findings.push({ text, evidence: cited });
  }
  if (fired.pendingOnly > 0) {
    const times = counted(fired.pendingOnly, 'more time');
    findings.push({ text: `It was pending ${times} and did not fire.`, evidence: cited });
  }
  return findings;
}

function peerFindings({ peers }: MetricFacts): Statement[] {
  if (peers === null || peers.total < 2) return [];
  const alone = peers.beyond <= 1 ? 'Only this one' : `${peers.beyond}`;
  const text = `${alone} of the ${peers.total} series of its rule ` +
    `${peers.beyond <= 1 ? 'is' : 'are'} beyond the limit.`;
  return [{ text, evidence: [peers.evidence] }];
}

function scrapeFindings({ now }: Situation, { scrape }: MetricFacts): Statement[] {
  if (scrape === null) return [];
  const findings: Statement[] = [];
  const say = (text: string): void => {
    findings.push({ text, evidence: scrape.evidence });
  };
  if (scrape.isStale) say("The rule's own series has no sample any more.");
  if (scrape.up < scrape.total) {
    say(`${scrape.total - scrape.up} of ${counted(scrape.total, 'target')} cannot be scraped.`);
  }
  for (const { fromMs, toMs } of scrape.gaps.slice(0, gapsMax)) {
    const long = formatDuration((toMs - fromMs) / 1000);
    say(`Its data has a gap of ${long} from ${utcText(fromMs, now)}.`);
  }
  return findings;
}

function ruleFindings({ rule }: MetricFacts): Statement[] {
  if (rule === null || rule.problem === null) return [];
  const text = `The rule has a problem: ${rule.problem.slice(0, 300)}`;
  return [{ text, evidence: [rule.evidence] }];
}

/** How much was compared, and how much of what moved does so on any day. */
function rankingFindings({ ranking }: MetricFacts): Statement[] {
  if (ranking === null) return [];
  const { compared, moved, expectedByChance } = ranking.ranking;
  if (compared === 0) {
    return [{ text: 'No series was there to be compared.', evidence: [ranking.evidence] }];
  }
  const chance = expectedByChance < 1 ? 'less than one' : `about ${Math.round(expectedByChance)}`;
  const text = `${moved} of ${compared} compared series moved; ${chance} by chance.`;
  return [{ text, evidence: [ranking.evidence] }];
}
