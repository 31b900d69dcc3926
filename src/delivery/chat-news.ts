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
  /** Id of the incident that the episode is part of now; null for none. */
  readonly incidentOf: (key: ReportKey) => string | null;
  /** Alerts of an incident that fire. */
  readonly firingIn: (incident: string) => number;
  /** Had a report before this process began, and fire. */
  readonly known: Iterable<ReportKey>;
}

interface ToldIncident {
  /** By the monotonic clock. */
  readonly at: number;
  /** Of the worst severity that was told. */
  readonly rank: number;
  /** Of nothing in it the chat was told that it fires. */
  readonly isPast: boolean;
}

/** Episodes and incidents remembered; the oldest go first. */
const rememberedMax = 20_000;
/** For so long an incident is told of once, or once more for each worse alert. */
const incidentMs = 3_600_000;

/**
 * What is news to people in a chat, who must not read everything twice: of an episode its first
 * report and its end, of an incident its first alert, worse ones and that the last one has ended,
 * of alerts of severity `none` nothing.
 */
export class ChatNews {
  readonly #ports: ChatNewsPorts;
  /** Wall time. */
  readonly #beganAt: number;
  /**
   * What was told last of an episode; `before` where the last process may have told its report;
   * null where all is left to its incident.
   */
  readonly #told = new Map<string, News | 'before' | null>();
  readonly #incidents = new Map<string, ToldIncident>();
  /** Incidents of whose end there is no word yet: alerts told to fire, and not to have ended. */
  readonly #unended = new Map<string, number>();

  constructor(ports: ChatNewsPorts) {
    this.#ports = ports;
    this.#beganAt = ports.clock.now();
    for (const key of ports.known) remember(this.#told, nameOf(key), 'before');
  }

  /** What is new in the report; null for nothing. */
  newsIn(key: ReportKey, report: Report): News | null {
    if (severityOfReport(report) === 'none') return null;
    const told = this.#told.get(nameOf(key));
    const news = report.episode.state === 'firing' ? 'report' : 'end';
    if (told === 'report') return news === 'end' ? news : null;
    if (told === 'end') return null;
    const { incidentOf, firingIn } = this.#ports;
    const incident = incidentOf(key);
    const isLast = news === 'end' && (incident === null || firingIn(incident) === 0);
    // Told that others still fire, people wait for this. One told to fire tells it by its own end.
    if (isLast && this.#unended.get(incident ?? '') === 0) return news;
    if (told === null) return null;
    if (told === 'before') {
      // Nobody knows which of its alerts was told of: that the last one ends is news in any case.
      if (!isLast) return null;
    } else if (news === 'end' && !this.#hasEndedSince(report)) return null;
    if (!this.#isToldOf(incident, { news, rank: rankOf(report) })) return news;
    remember(this.#told, nameOf(key), null);
    return null;
  }

  /** It is news no more. `firing` alerts of its incident fired when it was put into words. */
  tell(key: ReportKey, report: Report, { news, firing }: { news: News; firing: number }): void {
    const isFollowed = this.#told.get(nameOf(key)) === 'report';
    remember(this.#told, nameOf(key), news);
    const incident = this.#ports.incidentOf(key);
    if (incident === null) return;
    const unended = this.#unended.get(incident) ?? 0;
    if (news === 'report') remember(this.#unended, incident, unended + 1);
    else if (firing === 0) this.#unended.delete(incident);
    else if (unended > 0 && isFollowed) remember(this.#unended, incident, unended - 1);
    if (isFollowed) return;
    const told = this.#toldOf(incident);
    const rank = rankOf(report);
    remember(this.#incidents, incident, told === null || (told.isPast && news === 'report')
      ? { at: this.#ports.clock.monotonic(), rank, isPast: news === 'end' }
      : { ...told, rank: Math.min(told.rank, rank) });
  }

  /** An end before this process began may have been told by the last one. */
  #hasEndedSince({ episode }: Report): boolean {
    const endedAt = episode.ends_at === null ? null : parseTime(episode.ends_at);
    return endedAt !== null && endedAt >= this.#beganAt;
  }

  #isToldOf(incident: string | null, { news, rank }: { news: News; rank: number }): boolean {
    const told = this.#toldOf(incident);
    return told !== null && rank >= told.rank && (news === 'end' || !told.isPast);
  }

  #toldOf(incident: string | null): ToldIncident | null {
    const told = this.#incidents.get(incident ?? '');
    return told === undefined || this.#ports.clock.monotonic() - told.at >= incidentMs
      ? null : told;
  }
}

function rankOf(report: Report): number {
  return severityRank(severityOfReport(report));
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
