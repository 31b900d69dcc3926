import type { EpisodeKey } from '../alert/episode-key.ts';
import { severityRank, type Severity } from '../alert/severity.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * The news that a chat gets about an incident: the report on one of its alerts, which may be the
 * likely origin of a storm, what a language model found later, that this alert keeps beginning and
 * ending, or that the incident is over.
 */
export type NewsKind = 'report' | 'origin' | 'narrative' | 'flaps' | 'end';

/** An alert as its report has it; times are wall time in milliseconds. */
export interface AlertNow {
  readonly fingerprint: string;
  readonly severity: Severity;
  readonly startsAt: number;
  /** Null while it fires. */
  readonly endedAt: number | null;
  readonly isFlapping: boolean;
  /** Its report has a narrative with findings. */
  readonly isNarrated: boolean;
}

/** The incident an alert belongs to; an alert on its own is an incident of one. */
export interface IncidentNow {
  readonly id: string;
  /** `id`, and those of the incidents that were merged into it. */
  readonly ids: readonly string[];
  /** Whether any of its alerts fires, not counting severity `none`. */
  readonly isFiring: boolean;
  /** Its likely origin, and the rank of its layer, if it is a storm of what rests on that. */
  readonly stormOrigin: { readonly key: EpisodeKey; readonly layer: number } | null;
}

/** What was announced to a chat about an incident. */
interface Announced {
  /** Severity rank of the worst alert that was announced; a lower rank is worse. */
  readonly rank: number;
  /** The latest start among the announced alerts: wall time in milliseconds. */
  readonly startsAt: number;
  /** The lowest layer of the announced likely origins; `Infinity` without any. */
  readonly originLayer: number;
  /** A narrative was announced, and no other one will be. */
  readonly isNarrated: boolean;
}

interface Remembered extends Announced {
  /** Whether its end was announced. */
  readonly isOver: boolean;
}

/** Incidents and flapping alerts remembered; beyond that the oldest are forgotten. */
const rememberedMax = 20_000;
/** An alert that starts this much after the last announced one is announced as well. */
const lateMs = 3_600_000;
/** A flapping alert that fires for this long is steady. */
const steadyMs = 600_000;

/**
 * Decides what is news to a chat. It gets news of incidents rather than of each alert: the first
 * report, reports on alerts that are worse or start an hour later, the first narrative, the likely
 * origin of a storm, again if one in a lower layer is found, and the end, once none of the alerts
 * fires any more. That an alert flaps is announced once; then nothing until it is steady. Alerts
 * of severity `none` are never announced.
 */
export class ChatNews {
  readonly #clock: Clock;
  /** Wall time at which this process started. */
  readonly #beganAt: number;
  readonly #announced = new Map<string, Remembered>();
  /** Fingerprints of the alerts that were announced as flapping. */
  readonly #flapping = new Set<string>();

  /** `known` is what the last process may have announced about incidents that are still open. */
  constructor(clock: Clock, known: Iterable<readonly [id: string, announced: Announced]>) {
    this.#clock = clock;
    this.#beganAt = clock.now();
    for (const [id, each] of known) {
      this.#remember(id, { ...merged(this.#announced.get(id), each), isOver: false });
    }
  }

  /** The news to announce because of this alert; null for none. */
  newsIn(alert: AlertNow, incident: IncidentNow): NewsKind | null {
    const { fingerprint, severity, startsAt, endedAt, isFlapping } = alert;
    if (severity === 'none') return null;
    const before = this.#announcedOf(incident);
    const { stormOrigin: origin } = incident;
    const isOrigin = origin?.key.fingerprint === fingerprint;
    if (endedAt !== null && incident.isFiring) return null;
    if (before?.isOver === false) {
      if (endedAt !== null) return 'end';
      if (isOrigin && origin.layer < before.originLayer) return 'origin';
      const isWorse = severityRank(severity) < before.rank;
      if (isWorse || startsAt - before.startsAt >= lateMs) return 'report';
      return alert.isNarrated && !before.isNarrated ? 'narrative' : null;
    }
    // The last process may have announced earlier ends.
    if (endedAt !== null && (before !== undefined || endedAt < this.#beganAt)) return null;
    const isSteady = endedAt === null && this.#clock.now() - startsAt >= steadyMs;
    if (isFlapping && !isSteady) return this.#flapping.has(fingerprint) ? null : 'flaps';
    if (endedAt !== null) return 'end';
    return isOrigin ? 'origin' : 'report';
  }

  /** To be called when the chat has got the news. */
  announce(alert: AlertNow, incident: IncidentNow, news: NewsKind): void {
    const { fingerprint, severity, startsAt } = alert;
    this.#flapping.delete(fingerprint);
    if (news === 'flaps') {
      this.#flapping.add(fingerprint);
      forgetOldest(this.#flapping);
      return;
    }
    const last = this.#announcedOf(incident);
    const before = last?.isOver === true ? undefined : last;
    for (const id of incident.ids) this.#announced.delete(id);
    const originLayer = news === 'origin' ? incident.stormOrigin?.layer ?? Infinity : Infinity;
    const now = merged(before, {
      rank: severityRank(severity), startsAt, originLayer, isNarrated: alert.isNarrated,
    });
    this.#remember(incident.id, { ...now, isOver: news === 'end' });
  }

  /** What was announced about the incident, also before others were merged into it. */
  #announcedOf({ ids }: IncidentNow): Remembered | undefined {
    const known = ids.flatMap((id) => this.#announced.get(id) ?? []);
    const [first, ...others] = known;
    if (first === undefined) return undefined;
    const isOver = known.every((each) => each.isOver);
    return { ...others.reduce<Announced>(merged, first), isOver };
  }

  #remember(id: string, remembered: Remembered): void {
    this.#announced.delete(id);
    this.#announced.set(id, remembered);
    forgetOldest(this.#announced);
  }
}

function forgetOldest(remembered: Map<string, unknown> | Set<string>): void {
  const [oldest] = remembered.keys();
  if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
}

function merged(one: Announced | undefined, other: Announced): Announced {
  if (one === undefined) return other;
  return {
    rank: Math.min(one.rank, other.rank),
    startsAt: Math.max(one.startsAt, other.startsAt),
    originLayer: Math.min(one.originLayer, other.originLayer),
    isNarrated: one.isNarrated || other.isNarrated,
  };
}
