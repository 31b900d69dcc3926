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
  lastMs: number;
  shown: IncidentMoment;
}

/** What began, ended and changed in one incident, in chronological order. */
export function incidentTimeline(
  members: readonly Episode[],
  moved: readonly Moved[],
  reportBase: string,
): IncidentMoment[] {
  const momentOf = (kind: IncidentMoment['kind'], at: string, of: Episode): Moment => {
    const [atMs, url] = [parseTime(at) ?? 0, reportUrl(reportBase, of.fingerprint, of.number)];
    const shown = { at, until: at, kind, name: of.name, alerts: 1, report_url: url };
    return { atMs, lastMs: atMs, shown };
  };
  const moments = [
    ...members.map((episode) => momentOf('began', episode.startsAt, episode)),
    ...members.flatMap((episode) =>
      (episode.endsAt === null ? [] : [momentOf('ended', episode.endsAt, episode)])),
    ...moved.map(({ at, text, episode }) => momentOf('changed', at, { ...episode, name: text })),
  ];
  moments.sort((a, b) => a.atMs - b.atMs);
  return together(moments).slice(0, momentsMax).map(({ shown }) => shown);
}

/** Merges moments that belong together. `moments` are in chronological order. */
function together(moments: readonly Moment[]): Moment[] {
  const latest = new Map<string, Moment>();
  const distinct: Moment[] = [];
  for (const moment of moments) {
    const { kind, name, at } = moment.shown;
    const key = `${kind} ${name}`;
    const known = latest.get(key);
    if (known !== undefined && moment.atMs - known.lastMs < togetherMs) {
      known.lastMs = moment.atMs;
      known.shown = { ...known.shown, alerts: known.shown.alerts + 1, until: at };
      continue;
    }
    latest.set(key, moment);
    distinct.push(moment);
  }
  return distinct;
}
