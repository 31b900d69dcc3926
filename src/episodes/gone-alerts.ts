import { isPending } from './analysis-state.ts';
import type { Episode } from './episode.ts';

/** An alert that was notified of more recently is left alone: its end may still be on its way. */
const unheardMs = 10 * 60_000;
/** For how long, and in how many answers in a row, Alertmanager must lack an alert. */
const absentMs = 10 * 60_000;
const answersMin = 3;
/** For how long if it has no open alert at all: it may be cut off from its Prometheus. */
const absentAloneMs = 60 * 60_000;

interface Absence {
  /** When it was first missed: wall time in ms, and monotonic. */
  readonly firstAt: number;
  readonly since: number;
  /** When it was last notified of then, wall time in ms. */
  readonly heardAt: number;
  readonly answers: number;
  /** Whether the alert may be that of another Alertmanager. */
  readonly isOthers: boolean;
}

/** An open episode whose alert is gone from Alertmanager. */
export interface GoneEpisode {
  readonly episode: Episode;
  /** When it was first missed: wall time in ms. */
  readonly goneAt: number;
}

/**
 * Finds open episodes whose end will not be notified any more: their alert ended while it was
 * silenced, `send_resolved` is off, or the notification was lost. One answer without the alert
 * proves nothing, as Alertmanager forgets all alerts when it restarts.
 */
export class GoneAlerts {
  readonly #seen = new WeakSet<Episode>();
  #absences = new Map<Episode, Absence>();

  /** Whether Alertmanager had the alert in an answer. */
  wasSeen(episode: Episode): boolean {
    return this.#seen.has(episode);
  }

  /** The alert may be that of another Alertmanager: it is left alone until there is news. */
  leave(episode: Episode): void {
    const absence = this.#absences.get(episode);
    if (absence !== undefined) this.#absences.set(episode, { ...absence, isOthers: true });
  }

  /** To be called when there was no answer that proves anything: starts over. */
  startOver(): void {
    this.#absences.clear();
  }

  /** Takes an answer: all its alerts, by fingerprint. Returns what has been absent for long. */
  take(
    open: Iterable<Episode>,
    alerts: Pick<ReadonlySet<string>, 'has'>,
    { now, monotonic, heardAt }: {
      readonly now: number;
      readonly monotonic: number;
      readonly heardAt: (fingerprint: string) => number;
    },
  ): GoneEpisode[] {
    const absences = new Map<Episode, Absence>();
    let isAlone = true;
    for (const episode of open) {
      const { fingerprint } = episode;
      if (alerts.has(fingerprint)) {
        this.#seen.add(episode);
        isAlone = false;
        continue;
      }
      const heard = heardAt(fingerprint);
      const known = this.#absences.get(episode);
      const absence = known?.heardAt === heard ? known
        : { firstAt: now, since: monotonic, heardAt: heard, answers: 0, isOthers: false };
      absences.set(episode, { ...absence, answers: absence.answers + 1 });
    }
    this.#absences = absences;
    const leastMs = isAlone ? absentAloneMs : absentMs;
    return [...absences].flatMap(([episode, { firstAt, since, heardAt: heard, ...absence }]) => {
      const isLong = absence.answers >= answersMin && monotonic - since >= leastMs;
      const isUnheard = Math.abs(now - heard) >= unheardMs; // Ahead where the clock was set back.
      const isGone = isLong && isUnheard && !isPending(episode.analysis);
      return isGone && !absence.isOthers ? [{ episode, goneAt: firstAt }] : [];
    });
  }
}
