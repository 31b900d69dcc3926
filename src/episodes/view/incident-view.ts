import { clusterOf, noLabels } from '../../alert/labels.ts';
import { parseTime } from '../../alert/timestamp.ts';
import { layerRank, type Layer } from '../../incidents/layer.ts';
import { layerRankOf, newestOfEach, type RankedMembers } from '../../incidents/member.ts';
import { stormMin } from '../../incidents/storm.ts';
import { formatDuration } from '../../lib/quantity.ts';
import {
  incidentUrl, type IncidentEntry, type IncidentView, type ScopePart, type FromReport,
} from '../../report/incident.ts';
import type { Path } from '../../report/path.ts';
import { counted } from '../../report/plain-text.ts';
import { reportUrl } from '../../report/report-url.ts';
import { shownText } from '../../report/shown-text.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import { identityOf } from '../book/open-episodes.ts';
import { startOf, type Episode } from '../episode.ts';
import { incidentTimeline, type Moved } from './incident-timeline.ts';
import { byUrgency, leadOf, listEntry, firstAndLast, summaryOf } from './list-entry.ts';

/** The path in the report of one of the incident's alerts. */
export interface PathOfReport {
  readonly path: Path;
  readonly episode: Episode;
}

/** The incident with this id for its page; null when it is unknown or has only one alert. */
export function incidentView(
  book: EpisodeBook,
  id: string,
  { reportBase, moved, paths }: {
    reportBase: string; moved: readonly Moved[]; paths: readonly PathOfReport[];
  },
): IncidentView | null {
  const ranked = book.rankedMembers(id);
  const { members, likelyOrigin, origin } = ranked;
  const alerts = newestOfEach(members);
  if (alerts.length < 2) return null;
  const { first, last } = firstAndLast(members);
  const { cause, first: step } = summaryOf(alerts, ranked);
  const from = ({ name, fingerprint, number }: Episode): Omit<FromReport, 'text'> =>
    ({ name, report_url: reportUrl(reportBase, fingerprint, number) });
  const entry = (episode: Episode): IncidentEntry =>
    ({ ...listEntry(book, episode, reportBase), layer: layerWord(layerOf(episode)) });
  return {
    schema: 1,
    id,
    url: incidentUrl(reportBase, id),
    name: leadOf(alerts, likelyOrigin).name,
    most_likely: cause && { ...from(cause.episode), text: cause.text, certainty: cause.certainty },
    do_first: step && { ...from(step.episode), text: step.text },
    opened_at: first,
    ended_at: last,
    members: worstFirst(alerts, likelyOrigin).map(entry),
    origin: origin && { name: origin.found.name, text: origin.found.text },
    path: longestOf(paths, reportBase),
    likely_origin: likelyOrigin?.fingerprint ?? null,
    origin_reasons: originReasons(ranked),
    scope: {
      namespaces: counts(alerts.map(({ namespace }) => namespace ?? 'no namespace'))
        .sort((a, b) => b.alerts - a.alerts),
      // Sorted by layer, as the members are.
      layers: counts(alerts.map((episode) => layerWord(layerOf(episode)))),
      names: counts(alerts.map(({ name }) => name)).sort((a, b) => b.alerts - a.alerts),
    },
    also_began: alsoBegan(book, members).map(entry),
    timeline: incidentTimeline(members, moved, reportBase),
  };
}

/** The way that leads furthest to something that fails; null where none leads on. */
function longestOf(
  paths: readonly PathOfReport[],
  reportBase: string,
): NonNullable<IncidentView['path']> | null {
  const [longest] = paths.filter(({ path }) => (path.origin ?? 0) > 0)
    .toSorted((a, b) => (b.path.origin ?? 0) - (a.path.origin ?? 0));
  if (longest === undefined) return null;
  const { path, episode: { name, fingerprint, number } } = longest;
  return { ...path, name, report_url: reportUrl(reportBase, fingerprint, number) };
}

/** The origin's alert first, then firing alerts, then ended ones, each worst first. */
function worstFirst(members: readonly Episode[], origin: Episode | null): Episode[] {
  const isOrigin = ({ fingerprint }: Episode): boolean => fingerprint === origin?.fingerprint;
  const others = byUrgency(members.filter((member) => !isOrigin(member)));
  return [
    ...members.filter(isOrigin),
    ...others.filter(({ endsAt }) => endsAt === null),
    ...others.filter(({ endsAt }) => endsAt !== null),
  ];
}

/** How far from the first alert of a storm others began at the same time; most that are listed. */
const alsoWithinMs = 5 * 60_000;
const alsoMax = 5;

/**
 * What may be behind a storm that still fires although no label links them, in its own cluster;
 * lowest layer first, then worst.
 */
function alsoBegan(book: EpisodeBook, members: readonly Episode[]): Episode[] {
  const lowest = Math.min(...members.map(layerRankOf));
  if (newestOfEach(members).length <= stormMin) return [];
  const { first } = firstAndLast(members);
  const clusters = new Set(members.filter(({ endsAt }) => endsAt === null).map(clusterOfAlert));
  const isIn = (cluster: string | null): boolean =>
    clusters.has(cluster) || clusters.has(null) || (cluster === null && clusters.size > 0);
  const others = [...book.open.beganNear(parseTime(first) ?? 0, alsoWithinMs)].filter((other) =>
    other.incident !== null && layerRankOf(other) < lowest && isIn(clusterOfAlert(other)));
  return byUrgency(others).sort((a, b) => layerRankOf(a) - layerRankOf(b)).slice(0, alsoMax);
}

function clusterOfAlert(episode: Episode): string | null {
  return clusterOf(identityOf(episode)?.labels ?? noLabels);
}

/** What the alerts of each layer watch. */
const watched: Readonly<Record<Layer, string>> = {
  node: 'a machine', storage: 'a disk or volume', network: 'the network', kubelet: 'the kubelet',
  control_plane: 'the control plane', pod: 'a pod or container', workload: 'a set of pods',
  service: 'what a service delivers', probe: 'a service as seen from outside',
  monitoring: 'the monitoring itself',
};

/** Why the likely origin is it, as sentences; none if there is none. */
function originReasons({ likelyOrigin, runnerUp, origin }: RankedMembers<Episode>): string[] {
  if (origin !== null) {
    const leading = newestOfEach(origin.reachedBy).length;
    return [`The measurements behind ${counted(leading, 'alert')} lead there.`];
  }
  if (likelyOrigin === null || runnerUp === null) return [];
  const [layer, above] = [layerOf(likelyOrigin), layerOf(runnerUp)];
  const aheadSeconds = (startOf(runnerUp) - startOf(likelyOrigin)) / 1000;
  const nextName = shownText(runnerUp.name, 120) || 'Unknown';
  const reasons: string[] = [];
  if (layerRank(layer) < layerRank(above)) {
    reasons.push(`It watches ${watched[layer]}; ${nextName} watches ${watched[above]}. Trouble ` +
      'spreads from the first to the second, seldom back.');
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
