import { isSeriesMissing } from '../alert/alert.ts';
import { labelOf, noLabels } from '../alert/labels.ts';
import type { OwnSeries, ScrapeFacts } from '../evidence/metric-facts.ts';
import { isOfStock } from '../evidence/rule/exhaustion.ts';
import { allParts, parsePromql } from '../lib/promql/promql-tree.ts';
import type { Classification } from '../report/report.ts';
import { holds, isDecidedByValue, marginMin, ownOf } from './own-value.ts';
import { isOnTargets } from './scraped-targets.ts';
import type { Situation } from './situation.ts';

/**
 * How an episode that is over came to its end, as far as Prometheus shows it.
 *
 * - `recovered`: the value came back, or nothing says otherwise.
 * - `unseen`: Prometheus was asked, but its answer does not show the value at the end.
 * - `limit_gone`: the series that the value is compared with ended.
 * - `rule_changed`: its value has never been beyond the threshold that the rule has now.
 * - `target_gone`: its target, which was down, is no longer scraped.
 * - `series_gone`: the rule's series ended while it was beyond the threshold.
 * - `still_down`: all of the targets that it is about are still down.
 * - `still_over`: the rule still holds for the value.
 * - `restarted`: its process restarted, until which its memory had grown.
 * - `level_off`: its window has passed a change, and the level is still what it changed to.
 */
export type Ending =
  | 'recovered' | 'unseen' | 'limit_gone' | 'rule_changed' | 'target_gone' | 'series_gone'
  | 'still_down' | 'still_over' | 'restarted' | 'level_off';

/** The wording of an ending. */
interface EndingWords {
  /** The classification of the alert by its end alone. */
  readonly as: Classification;
  readonly verb: 'Recovered' | 'Resolved' | 'Ended';
  /** Why it ended, where it is not known to have recovered. */
  readonly why: string | null;
}

/** An alert that ended because its data did has not recovered. */
export const endings: Readonly<Record<Ending, EndingWords>> = {
  recovered: { as: 'recovered', verb: 'Recovered', why: null },
  unseen: { as: 'recovered', verb: 'Resolved', why: null },
  limit_gone: { as: 'inconclusive', verb: 'Ended', why: 'because its threshold disappeared' },
  rule_changed: { as: 'inconclusive', verb: 'Ended', why: 'because its rule was changed' },
  target_gone: {
    as: 'data_problem', verb: 'Ended',
    why: 'because its target, which was down, is no longer scraped',
  },
  series_gone: { as: 'data_problem', verb: 'Ended', why: 'because its series ended' },
  still_down: { as: 'inconclusive', verb: 'Ended', why: 'although its target is still down' },
  still_over: {
    as: 'inconclusive', verb: 'Ended', why: 'although its value was still beyond its threshold',
  },
  restarted: {
    as: 'actionable', verb: 'Ended',
    why: 'by falling back at once, as a process does that restarts: it may grow again',
  },
  level_off: {
    as: 'actionable', verb: 'Ended',
    why: 'because the rule looks at a change, which is over, and not at the level',
  },
};

/** Whether an alert has ended, and what it is about goes on. */
export function goesOn({ ending }: { readonly ending: Ending | null }): boolean {
  return ending !== null && endings[ending].as === 'actionable';
}

/** For an episode that is over; the first that fits. */
export function endingOf(situation: Situation): Ending {
  const own = ownOf(situation);
  const scrape = situation.evidence.metrics?.scrape ?? nothingScraped;
  const isDown = scrape.outages.some(({ toMs }) => toMs === null);
  if (own?.limit?.isGoneAtEnd === true) return 'limit_gone';
  if (own !== null && isRuleChanged(own, situation)) return 'rule_changed';
  if (isDown && scrape.total === 0) return 'target_gone';
  if (isSeriesMissing(situation.caseFile.alert)) return 'series_gone';
  const isCutOff = own !== null && own.cutOffValue !== null;
  if (isCutOff && !isNothingLeft(situation, scrape)) return 'series_gone';
  if (isDown && scrape.up === 0 && isOnTargets(situation)) return 'still_down';
  if (own !== null && isStillOver(own, situation)) return 'still_over';
  if (own !== null && isLevelOff(own, situation)) return 'level_off';
  if (isBackByRestart(situation)) return 'restarted';
  return isUnseen(situation) ? 'unseen' : 'recovered';
}

