import { layerRank, type Layer } from '../../incidents/layer.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { incidentUrl, type IncidentView, type ScopePart } from '../../report/incident.ts';
import { shownText } from '../../report/shown-text.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import { startOf, type Episode } from '../episode.ts';
import { incidentTimeline, type Moved } from './incident-timeline.ts';
import { byUrgency, listEntry, spanOf } from './list-entry.ts';

/** The incident with this id for its page; null when it is unknown or has only one alert. */
export function incidentView(
  book: EpisodeBook,
  id: string,
  { reportBase, moved }: { reportBase: string; moved: readonly Moved[] },
): IncidentView | null {
  const { members, likelyOrigin } = book.rankedMembers(id);
  if (members.length < 2) return null;
  const { first, last } = spanOf(members);
  return {
    schema: 1,
    id,
    url: incidentUrl(reportBase, id),
    opened_at: first,
    ended_at: last,
    members: worstFirst(members, likelyOrigin).map((episode) => (
      { ...listEntry(book, episode, reportBase), layer: layerWord(layerOf(episode)) })),
    likely_origin: likelyOrigin?.fingerprint ?? null,
    origin_reasons: likelyOrigin === null ? [] : originReasons(members),
    scope: {
      namespaces: counts(members.map(({ namespace }) => namespace ?? 'no namespace'))
        .sort((a, b) => b.alerts - a.alerts),
      // Sorted by layer, as the members are.
      layers: counts(members.map((episode) => layerWord(layerOf(episode)))),
    },
    timeline: incidentTimeline(members, moved, reportBase),
  };
}

/** The origin first, then firing alerts, then ended ones, each worst first. */
function worstFirst(members: readonly Episode[], origin: Episode | null): Episode[] {
  const others = byUrgency(members.filter((member) => member !== origin));
  return [
    ...(origin === null ? [] : [origin]),
    ...others.filter(({ endsAt }) => endsAt === null),
    ...others.filter(({ endsAt }) => endsAt !== null),
  ];
}

/** Why the first of the ranked members is the likely origin, as sentences. */
function originReasons(members: readonly Episode[]): string[] {
  const [first] = members;
  // One that flaps is a member several times.
  const next = members.find(({ fingerprint }) => fingerprint !== first?.fingerprint);
  if (first === undefined || next === undefined) return [];
  const [layer, above] = [layerOf(first), layerOf(next)];
  const aheadSeconds = (startOf(next) - startOf(first)) / 1000;
  const nextName = shownText(next.name, 120) || 'Unknown';
  const reasons: string[] = [];
  if (layerRank(layer) < layerRank(above)) {
    reasons.push(`It is the only alert in the lowest affected layer (${layerWord(layer)}); the ` +
      `next one is in the ${layerWord(above)} layer. Trouble spreads from lower layers upwards.`);
  }
  if (aheadSeconds >= 1) {
    reasons.push(`It began ${formatDuration(aheadSeconds)} before ${nextName}.`);
  } else if (aheadSeconds <= -1) {
    reasons.push(`It began ${formatDuration(-aheadSeconds)} after ${nextName}, but alerts in ` +
      'lower layers often take longer to fire.');
  }
  return reasons;
}

function layerOf({ incident }: Episode): Layer {
  return incident?.layer ?? 'monitoring';
}

function layerWord(layer: Layer): string {
  return layer.replaceAll('_', ' ');
}

function counts(names: readonly string[]): ScopePart[] {
  const found = new Map<string, number>();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return Array.from(found, ([name, alerts]) => ({ name, alerts }));
}
