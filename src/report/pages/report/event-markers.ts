import { parseTime } from '../../../alert/timestamp.ts';
import type { Marker } from '../../charts/picture.ts';
import type { View } from './view.ts';

const markersMax = 6;
/** Equal events closer than this share of the time drawn share one mark. */
const togetherShare = 0.02;

const eventNames: ReadonlyMap<string, string> = new Map([
  ['restart', 'restart'], ['version', 'new version'], ['config', 'config change'],
  ['event', 'OOM kill'],
]);

/** Markers for restarts, new versions and other events in the evidence, within a time span. */
export function eventMarkers({ report }: View, fromMs: number, toMs: number): Marker[] {
  const markers: Marker[] = [];
  const events = report.evidence.filter(({ kind }) => kind === 'events').flatMap(({ data }) => {
    const { at, kind } = (data ?? {}) as Readonly<Record<string, unknown>>;
    const atMs = typeof at === 'string' ? parseTime(at) : null;
    const name = eventNames.get(String(kind));
    return atMs === null || atMs < fromMs || atMs > toMs ? []
      : [{ atMs, name: name ?? 'event', kind: 'event' as const }];
  }).sort((a, b) => a.atMs - b.atMs);
  for (const event of events) {
    const isNew = markers.every(({ atMs, name }) =>
      name !== event.name || event.atMs - atMs > togetherShare * (toMs - fromMs));
    if (isNew && markers.length < markersMax) markers.push(event);
  }
  return markers;
}