/** Before an alert begins, by what its rule waits. */
const restartedMs = 5 * 60_000;

/** The memory of one process, which no process gives back at once while it runs. */
const ofProcess = /resident_memory|working_set|(?:^|_)(?:heap|rss)(?:_|$)/u;
/** What is left of a growth after a restart, at most. */
const leftMax = 0.3;

/**
 * A process whose memory had grown restarted during the alert, which is about its memory. Where the
 * restart itself is not seen yet, the memory shows it.
 */
export function isBackByRestart(situation: Situation): boolean {
  const { evidence: { metrics, history, rule } } = situation;
  const own = ownOf(situation);
  const growth = own?.growth ?? null;
  const last = own?.valueNow ?? own?.valueAtEnd ?? null;
  if (growth !== null && last !== null && rule?.metrics.every((name) => ofProcess.test(name))) {
    const { foot, top } = growth;
    const way = top.value - foot.value;
    // A value that is low while the alert fires, and grows, is on its way again.
    if (way > 0 && (last >= top.value || last - foot.value < leftMax * way)) return true;
  }
  // Restarts of several instances are one event, that of the first: so only the job is compared.
  const job = labelOf(metrics?.place?.target ?? noLabels, 'job');
  return job !== null && isOfStock(rule?.metrics ?? []) &&
    metrics?.events.some(({ memory, atMs, labels }) => memory !== undefined &&
      labelOf(labels, 'job') === job &&
      atMs >= history.current.start - restartedMs) === true;
}

type Targets = Pick<ScrapeFacts, 'up' | 'total' | 'outages'>;

const nothingScraped: Targets = { up: 0, total: 0, outages: [] };

/** Neither when it fired nor later was its value beyond the threshold that the rule has now. */
function isRuleChanged(own: OwnSeries, situation: Situation): boolean {
  const { threshold } = situation.evidence.measurement;
  if (own.limit !== null || threshold === null || !isDecidedByValue(situation)) return false;
  const known = [own.valueAtFire, own.worst].filter((value) => value !== null);
  // The other one of a pair of servers may have measured a little more.
  return own.valueAtFire !== null && known.every((value) => holds(value, situation) === false &&
    Math.abs(value - threshold) > marginMin * Math.abs(threshold));
}

/**
 * The rule looks at what matches a condition, as `count(up == 0)` does: without a match it has no
 * series, which is good news as long as its targets answer.
 */
function isNothingLeft(
  { evidence: { rule } }: Situation,
  { up, total, outages }: Targets,
): boolean {
  const tree = parsePromql(rule?.comparison?.compared ?? '');
  const isFiltered = tree !== null && allParts(tree).some((part) =>
    part.kind === 'binary' && !part.isBool && filtering.has(part.operator));
  // Targets that are listed no longer have no `up` to count.
  const isThere = rule?.metrics.includes('up') === true ? total > 0 && up === total
    : outages.every(({ toMs }) => toMs !== null);
  return isFiltered && isThere;
}

const filtering: ReadonlySet<string> = new Set([
  '==', '!=', '>', '>=', '<', '<=', 'and', 'unless',
]);

function isStillOver(own: OwnSeries, situation: Situation): boolean {
  return own.recoveredMs === null && isDecidedByValue(situation) &&
    holds(own.valueAtEnd, situation) === true && holds(own.valueNow, situation) === true;
}

/** What is counted, such as replicas, is still fewer or more than before the change. */
function isLevelOff({ level }: OwnSeries, { evidence: { measurement } }: Situation): boolean {
  if (level === null || !Number.isInteger(level.before + level.now)) return false;
  return measurement.operator?.startsWith('<') === true ? level.now < level.before
    : level.now > level.before;
}

function isUnseen({ evidence: { metrics } }: Situation): boolean {
  if (metrics === null) return false;
  const { own, source } = metrics;
  const hasValue = own !== null &&
    [own.valueAtEnd, own.valueNow, own.recoveredMs].some((each) => each !== null);
  return !hasValue && (source.state === 'failed' || source.failures.length > 0);
}
