/** What orders jobs: how bad, since when, and whether it was begun before and not finished. */
export interface Job {
  /** 0 is worst; see `severityRank`. */
  readonly severityRank: number;
  /** Monotonic milliseconds. */
  readonly queuedAt: number;
  /** News of an episode that has a report already: a little less urgent than one without. */
  readonly isUpdate: boolean;
  /** There is no news: it only makes a better report in place of a good one. */
  readonly isSecondLook: boolean;
  /** Its worker died, or the process did: it runs with nothing beside it. */
  readonly isSuspect: boolean;
}

/** A worse severity is worth this much waiting, so nothing waits for ever behind what is worse. */
const rankHeadStartMs = 5 * 60_000;
const updateDelayMs = 30_000;
const rankMax = 3;
/** However bad the alert is, what has no report yet is made first, and all other news. */
const secondLookDelayMs = (rankMax + 1) * rankHeadStartMs;

/** Ordinary jobs that go before each suspect, as far as any wait, so that suspects stop nothing. */
const ordinaryBeforeSuspect = 32;

/**
 * Jobs waiting for a worker, in order of severity and then age, with ageing: a job is due at
 * the moment it was queued plus a delay that grows with its harmlessness, and the earliest due
 * goes first. Within one severity that is first in, first out, so one list per delay suffices.
 *
 * A suspect is claimed only when nothing runs, and while it runs nothing is claimed: if it takes
 * the process down, it alone is charged with it.
 */
export class JobQueue<T extends Job> {
  readonly #lists = new Map<number, Fifo<T>>();
  readonly #suspects = new Fifo<T>();
  #waiting = 0;
  #running = 0;
  #suspectRuns = false;
  /**
   * Since the last suspect; 0 at the start. Otherwise a process that dies again and again would
   * begin each time with the same suspect, and charge only that one.
   */
  #ordinaryClaims = 0;

  get waiting(): number {
    return this.#waiting;
  }

  get running(): number {
    return this.#running;
  }

  /** When the job that waits longest was queued, in monotonic milliseconds; null when none. */
  get oldestQueuedAt(): number | null {
    const heads = [this.#suspects, ...this.#lists.values()].map((list) => list.first?.queuedAt);
    const times = heads.filter((time) => time !== undefined);
    return times.length === 0 ? null : Math.min(...times);
  }

  add(job: T): void {
    this.#waiting += 1;
    this.#listFor(job).push(job);
  }

  /** Takes the next job, or null when none waits or a suspect needs the workers to itself. */
  claim(): T | null {
    if (this.#suspectRuns) return null;
    const ordinary = this.#earliestDue();
    if (this.#suspects.first !== undefined) {
      // Its turn has come, and stays, though ordinary jobs may be added while it waits.
      if (ordinary === null) this.#ordinaryClaims = ordinaryBeforeSuspect;
      if (this.#ordinaryClaims >= ordinaryBeforeSuspect) return this.#claimSuspect();
    }
    if (ordinary === null) return null;
    this.#ordinaryClaims += 1;
    return this.#take(ordinary);
  }

  #claimSuspect(): T | null {
    if (this.#running > 0) return null;
    this.#suspectRuns = true;
    this.#ordinaryClaims = 0;
    return this.#take(this.#suspects);
  }

  /** A claimed job is out of the workers' hands, whatever came of it. */
  release(job: T): void {
    this.#running -= 1;
    if (job.isSuspect) this.#suspectRuns = false;
  }

  #listFor(job: T): Fifo<T> {
    if (job.isSuspect) return this.#suspects;
    const delay = delayOf(job);
    const list = this.#lists.get(delay) ?? new Fifo<T>();
    this.#lists.set(delay, list);
    return list;
  }

  #earliestDue(): Fifo<T> | null {
    let earliest: Fifo<T> | null = null;
    let dueAt = Number.POSITIVE_INFINITY;
    for (const [delay, list] of this.#lists) {
      const first = list.first;
      if (first === undefined || first.queuedAt + delay >= dueAt) continue;
      dueAt = first.queuedAt + delay;
      earliest = list;
    }
    return earliest;
  }

  #take(list: Fifo<T>): T | null {
    const job = list.shift();
    if (job === undefined) return null;
    this.#waiting -= 1;
    this.#running += 1;
    return job;
  }
}

function delayOf(job: Job): number {
  if (job.isSecondLook) return secondLookDelayMs;
  const rank = Math.min(job.severityRank, rankMax);
  return rank * rankHeadStartMs + (job.isUpdate ? updateDelayMs : 0);
}

/** A list with a constant-time shift: the slots of taken items are cut off in bulk. */
class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head] = undefined; // The list must not keep a claimed job in memory.
    this.#head += 1;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
