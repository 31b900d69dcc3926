import { FairLine } from './fair-line.ts';
import { Fifo } from './fifo.ts';

/** What the order of jobs depends on. */
export interface Job {
  /** 0 is the most severe; see `severityRank`. */
  readonly severityRank: number;
  /** Monotonic milliseconds. */
  readonly queuedAt: number;
  /** News of an episode that already has a report: slightly less urgent than a first report. */
  readonly isUpdate: boolean;
  /** Not caused by news: it only replaces a good report by a better one. */
  readonly isRecheck: boolean;
  /** An earlier attempt died with its worker or the process: it runs alone. */
  readonly isSuspect: boolean;
}

/** How much longer a job may wait than one of the level of severity above it. */
const rankDelayMs = 5 * 60_000;
const updateDelayMs = 30_000;
const rankMax = 3;
/** Whatever the severity, first reports and news come before rechecks. */
const recheckDelayMs = (rankMax + 1) * rankDelayMs;

/** One of this many claims is for what is due first, so that no job starves. */
const claimsPerDue = 5;

/** Up to this many ordinary jobs go before each suspect, so that these never block the queue. */
const ordinaryBeforeSuspect = 32;

/**
 * Jobs waiting for a worker. A job's kind is how long it may wait: the less severe, the longer; an
 * update a little longer than a first report, a recheck longest. It is due once that time has
 * passed. What is claimed, by the first rule that applies:
 *
 * | when | what is claimed |
 * | --- | --- |
 * | after 32 ordinary jobs, or if there are none | a suspect, alone |
 * | every fifth time | what is due first |
 * | otherwise | of the most urgent kind, the oldest job of the incident whose turn it is |
 *
 * Incidents take turns as in a {@linkcode FairLine}. So the first report of something new comes
 * before the hundredth of something known; what is old, however much, holds up nothing urgent; and
 * no job starves.
 *
 * A suspect is claimed only when nothing is running, and nothing is claimed while it runs: if it
 * takes the process down, only its own attempt is charged.
 */
export class JobQueue<T extends Job> {
  readonly #incidentOf: (job: T) => string;
  /** Not sorted yet: a job's incident is known only when the next is claimed. */
  readonly #arrived = new Fifo<T>();
  /** By how long their jobs may wait, in ms. */
  readonly #lines = new Map<number, FairLine<T>>();
  readonly #suspects = new Fifo<T>();
  #waiting = 0;
  #running = 0;
  #firstReports = 0;
  #suspectRuns = false;
  /**
   * Since the last suspect. Starts at 0, as otherwise a process in a crash loop would begin with
   * the same suspect every time, and charge only that one.
   */
  #ordinaryClaims = 0;
  #claimsUntilDue = 0;

  /**
   * `incidentOf` tells what a job is part of, or at least similar to: all jobs of which it says the
   * same share their turns. It is called once for each job, at the first claim after its addition.
   */
  constructor(incidentOf: (job: T) => string) {
    this.#incidentOf = incidentOf;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get running(): number {
    return this.#running;
  }

  /** Jobs, waiting or running, of episodes that have no report yet. */
  get firstReports(): number {
    return this.#firstReports;
  }

  /** When the longest waiting job was queued, in monotonic ms; null when none waits. */
  get oldestQueuedAt(): number | null {
    const oldest = [...this.#lines.values()].map((line) => line.oldest);
    const times = [this.#arrived.first, this.#suspects.first, ...oldest].flatMap((job) =>
      (job === null || job === undefined ? [] : [job.queuedAt]));
    return times.length === 0 ? null : Math.min(...times);
  }

  add(job: T): void {
    this.#waiting += 1;
    this.#firstReports += isFirstReport(job) ? 1 : 0;
    this.#arrived.push(job);
  }

  /** Takes the next job; null when none waits, or when a suspect needs the workers to itself. */
  claim(): T | null {
    if (this.#suspectRuns) return null;
    this.#sort();
    const urgent = this.#mostUrgent();
    if (this.#suspects.first !== undefined) {
      // It is the suspect's turn, and stays so even if ordinary jobs are added while it waits.
      if (urgent === null) this.#ordinaryClaims = ordinaryBeforeSuspect;
      if (this.#ordinaryClaims >= ordinaryBeforeSuspect) return this.#claimSuspect();
    }
    if (urgent === null) return null;
    this.#ordinaryClaims += 1;
    if (this.#claimsUntilDue > 0) {
      this.#claimsUntilDue -= 1;
      return this.#claimed(urgent.takeNext());
    }
    this.#claimsUntilDue = claimsPerDue - 1;
    return this.#claimed(this.#dueFirst()?.takeOldest() ?? null);
  }

  #claimSuspect(): T | null {
    if (this.#running > 0) return null;
    this.#suspectRuns = true;
    this.#ordinaryClaims = 0;
    return this.#claimed(this.#suspects.shift() ?? null);
  }

  /** To be called once a claimed job has ended, whatever its outcome. */
  release(job: T): void {
    this.#running -= 1;
    this.#firstReports -= isFirstReport(job) ? 1 : 0;
    if (job.isSuspect) this.#suspectRuns = false;
  }

  #sort(): void {
    for (let job = this.#arrived.shift(); job !== undefined; job = this.#arrived.shift()) {
      if (job.isSuspect) this.#suspects.push(job);
      else this.#lineFor(job).add(this.#incidentOf(job), job);
    }
  }

  #lineFor(job: T): FairLine<T> {
    const delay = delayOf(job);
    const line = this.#lines.get(delay) ?? new FairLine<T>();
    this.#lines.set(delay, line);
    return line;
  }

  #mostUrgent(): FairLine<T> | null {
    let [urgent, least]: [FairLine<T> | null, number] = [null, Infinity];
    for (const [delay, line] of this.#lines) {
      if (line.oldest !== null && delay < least) [urgent, least] = [line, delay];
    }
    return urgent;
  }

  #dueFirst(): FairLine<T> | null {
    let [first, dueAt]: [FairLine<T> | null, number] = [null, Infinity];
    for (const [delay, line] of this.#lines) {
      const due = (line.oldest?.queuedAt ?? Infinity) + delay;
      if (due < dueAt) [first, dueAt] = [line, due];
    }
    return first;
  }

  #claimed(job: T | null): T | null {
    if (job === null) return null;
    this.#waiting -= 1;
    this.#running += 1;
    return job;
  }
}

function isFirstReport({ isUpdate, isRecheck }: Job): boolean {
  return !isUpdate && !isRecheck;
}

/** How long the job may wait, in ms. */
function delayOf(job: Job): number {
  if (job.isRecheck) return recheckDelayMs;
  const rank = Math.min(job.severityRank, rankMax);
  return rank * rankDelayMs + (job.isUpdate ? updateDelayMs : 0);
}
