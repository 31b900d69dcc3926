/** The charts of a report, one above the other: over one time, with the same moments marked. */
import { labelOf } from '../../../alert/labels.ts';
import { parseTime } from '../../../alert/timestamp.ts';
import { memberOf } from '../../../lib/parse.ts';
import { drawnFrom } from '../../charts/drawn-from.ts';
import type { Marker, StackSpan } from '../../charts/picture.ts';
import type { Change, Report } from '../../report.ts';
import { drawnChanges, alertSeries, changeSeries } from './drawn-series.ts';
import { evidenceFor, type View } from './view.ts';

/** An event that is marked by a letter, which a list below the first chart explains. */
interface KeyedEvent {
  readonly letter: string;
  readonly atMs: number;
  readonly change: Change;
}

export interface Stack {
  readonly span: StackSpan;
  readonly markers: readonly Marker[];
  /** While the problem lasts, in ms; null where its beginning is unknown. */
  readonly shaded: null | { readonly fromMs: number; readonly toMs: number };
  /** In order of time. */
  readonly events: readonly KeyedEvent[];
}

const minute = 60_000;
/** The charts go on by up to this much to include the start and end of firing. */
const stretchedMs = 10 * minute;
/** What the zoom shows after the start, and before it: twice as much as after, within limits. */
const nearAfterMs = 10 * minute;
const nearBeforeMs = { least: 4 * minute, most: 10 * minute } as const;
const beforeTimes = 2;
/** The least that it has to leave out. */
const zoomMin = 1.4;
/** The zoom goes on to the end of an episode that is no longer, and this much beyond. */
const shortMs = 20 * minute;
const afterEndMs = 2 * minute;

/** What all charts of the report have in common; null if nothing is drawn. */
export function stackOf(view: View): Stack | null {
  const { episode } = view.report;
  const own = alertSeries(view)?.series;
  const all = drawnChanges(view).flatMap((change) => changeSeries(change, view)?.series ?? []);
  const first = own ?? all[0];
  if (first === undefined) return null;
  const [firedMs, endedMs] = [parseTime(episode.starts_at), parseTime(episode.ends_at ?? '')];
  const beganMs = own?.onsetMs ?? null;
  const splitMs = beganMs ?? first.splitMs ?? firedMs;
  const nearMs = [firedMs, endedMs].filter((at) => at !== null)
    .filter((at) => at - first.toMs < stretchedMs);
  const toMs = Math.max(first.toMs, ...nearMs);
  const fromMs = drawnFrom({ fromMs: first.fromMs, toMs }, splitMs);
  const events = keyedEvents(view, { fromMs, toMs, splitMs: splitMs ?? toMs });
  return {
    span: { fromMs, toMs, near: nearOf({ fromMs, toMs, splitMs, endedMs }) },
    markers: [
      ...ownMoments(view, beganMs), ...silencesOf(view),
      ...events.map(({ letter, atMs, change: { kind } }) =>
        ({ atMs, name: `${letter} ${kind}`, short: letter, kind: 'event' as const })),
    ],
    shaded: splitMs === null ? null
      : { fromMs: splitMs, toMs: Math.max(splitMs, Math.min(endedMs ?? toMs, toMs)) },
    events,
  };
}

/** The minutes around the start of the problem; null where they are most of what is drawn. */
function nearOf({ fromMs, toMs, splitMs, endedMs }: {
  fromMs: number; toMs: number; splitMs: number | null; endedMs: number | null;
}): StackSpan['near'] {
  if (splitMs === null) return null;
  const isShort = endedMs !== null && endedMs - splitMs < shortMs;
  const untilMs = splitMs + Math.max(nearAfterMs, isShort ? endedMs - splitMs + afterEndMs : 0);
  const until = Math.min(toMs, untilMs);
  const { least, most } = nearBeforeMs;
  const beforeMs = Math.min(most, Math.max(least, beforeTimes * (until - splitMs)));
  const near = { fromMs: Math.max(fromMs, splitMs - beforeMs), toMs: until };
  const isLess = near.toMs > near.fromMs && (toMs - fromMs) / (near.toMs - near.fromMs) >= zoomMin;
  return isLess ? near : null;
}

