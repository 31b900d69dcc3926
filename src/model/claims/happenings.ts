import { memberOf } from '../../lib/parse.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { labelValues } from './labels.ts';

/** Something that happened, such as the begin of another alert. */
export interface Happening {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Names of what it happened to, in lower case; none if that is the item as a whole. */
  readonly names: readonly string[];
}

const listedMax = 200;

/** What is dated in an item, or in the lists in it. */
export function happeningsIn(data: unknown): Happening[] {
  const of = (value: unknown, names: readonly string[]): Happening[] =>
    timesOf(value, ['onset', 'at', 'startsAt']).map((at) => ({ at, names }));
  const members = typeof data === 'object' && data !== null ? Object.values(data) : [];
  const listed = (Array.isArray(data) ? [data] : members.filter(Array.isArray)).flat()
    .flatMap((one) => of(one, labelValues(one))).filter(({ names }) => names.length > 0);
  return [...of(data, []), ...listed.slice(0, listedMax)];
}

/** When the object with these members began or happened, in epoch milliseconds. */
export function timesOf(data: unknown, names: readonly string[]): number[] {
  return names.map((name) => memberOf(data, name))
    .map((text) => typeof text === 'string' ? Date.parse(text) : Number.NaN)
    .filter((at) => !Number.isNaN(at));
}

/**
 * Durations in seconds: from a beginning to its end, and from an event to the end of the window.
 */
export function spansIn(item: EvidenceItem): number[] {
  const spans: number[] = [];
  const add = (from: unknown, to: unknown): void => {
    if (typeof from !== 'string' || typeof to !== 'string') return;
    const span = Date.parse(to) - Date.parse(from);
    if (span > 0) spans.push(span / 1000);
  };
  const { data, to, fetched_at: fetched } = item;
  add(item.from, to);
  for (const name of ['fired_at', 'startsAt', 'onset', 'active_at']) {
    add(memberOf(data, name), memberOf(data, 'endsAt') ?? to ?? fetched);
  }
  add(memberOf(data, 'onset'), memberOf(data, 'fired_at'));
  for (const list of ['intervals', 'episodes', 'gaps']) {
    const intervals = memberOf(data, list);
    if (!Array.isArray(intervals)) continue;
    for (const one of intervals.slice(0, 64)) {
      add(memberOf(one, 'from'), memberOf(one, 'to'));
      add(memberOf(one, 'startsAt'), memberOf(one, 'endsAt'));
    }
  }
  return spans;
}
