import type { ImpactExtent } from '../report/impact-extent.ts';
import { isoTime } from '../report/time-text.ts';
import { classifyMetric } from '../statistics/names/metric-class.ts';
import { isWithinNow, ownOf, trendNow } from './own-value.ts';
import { isOnTargets } from './scraped-targets.ts';
import { isResolved, type Situation } from './situation.ts';

/** With fewer events in the rule's range, their number says more than how many a second. */
const countedBelow = 100;

/**
 * How much is hit, computed from what the rule itself reads: the part of all events, of a limit, of
 * the targets, or how much waits. Null where the rule does not tell, and once the alert is over.
 */
export function extentOf(situation: Situation): ImpactExtent | null {
  if (isResolved(situation) || isWithinNow(situation)) return null;
  return shareExtent(situation) ?? limitExtent(situation) ?? targetExtent(situation) ??
    waitingExtent(situation);
}

const steady = { pace: null, ends_at: null } as const;

function shareExtent({ evidence: { metrics, measurement, rule } }: Situation): ImpactExtent | null {
  const { whole = null, own = null } = metrics ?? {};
  if (whole === null || own === null || own.valueAtFire === null) return null;
  const { unit, operator } = measurement;
  const value = own.valueAtFire / (unit === 'ratio' ? 1 : unit === 'percent' ? 100 : Number.NaN);
  if (!(value >= 0 && value <= 1) || operator === null || rule === null) return null;
  // A rule on too few counts those that went well.
  const share = operator.startsWith('<') ? 1 - value : value;
  const inRange = whole.isRate ? whole.atFire * whole.rangeSeconds : whole.atFire;
  const isRate = whole.isRate && inRange >= countedBelow;
  const of = isRate ? whole.atFire : Math.round(inRange);
  if (of <= 0) return null;
  const part = isRate ? share * of : Math.round(share * inRange);
  return {
    kind: 'share', part, of, is_rate: isRate, unit: null, what: whole.counted, ...steady,
    as_of: 'fire',
  };
}

/** A value against a limit that is a series itself: connections of those that are allowed. */
function limitExtent(situation: Situation): ImpactExtent | null {
  const { measurement } = situation.evidence;
  const own = ownOf(situation);
  const [used, limit] = [own?.valueNow ?? null, own?.limit?.now ?? null];
  const { operator, counted, unit } = measurement;
  if (used === null || limit === null || operator?.startsWith('>') !== true) return null;
  // Beyond it, the limit is no more than a threshold: a part of what is allowed.
  if (!(used >= 0 && limit > 0 && used <= limit) || counted !== null) return null;
  return {
    kind: 'used', part: used, of: limit, is_rate: false, unit, what: null,
    ...steady, ends_at: endOf(situation), as_of: 'now',
  };
}

function targetExtent(situation: Situation): ImpactExtent | null {
  const scrape = situation.evidence.metrics?.scrape ?? null;
  if (scrape === null || !isOnTargets(situation) || scrape.total < 2) return null;
  if (scrape.up >= scrape.total) return null;
  return {
    kind: 'left', part: scrape.up, of: scrape.total, is_rate: false, unit: null, what: 'targets',
    ...steady, as_of: 'now',
  };
}

/** Names of metrics of what waits for its turn. */
const ofBacklog =
  /(?:^|_)(?:lag|backlog|queue|queued|pending|waiting|unacked|messages_ready)(?:_|$)/u;

function waitingExtent(situation: Situation): ImpactExtent | null {
  const { rule, measurement: { operator, unit } } = situation.evidence;
  const own = ownOf(situation);
  const part = own?.valueNow ?? null;
  if (rule === null || part === null || operator?.startsWith('>') !== true) return null;
  const [metric, ...others] = rule.metrics;
  if (metric === undefined || others.length > 0 || !ofBacklog.test(metric)) return null;
  const { kind, unit: known } = classifyMetric(metric);
  const isAmount = rule.functions.every((name) => levels.has(name)) && kind === 'gauge' &&
    (known === null || known === 'count') && (unit === null || unit === 'count');
  return !isAmount ? null : {
    kind: 'waiting', part, of: null, is_rate: false, unit: null, what: null,
    pace: paceOf(situation), ends_at: null, as_of: 'now',
  };
}

/** Functions after which an amount is still that amount. */
const levels: ReadonlySet<string> = new Set([
  'sum', 'max', 'min', 'avg', 'abs', 'ceil', 'floor', 'round', 'last_over_time', 'avg_over_time',
  'max_over_time', 'min_over_time',
]);

/** How much it grew per second, where it still does. */
function paceOf(situation: Situation): number | null {
  const growth = ownOf(situation)?.growth ?? null;
  if (growth === null || trendNow(situation) === 'falling') return null;
  const seconds = (growth.top.atMs - growth.foot.atMs) / 1000;
  const pace = seconds <= 0 ? 0 : (growth.top.value - growth.foot.value) / seconds;
  return pace === 0 ? null : pace;
}

function endOf(situation: Situation): string | null {
  const atMs = ownOf(situation)?.exhaustion?.atMs ?? null;
  return atMs === null ? null : isoTime(atMs);
}