function ownMoments({ report }: View, beganMs: number | null): Marker[] {
  const { starts_at: fired, ends_at: ended } = report.episode;
  const received = report.timeline.find(({ kind }) => kind === 'received')?.at ?? '';
  const moments = [
    { kind: 'began', atMs: beganMs }, { kind: 'fired', atMs: parseTime(fired) },
    { kind: 'notified', atMs: parseTime(received) },
    { kind: 'resolved', atMs: parseTime(ended ?? '') },
  ] as const;
  return moments.flatMap(({ kind, atMs }) => (atMs === null ? [] : [{ kind, atMs, name: kind }]));
}

/** When what silences the alert began. */
function silencesOf({ report }: View): Marker[] {
  const held = report.evidence.find(({ role }) => role === 'in_alertmanager')?.data;
  const silences: unknown = memberOf(held, 'silences');
  return (Array.isArray(silences) ? silences as unknown[] : []).flatMap((silence) => {
    const from = memberOf(silence, 'startsAt');
    const atMs = typeof from === 'string' ? parseTime(from) : null;
    return atMs === null ? [] : [{ atMs, name: 'silenced', kind: 'event' as const }];
  });
}

const letters = 'abcdef';
/** Equal events closer than this share of the time drawn share one mark. */
const togetherShare = 0.02;
/** What happened elsewhere is marked only if it came no longer before the problem. */
const elsewhereMs = 15 * minute;

/** Restarts, new versions and other events among the changes: the alert's own and near ones. */
function keyedEvents(
  view: View,
  { fromMs, toMs, splitMs }: { fromMs: number; toMs: number; splitMs: number },
): KeyedEvent[] {
  const named = namesIn(view.report);
  const found = view.report.changes.flatMap((change) => {
    const atMs = eventMs(change, view);
    if (atMs === null || atMs < fromMs || atMs > toMs || change.strength === 'weak') return [];
    const isOwn = change.component !== null && named.has(change.component.value);
    if (!isOwn && (atMs < splitMs - elsewhereMs || atMs > splitMs)) return [];
    return [{ change, atMs, isOwn }];
  }).sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || a.change.rank - b.change.rank);
  const chosen: { change: Change; atMs: number }[] = [];
  for (const each of found) {
    const isNew = chosen.every(({ change, atMs }) => change.kind !== each.change.kind ||
      change.component?.value !== each.change.component?.value ||
      Math.abs(each.atMs - atMs) > togetherShare * (toMs - fromMs));
    if (isNew && chosen.length < letters.length) chosen.push(each);
  }
  return chosen.sort((a, b) => a.atMs - b.atMs)
    .map(({ change, atMs }, index) => ({ change, atMs, letter: letters[index] ?? '' }));
}

const eventKinds: ReadonlySet<Change['kind']> = new Set(['restart', 'version', 'config', 'event']);

/** When it happened, in ms; null for a change that is no event, or of unknown time. */
function eventMs(change: Change, view: View): number | null {
  if (!eventKinds.has(change.kind)) return null;
  const at = memberOf(evidenceFor(view, change.evidence[0])?.data, 'at');
  return typeof at === 'string' ? parseTime(at) : null;
}

/** Names of the things that the alert, its path and its possible causes are about. */
function namesIn({ alert, path = null, hypotheses }: Report): ReadonlySet<string> {
  return new Set([
    ...Object.keys(alert.labels).map((name) => labelOf(alert.labels, name) ?? ''),
    ...(path?.hops ?? []).flatMap(({ component, labels }) =>
      [component, ...Object.keys(labels).map((name) => labelOf(labels, name) ?? '')]),
    ...hypotheses.flatMap(({ about = [] }) => about),
  ]);
}
