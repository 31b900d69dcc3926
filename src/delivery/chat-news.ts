import { severityRank } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Clock } from '../lib/clock.ts';
import type { Report } from '../report/report.ts';
import { severityOfReport } from '../report/words.ts';

/** What a chat is told about an incident: the report on one of its alerts, or that it is over. */
export type News = 'report' | 'end';

/** The incident an alert belongs to; an alert on its own is an incident of one. */
export interface IncidentNow {
  readonly id: string;
  /** `id`, and those of the incidents that were merged into it. */
  readonly ids: readonly string[];
  /** Whether any of its alerts fires, not counting severity `none`. */
  readonly isFiring: boolean;
}

/** What a chat has been told about an incident. */
interface Told {
  /** Severity rank of the worst alert that was told; a lower rank is worse. */
  readonly rank: number;
  /** The latest start among the alerts that were told: wall time in milliseconds. */
  readonly startsAt: number;
}

interface Remembered extends Told {
  /** Whether the chat was told of its end. */
  readonly isOver: boolean;
}

/** Incidents remembered; beyond that the oldest are forgotten. */
const rememberedMax = 20_000;
/** An alert that starts this much after the last one told is told as well. */
const lateMs = 3_600_000;

/**
 * Decides what is news to a chat. It is told about incidents rather than each alert: the first
 * report, reports on alerts that are worse or start an hour later, and the end, once none of the
 * alerts fires any more. Alerts of severity `none` are never told.
 */
export class ChatNews {
  /** Wall time at which this process started. */
  readonly #beganAt: number;
  readonly #told = new Map<string, Remembered>();

  /** `told` is what the last process may have told about incidents that are still open. */
  constructor(clock: Clock, told: Iterable<readonly [id: string, told: Told]>) {
    this.#beganAt = clock.now();
    for (const [id, each] of told) {
      this.#remember(id, { ...merged(this.#told.get(id), each), isOver: false });
    }
  }

  /** What the chat should be told because of this report; null for nothing. */
  newsIn(report: Report, incident: IncidentNow): News | null {
    if (severityOfReport(report) === 'none') return null;
    const told = this.#toldOf(incident);
    if (report.episode.state === 'resolved') {
      if (told?.isOver === true || incident.isFiring) return null;
      return told !== undefined || this.#hasEndedSince(report) ? 'end' : null;
    }
    if (told === undefined || told.isOver) return 'report';
    const { rank, startsAt } = toldBy(report);
    return rank < told.rank || startsAt - told.startsAt >= lateMs ? 'report' : null;
  }

  /** The chat has been told. */
  tell(report: Report, incident: IncidentNow, news: News): void {
    const told = this.#toldOf(incident);
    const before = told?.isOver === true ? undefined : told;
    for (const id of incident.ids) this.#told.delete(id);
    this.#remember(incident.id, { ...merged(before, toldBy(report)), isOver: news === 'end' });
  }

  /** What was told about the incident, also before others were merged into it. */
  #toldOf({ ids }: IncidentNow): Remembered | undefined {
    const told = ids.flatMap((id) => this.#told.get(id) ?? []);
    const [first, ...others] = told;
    if (first === undefined) return undefined;
    return { ...others.reduce<Told>(merged, first), isOver: told.every(({ isOver }) => isOver) };
  }

  /** The last process may have told of earlier ends. */
  #hasEndedSince({ episode }: Report): boolean {
    const endedAt = episode.ends_at === null ? null : parseTime(episode.ends_at);
    return endedAt !== null && endedAt >= this.#beganAt;
  }

  #remember(id: string, told: Remembered): void {
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
  };
}

function merged(one: Told | undefined, other: Told): Told {
  if (one === undefined) return other;
  return { rank: Math.min(one.rank, other.rank), startsAt: Math.max(one.startsAt, other.startsAt) };
}
