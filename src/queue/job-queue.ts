/** What the order of jobs depends on. */
export interface Job {
  /** 0 is the most severe; see `severityRank`. */
  readonly severityRank: number;
  /** Monotonic milliseconds. */
  readonly queuedAt: number;
  /** News of an episode that already has a report: slightly less urgent than a first report. */
  readonly isUpdate: boolean;
  /** Not caused by news: it only replaces a good report by a better one. */
  readonly isSecondLook: boolean;
  /** An earlier attempt died with its worker or the process: it runs alone. */
  readonly isSuspect: boolean;
}

/** Each severity level is worth this much waiting, so that no job starves. */
const rankHeadStartMs = 5 * 60_000;
const updateDelayMs = 30_000;
const rankMax = 3;
/** Whatever the severity, first reports and news come before second looks. */
const secondLookDelayMs = (rankMax + 1) * rankHeadStartMs;

/** Up to this many ordinary jobs go before each suspect, so that these never block the queue. */
const ordinaryBeforeSuspect = 32;

/**
 * Jobs waiting for a worker, ordered by severity and age: a job is due when it was queued plus a
 * delay that is longer the less severe it is, and the earliest due goes first. Jobs with the same
 * delay are first in, first out, so one list per delay is enough.
 *
 * A suspect is claimed only when nothing is running, and nothing is claimed while it runs: if it
 * takes the process down, only its own attempt is charged.
 */
export class JobQueue<T extends Job> {
  readonly #lists = new Map<number, Fifo<T>>();
  readonly #suspects = new Fifo<T>();
  #waiting = 0;
  #running = 0;
  #suspectRuns = false;
  /**
   * Since the last suspect. Starts at 0, as otherwise a process in a crash loop would begin with
   * the same suspect every time, and charge only that one.
   */
  #ordinaryClaims = 0;

  get waiting(): number {
    return this.#waiting;
  }

  get running(): number {
    return this.#running;
  }

  /** When the longest waiting job was queued, in monotonic ms; null when none waits. */
  get oldestQueuedAt(): number | null {
    const heads = [this.#suspects, ...this.#lists.values()].map((list) => list.first?.queuedAt);
    const times = heads.filter((time) => time !== undefined);
    return times.length === 0 ? null : Math.min(...times);
  }

  add(job: T): void {
    this.#waiting += 1;
    this.#listFor(job).push(job);
  }

  /** Takes the next job; null when none waits, or when a suspect needs the workers to itself. */
  claim(): T | null {
    if (this.#suspectRuns) return null;
    const ordinary = this.#earliestDue();
    if (this.#suspects.first !== undefined) {
      // It is the suspect's turn, and stays so even if ordinary jobs are added while it waits.
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

  /** To be called once a claimed job has ended, whatever its outcome. */
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
