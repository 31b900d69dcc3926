import { parseTime } from '../../alert/timestamp.ts';
import type { IncidentMoment } from '../../report/incident.ts';
import { reportUrl } from '../../report/report-url.ts';
import type { Episode } from '../episode.ts';

/** A change that the report of one of the incident's alerts found. */
export interface Moved {
  /** RFC 3339. */
  readonly at: string;
  readonly text: string;
  readonly episode: Episode;
}

/** Most moments shown: 500 alerts with different names would give 1000. */
const momentsMax = 200;

/** Alerts of one name that begin, or end, this soon after each other are shown as one moment. */
const togetherMs = 60_000;

interface Moment {
  readonly atMs: number;
  readonly at: string;
  readonly kind: IncidentMoment['kind'];
  readonly name: string;
  readonly episode: Episode;
  alerts: number;
  lastMs: number;
  until: string;
}

/** What began, ended and changed in one incident, in chronological order. */
export function incidentTimeline(
  members: readonly Episode[],
  moved: readonly Moved[],
  reportBase: string,
): IncidentMoment[] {
  const moments = [
    ...members.map((episode) => momentOf('began', episode.startsAt, episode)),
    ...members.flatMap((episode) =>
      (episode.endsAt === null ? [] : [momentOf('ended', episode.endsAt, episode)])),
    ...moved.map(({ at, text, episode }) => ({ ...momentOf('changed', at, episode), name: text })),
  ];
  moments.sort((a, b) => a.atMs - b.atMs);
  return together(moments).slice(0, momentsMax).map((each) => momentShown(each, reportBase));
}

/** Merges moments that belong together. `moments` are in chronological order. */
function together(moments: readonly Moment[]): Moment[] {
  const latest = new Map<string, Moment>();
  const distinct: Moment[] = [];
  for (const moment of moments) {
    const key = `${moment.kind} ${moment.name}`;
    const known = latest.get(key);
    if (known !== undefined && moment.atMs - known.lastMs < togetherMs) {
      known.alerts += 1;
      known.lastMs = moment.atMs;
      known.until = moment.at;
      continue;
    }
    latest.set(key, moment);
    distinct.push(moment);
  }
  return distinct;
}

function momentOf(kind: IncidentMoment['kind'], at: string, episode: Episode): Moment {
  const atMs = parseTime(at) ?? 0;
  return { atMs, at, kind, name: episode.name, episode, alerts: 1, lastMs: atMs, until: at };
}

function momentShown(moment: Moment, reportBase: string): IncidentMoment {
  const { at, until, kind, name, alerts, episode } = moment;
  const { fingerprint, number } = episode;
  return { at, until, kind, name, alerts, report_url: reportUrl(reportBase, fingerprint, number) };
}
