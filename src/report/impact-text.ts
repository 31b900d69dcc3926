/** How bad it is, in one line. */
import { parseTime } from '../alert/timestamp.ts';
import { formatQuantity } from '../lib/quantity.ts';
import { readSeries } from './charts/read-series.ts';
import { mediansAround } from './charts/series-words.ts';
import { extentText } from './extent-text.ts';
import type { HopFault } from './path.ts';
import { failText, faultText } from './path-text.ts';
import { counted } from './plain-text.ts';
import type { Report } from './report.ts';
import { formatSpan } from './time-text.ts';

/** Most parts of the line; those that follow are told further down. */
const partsMax = 3;

/**
 * `3 of 40 connections left. It leads to: New connections are refused.`: how much is hit, in the
 * numbers of the rule and of the alert's own thing, else its value beside the usual one; how many
 * of its kind are affected; and where no requests are measured to suffer, what such alerts lead to.
 * Null where nothing of that is known, as of an alert that has ended without recovery.
 */
export function impactText(report: Report): string | null {
  const { episode: { starts_at: from, ends_at: to }, verdict, impact, reality } = report;
  const others = reach(report);
  if (to !== null) {
    if (others.length > 0) return others.join(', ');
    return verdict.classification === 'recovered'
      ? `none now: it lasted ${formatSpan(from, to, 0)}` : null;
  }
  const faults = lastingFaults(report);
  const parts = [...measuredParts(report, faults), ...others].slice(0, partsMax).join(', ');
  // A time that is measured speaks for itself.
  const isSuffered = (parts !== '' && reality.unit === 'seconds') ||
    faults.some(({ kind }) => kind === 'fails' || kind === 'slow');
  const known = isSuffered ? undefined : impact.leads_to;
  if (known === undefined) return parts || null;
  if (known.is_usual) return `${parts && `${parts}. `}Usually: ${known.text}`;
  return parts === '' ? known.text : `${parts}. It leads to: ${known.text}`;
}

/** Faults that are a state: they say what is wrong, but not how much. */
const states: ReadonlySet<HopFault['kind']> = new Set([
  'down', 'alarm', 'link_down', 'no_consumer', 'no_server',
]);

/** What goes on in the alert's own thing by that thing's own measure, the first of each kind. */
function lastingFaults({ path = null }: Report): readonly HopFault[] {
  return (path?.hops[0]?.faults ?? []).filter(({ kind, seen_by: by, until }, index, all) =>
    by === 'itself' && until === null && !states.has(kind) &&
    all.findIndex((each) => each.kind === kind && each.seen_by === by) === index);
}

/** Requests that fail come first; a quantity that the rule measures is told in its numbers. */
function measuredParts(report: Report, faults: readonly HopFault[]): string[] {
  const { impact: { extent }, reality: { unit } } = report;
  const of = (kind: HopFault['kind']): HopFault | undefined =>
    faults.find((fault) => fault.kind === kind);
  const [fails, slow, full] = [of('fails'), of('slow'), of('full')];
  const value = valueText(report);
  const isRate = unit === 'per_second' && value !== null;
  const failing = fails === undefined || extent?.kind === 'share' ? []
    : [isRate ? `${failText(fails)}: ${value}` : faultText(fails)];
  const amount = extent?.kind === 'used' || extent === undefined ? full && leftText(full) : null;
  const measured = amount ?? (extent === undefined ? null : extentText(extent)) ??
    (isRate && fails !== undefined ? null : value);
  const others = faults.filter(({ kind }) => kind !== 'fails' && kind !== 'slow' &&
    kind !== 'full' && !(kind === 'waiting' && measured !== null));
  return [
    ...failing, ...(measured === null ? [] : [measured]),
    // The rule may look at a quantile of the same times.
    ...(slow === undefined || unit === 'seconds' ? [] : [faultText(slow)]),
    ...others.map(faultText),
  ];
}

/** `3 of 40 connections left` */
function leftText({ value, limit, what }: HopFault): string | null {
  if (value === null || limit === null) return null;
  const unit = what === 'memory' || what === 'disk' ? 'bytes' : 'count';
  const [left, all] = [Math.max(0, limit - value), limit]
    .map((each) => formatQuantity(each, unit)) as [string, string];
  return `${value >= limit ? 'nothing' : left} of ${all} ${what ?? ''} left`;
}

/** A number of at most this may be a state. */
const stateMax = 1;

/** `1.93 s now, 210 ms before`; null where that says nothing. */
function valueText(report: Report): string | null {
  const { value_now: now, value_at_fire: atFire, yesterday, unit } = report.reality;
  const value = now ?? atFire;
  const before = valueBefore(report) ?? yesterday;
  if (value === null || before === null) return null;
  const isState = (unit === null || unit === 'count') &&
    Math.max(Math.abs(value), Math.abs(before)) <= stateMax;
  const [is, was] = [value, before].map((each) => formatQuantity(each, unit));
  // Less than no bytes is a forecast.
  const isForecast = unit === 'bytes' && value < 0;
  return isState || isForecast || is === was ? null : `${is} now, ${was} before`;
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
function reach({ impact, incident }: Report): string[] {
  const { firing_same: same, targets_up: up, targets_total: total } = impact;
  return [
    ...(up !== null && total !== null && up < total
      ? [`${up} of ${counted(total, 'target')} up`] : []),
    // Its incident is told beside it, with all of its alerts.
    ...(same !== null && same > 1 && incident === null ? [`${same} alerts of this rule fire`] : []),
  ];
}
