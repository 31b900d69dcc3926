import { severityRank } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Clock } from '../lib/clock.ts';
import type { Report } from '../report/report.ts';
import { severityOfReport } from '../report/words.ts';
import type { ReportKey } from './deliveries.ts';

/** What a chat is told of an episode: that its report is there, and that it has ended. */
export type News = 'report' | 'end';

export interface ChatNewsPorts {
  readonly clock: Clock;
  /** Of the incident that the episode is part of now; null for none. */
  readonly incidentOf: (key: ReportKey) => string | null;
  /** Had a report before this process began. */
  readonly known: Iterable<ReportKey>;
}

interface ToldIncident {
  /** By the monotonic clock. */
  readonly at: number;
  /** Of the worst severity that was told. */
  readonly rank: number;
}

/** Episodes and incidents remembered; the oldest go first. */
const rememberedMax = 20_000;
/** For so long an incident is told of once, or once more for each worse alert. */
const incidentMs = 3_600_000;

/**
 * What is news to people in a chat, who must not read everything twice: of an episode its first
 * report and its end, of an incident its first alert and worse ones, of alerts of severity `none`
 * nothing.
 */
export class ChatNews {
  readonly #ports: ChatNewsPorts;
  /** Wall time. */
  readonly #beganAt: number;
  /** What was told last of an episode; null where all is left to its incident. */
  readonly #told = new Map<string, News | null>();
  readonly #incidents = new Map<string, ToldIncident>();

  constructor(ports: ChatNewsPorts) {
    this.#ports = ports;
    this.#beganAt = ports.clock.now();
    for (const key of ports.known) remember(this.#told, nameOf(key), 'report');
  }

  /** What is new in the report; null for nothing. */
  newsIn(key: ReportKey, report: Report): News | null {
    if (severityOfReport(report) === 'none') return null;
    const name = nameOf(key);
    const told = this.#told.get(name);
    if (told === null) return null;
    const news = told === undefined && report.episode.state === 'firing' ? 'report'
      : told !== 'end' && this.#hasEnded(report) ? 'end' : null;
    if (news === null || told !== undefined || !this.#isToldOf(key, report)) return news;
    remember(this.#told, name, null);
    return null;
  }

  /** It is news no more. */
  tell(key: ReportKey, report: Report, news: News): void {
    const { incidentOf, clock } = this.#ports;
    remember(this.#told, nameOf(key), news);
    const incident = incidentOf(key);
    if (incident === null) return;
    const told = this.#incidents.get(incident);
    const rank = Math.min(told?.rank ?? Infinity, severityRank(severityOfReport(report)));
    remember(this.#incidents, incident, { at: told?.at ?? clock.monotonic(), rank });
  }

  /** An end before this process began may have been told by the last one. */
  #hasEnded({ episode }: Report): boolean {
    const endedAt = episode.ends_at === null ? null : parseTime(episode.ends_at);
    return endedAt !== null && endedAt >= this.#beganAt;
  }

  #isToldOf(key: ReportKey, report: Report): boolean {
    const { incidentOf, clock } = this.#ports;
    const told = this.#incidents.get(incidentOf(key) ?? '');
    if (told === undefined || clock.monotonic() - told.at >= incidentMs) return false;
    return severityRank(severityOfReport(report)) >= told.rank;
  }
}

function remember<V>(map: Map<string, V>, name: string, value: V): void {
  map.delete(name);
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > rememberedMax && oldest !== undefined) map.delete(oldest);
}

function nameOf({ fingerprint, number }: ReportKey): string {
  return `${number} ${fingerprint}`;
}
