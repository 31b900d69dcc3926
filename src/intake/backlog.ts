import { isPending } from '../episodes/analysis-state.ts';
import type { Episode } from '../episodes/episode.ts';

/** What waits for its first report, or comes and will. */
export interface Load {
  readonly alerts: number;
  /** Memory that its texts take; of what comes, the length of its body. */
  readonly bytes: number;
}

/** A notification that asks for room. */
export interface Coming extends Load {
  /** Whether one of the episodes that it begins fires. */
  readonly fires: boolean;
  /** Whether one of these is critical. */
  readonly isCritical: boolean;
}

/** In the queue itself, or in what is reserved beside it. */
export type Room = 'queue' | 'reserve';

/** Memory budget per waiting alert on average; hostile ones can be far larger. */
const bytesPerAlert = 16 * 1024;
/**
 * A notification without new firing alerts is taken up to this many times the limit: an end should
 * not be refused because the queue is full, but a flood of ends must not exhaust memory either.
 */
const endsLimitFactor = 1.5;
/** The share of the limit that is reserved, in addition, for notifications of critical alerts. */
const reserveShare = 1 / 4;

/**
 * Where a notification finds room; null if nowhere. `limit` is the number of alerts that the queue
 * is for; `queue` and `reserve` are what waits already, of which the reserve is a part.
 */
export function roomFor(
  limit: number,
  { queue, reserve }: Readonly<Record<Room, Load>>,
  coming: Coming,
): Room | null {
  const isOfEnds = !coming.fires;
  if (fits(queue, coming, isOfEnds ? endsLimitFactor * limit : limit)) return 'queue';
  return coming.isCritical && fits(reserve, coming, reserveShare * limit) ? 'reserve' : null;
}

function fits(waiting: Load, coming: Load, limit: number): boolean {
  // News of known episodes needs no place, only memory.
  return (coming.alerts === 0 || isWithin(limit, waiting.alerts, coming.alerts))
    && isWithin(limit * bytesPerAlert, waiting.bytes, coming.bytes);
}

/**
 * One notification counts for half of the limit at most. It is taken whole or not at all, and its
 * sender repeats it unchanged: larger ones would otherwise never be taken.
 */
function isWithin(limit: number, waiting: number, coming: number): boolean {
  return waiting + Math.min(coming, limit / 2) <= limit;
}

/** Admits notifications, and knows those that are being stored or are in the reserve. */
export class Backlog {
  readonly #limit: number;
  readonly #waiting: () => Load;
  readonly #storing: Record<Room, Load> = { queue: nothing, reserve: nothing };
  /** Episodes that found room in the reserve; some may have their report already. */
  readonly #reserved = new Set<Episode>();

  /** `waiting` tells what waits in all, except what is being stored. */
  constructor(limit: number, waiting: () => Load) {
    this.#limit = limit;
    this.#waiting = waiting;
  }

  /** Whether a request for one more analysis finds room. */
  get hasRoom(): boolean {
    return this.#roomFor({ alerts: 1, bytes: 0, fires: true, isCritical: false }) !== null;
  }

  /**
   * Null if there is no room. Otherwise the notification counts as waiting until the function is
   * called with the episodes that it began or changed; with none if it could not be stored.
   */
  admit(coming: Coming): ((episodes: readonly Episode[]) => void) | null {
    const room = this.#roomFor(coming);
    if (room === null) return null;
    this.#storing[room] = sum(this.#storing[room], coming);
    return (episodes) => {
      const { alerts, bytes } = coming;
      this.#storing[room] = sum(this.#storing[room], { alerts: -alerts, bytes: -bytes });
      if (room === 'reserve') for (const episode of episodes) this.#reserved.add(episode);
    };
  }

  #roomFor(coming: Coming): Room | null {
    const { queue, reserve } = this.#storing;
    return roomFor(this.#limit, {
      queue: sum(sum(this.#waiting(), queue), reserve),
      reserve: sum(this.#inReserve(), reserve),
    }, coming);
  }

  #inReserve(): Load {
    let load = nothing;
    for (const episode of this.#reserved) {
      if (isPending(episode.analysis) && episode.conclusion === null) {
        load = sum(load, { alerts: 1, bytes: episode.latest?.weight ?? 0 });
      } else this.#reserved.delete(episode);
    }
    return load;
  }
}

const nothing: Load = { alerts: 0, bytes: 0 };

function sum(a: Load, b: Load): Load {
  return { alerts: a.alerts + b.alerts, bytes: a.bytes + b.bytes };
}
