/** How bad it is, in one line. */
import { parseTime } from '../alert/timestamp.ts';
import { formatQuantity } from '../lib/quantity.ts';
import { readSeries } from './charts/read-series.ts';
import { mediansAround } from './charts/series-words.ts';
import { extentText } from './extent-text.ts';
import type { ImpactExtent } from './impact-extent.ts';
import type { HopFault } from './path.ts';
import { faultText } from './path-text.ts';
import { counted } from './plain-text.ts';
import type { Report } from './report.ts';

/** Most parts of the line; those that follow are told further down. */
const partsMax = 3;
/** More faults of one thing than this say the same twice. */
const faultsMax = 2;

/**
 * `188 of 1000 requests per second, requests take 3 s, before 10.4 ms`: how much is hit, in the
 * numbers of the rule and of the alert's own thing, else its value beside the usual one; then how
 * many of its kind are affected, which is all that is told of an alert that has ended. Where
 * nothing is measured, what such alerts lead to; null where that is not known either.
 */
export function impactText(report: Report): string | null {
  const { leads_to: known = null } = report.impact;
  const isOver = report.episode.ends_at !== null;
  const measured = isOver ? [] : measuredParts(report);
  const own = measured.length > 0 || isOver ? measured : valueParts(report);
  const parts = [...own, ...reach(report)];
  if (parts.length > 0) return parts.slice(0, partsMax).join(', ');
  if (known === null || isOver) return null;
  return `${known.is_usual ? 'usually: ' : ''}${known.text} How much is not measured.`;
}

/** Kinds of faults that tell the same as an extent. */
const alike: Readonly<Partial<Record<ImpactExtent['kind'], HopFault['kind']>>> = {
  share: 'fails', used: 'full', waiting: 'waiting',
};

/** Faults that are a state: they say what is wrong, but not how much. */
const states: ReadonlySet<HopFault['kind']> = new Set([
  'down', 'alarm', 'link_down', 'no_consumer', 'no_server',
]);

/** What the rule counts, and what fails in the alert's own thing by that thing's own measure. */
function measuredParts({ path = null, impact: { extent } }: Report): string[] {
  const faults = (path?.hops[0]?.faults ?? []).filter(({ kind, seen_by: by, until }) =>
    by === 'itself' && until === null && !states.has(kind));
  const isTold = ({ kind }: HopFault): boolean =>
    extent !== undefined && alike[extent.kind] === kind;
  // What is used up has a name there.
  const isNamed = extent?.kind === 'used' && faults.some(isTold);
  const others = isNamed ? faults : faults.filter((fault) => !isTold(fault));
  // The rule may look at a longer time.
  const shown = others.slice(0, faultsMax).map((fault, index) =>
    `${index === 0 && fault.kind === 'fails' ? 'now ' : ''}${faultText(fault)}`);
  return extent === undefined || isNamed ? shown : [extentText(extent), ...shown];
}

/** A number of at most this may be a state. */
const stateMax = 1;

function valueParts(report: Report): string[] {
  const { value_now: now, value_at_fire: atFire, yesterday, unit } = report.reality;
  const value = now ?? atFire;
  const before = valueBefore(report) ?? yesterday;
  if (value === null || before === null) return [];
  const isState = (unit === null || unit === 'count') &&
    Math.max(Math.abs(value), Math.abs(before)) <= stateMax;
  const [is, was] = [value, before].map((each) => formatQuantity(each, unit));
  // Less than no bytes is a forecast.
  const isForecast = unit === 'bytes' && value < 0;
  return isState || isForecast || is === was ? [] : [`${is} now, ${was} before`];
}

/** The median of the alert's own series before the problem; null where it is not known. */
function valueBefore({ reality, evidence, episode }: Report): number | null {
  for (const id of reality.evidence) {
    const item = evidence.find((each) => each.id === id);
    const series = item === undefined ? null : readSeries(item);
    if (series === null || series.points.length === 0) continue;
    const splitMs = series.onsetMs ?? series.splitMs ?? parseTime(episode.starts_at);
    return mediansAround(series.points, splitMs).before;
  }
  return null;
}

/** How much is affected, where it is more than what the alert itself names. */
function reach({ impact }: Report): string[] {
  const { firing_same: same, targets_up: up, targets_total: total } = impact;
  return [
    ...(up !== null && total !== null && up < total
      ? [`${up} of ${counted(total, 'target')} up`] : []),
    ...(same !== null && same > 1 ? [`${same} alerts of this name`] : []),
  ];
}
