import { severityRank } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Clock } from '../lib/clock.ts';
import type { Report } from '../report/report.ts';
import { severityOfReport } from '../report/words.ts';

/** What a chat is told of an incident: the report on one of its alerts, and that it is over. */
export type News = 'report' | 'end';

/** What belongs together; an alert that is alone is an incident of one. */
export interface IncidentNow {
  readonly id: string;
  /** Whether any alert of it fires, but for those of severity `none`. */
  readonly isFiring: () => boolean;
}

/** What a chat was told of an incident. */
export interface Told {
  /** Of the worst severity that was told. */
  readonly rank: number;
  /** When the last alert that was told began: wall time in milliseconds. */
  readonly startsAt: number;
  readonly isOver: boolean;
}

/** Incidents remembered; the oldest go first. */
const rememberedMax = 20_000;
/** What joins an incident so much later is told like its first alert. */
const lateMs = 3_600_000;

/**
 * What is news to people in a chat. They are told of incidents and not of each alert: the first
 * report, those on worse alerts and on such as begin an hour later, and, once none of its alerts
 * fires any more, the end. Of alerts of severity `none` they are told nothing.
 */
export class ChatNews {
  /** Wall time. */
  readonly #beganAt: number;
  readonly #told = new Map<string, Told>();

  /** `told` is what the last process may have told of incidents that are not over. */
  constructor(clock: Clock, told: Iterable<readonly [id: string, told: Told]>) {
    this.#beganAt = clock.now();
    for (const [id, each] of told) this.#remember(id, merged(this.#told.get(id), each));
  }

  /** What is new in the report; null for nothing. */
  newsIn(report: Report, incident: IncidentNow): News | null {
    if (severityOfReport(report) === 'none') return null;
    const told = this.#told.get(incident.id);
    if (report.episode.state === 'resolved') {
      if (told?.isOver === true || incident.isFiring()) return null;
      return told !== undefined || this.#hasEndedSince(report) ? 'end' : null;
    }
    if (told === undefined || told.isOver) return 'report';
    const { rank, startsAt } = toldBy(report);
    return rank < told.rank || startsAt - told.startsAt >= lateMs ? 'report' : null;
  }

  /** It is news no more. */
  tell(report: Report, { id }: IncidentNow, news: News): void {
    const told = this.#told.get(id);
    const before = told?.isOver === true ? undefined : told;
    this.#remember(id, { ...merged(before, toldBy(report)), isOver: news === 'end' });
  }

  /** An end before this process began may have been told by the last one. */
  #hasEndedSince({ episode }: Report): boolean {
    const endedAt = episode.ends_at === null ? null : parseTime(episode.ends_at);
    return endedAt !== null && endedAt >= this.#beganAt;
  }

  #remember(id: string, told: Told): void {
    this.#told.delete(id);
    this.#told.set(id, told);
    const [oldest] = this.#told.keys();
    if (this.#told.size > rememberedMax && oldest !== undefined) this.#told.delete(oldest);
  }
}

function toldBy(report: Report): Told {
  return {
    rank: severityRank(severityOfReport(report)),
    startsAt: parseTime(report.episode.starts_at) ?? 0,
    isOver: false,
  };
}

function merged(one: Told | undefined, other: Told): Told {
  if (one === undefined) return other;
  return {
    rank: Math.min(one.rank, other.rank),
    startsAt: Math.max(one.startsAt, other.startsAt),
    isOver: one.isOver && other.isOver,
  };
}
