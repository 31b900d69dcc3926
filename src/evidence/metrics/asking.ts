import type { Clock } from '../../lib/clock.ts';
import { compareText } from '../../lib/compare-text.ts';
import type { Prometheus, RangeWindow } from '../../sources/prometheus.ts';
import type { InstantAnswer, RangeAnswer } from '../../sources/prometheus-answers.ts';
import type { AlertRule } from '../../sources/prometheus-rules.ts';
import { mayPass, SourceFailure, type FailureReason } from '../../sources/source-failure.ts';

/** The subjects of the questions, in the order in which their faults are listed. */
export const parts = {
  rule: 'The rule as the server has it',
  fired: 'When the alert fired before',
  own: "The alert's own series",
  limit: 'The limit that it is compared with',
  peers: 'Other series of the same rule',
  inside: 'The series inside the aggregation of the rule',
  scrape: 'Whether the targets are scraped',
  search: 'Series around the alert',
  events: 'Restarts, versions and configuration',
  season: 'The same time on earlier days',
  recovery: 'What moved back by the end',
  tests: 'Queries that decide between causes',
} as const;

export type Part = keyof typeof parts;

/** A question without a usable answer. */
export interface Fault {
  readonly part: Part;
  readonly why: string;
  readonly hint: string;
  /** Whether asking again in a few minutes may succeed. */
  readonly mayPass: boolean;
}

interface AskerOptions {
  readonly prometheus: Prometheus;
  readonly clock: Clock;
  /** Time for all questions together, from now on. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Reasons that lie with the server rather than with the question. */
const serverReasons: ReadonlySet<FailureReason> = new Set([
  'timeout', 'connection', 'tls', 'unauthorized', 'not_json', 'unexpected', 'server_error',
  'rate_limited', 'cancelled',
]);

/** After this many consecutive failures the server is not asked any more. */
const failuresMax = 3;

/**
 * Asks the questions of one investigation until the deadline. A failure is recorded as a fault, and
 * its answer is null. Throws only the signal's reason and errors that are not a SourceFailure.
 */
export class Asker {
  readonly #prometheus: Prometheus;
  readonly #signal: AbortSignal;
  readonly #deadlineMs: number;
  readonly #ended = new AbortController();
  readonly #faults: Fault[] = [];
  readonly #over: Promise<'late'>;
  #isLate = false;
  #failures = 0;
  #answers = 0;

  constructor({ prometheus, clock, deadlineMs, signal }: AskerOptions) {
    this.#prometheus = prometheus;
    this.#signal = signal;
    this.#deadlineMs = deadlineMs;
    this.#over = this.#untilOver(clock);
    this.#over.catch(() => undefined); // There may be nobody waiting for it.
  }

  /** Whether the server has given any usable answer. */
  get hasAnswers(): boolean {
    return this.#answers > 0;
  }

  /** Whether further questions are pointless: time is up, or the server does not answer. */
  get isOver(): boolean {
    return this.#isLate || this.#failures >= failuresMax;
  }

  /** By part, then by text, whatever order the answers came in. */
  get faults(): readonly Fault[] {
    const order = Object.keys(parts);
    return this.#faults.toSorted((a, b) =>
      order.indexOf(a.part) - order.indexOf(b.part) || compareText(a.why, b.why));
  }

  failed(part: Part): Fault | null {
    return this.faults.find((fault) => fault.part === part) ?? null;
  }

  /** The alerting rules of a name. */
  rules(name: string): Promise<readonly AlertRule[] | null> {
    return this.#ask('rule', () => this.#prometheus.rules(name));
  }

  query(part: Part, expression: string, atMs: number): Promise<InstantAnswer | null> {
    return this.#ask(part, () => this.#prometheus.query(expression, atMs));
  }

  queryRange(part: Part, expression: string, window: RangeWindow): Promise<RangeAnswer | null> {
    return this.#ask(part, () => this.#prometheus.queryRange(expression, window));
  }

  /** Ends the timer. */
  close(): void {
    this.#ended.abort();
  }

  async #ask<T>(part: Part, question: () => Promise<T>): Promise<T | null> {
    this.#signal.throwIfAborted();
    if (this.isOver) {
      this.#note(part, this.#isLate ? this.#late() : unasked);
      return null;
    }
    const answer = question().then((value) => ({ value }), (error: unknown) => ({ error }));
    const outcome = await Promise.race([answer, this.#over]);
    this.#signal.throwIfAborted();
    if (outcome === 'late') {
      this.#note(part, this.#late());
      return null;
    }
    if ('value' in outcome) {
      this.#answers += 1;
      this.#failures = 0;
      return outcome.value;
    }
    const { error } = outcome;
    if (!(error instanceof SourceFailure)) throw error;
    if (serverReasons.has(error.reason)) this.#failures += 1;
    this.#note(part, {
      why: `${error.message}.`, hint: error.hint, mayPass: mayPass(error.reason),
    });
    return null;
  }

  #note(part: Part, fault: Omit<Fault, 'part'>): void {
    const isKnown = this.#faults.some((known) => known.part === part && known.why === fault.why);
    if (!isKnown) this.#faults.push({ part, ...fault });
  }

  #late(): Omit<Fault, 'part'> {
    return {
      why: `No answer within the ${this.#deadlineMs / 1000} s that all queries have together.`,
      hint: 'Check the load on Prometheus, and that PROMETHEUS_URL is right.',
      mayPass: true,
    };
  }

  async #untilOver(clock: Clock): Promise<'late'> {
    const ended = AbortSignal.any([this.#signal, this.#ended.signal]);
    try {
      await clock.sleep(this.#deadlineMs, ended);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!this.#ended.signal.aborted) throw error;
    }
    this.#isLate = true;
    return 'late';
  }
}

const unasked = {
  why: 'Not asked, since earlier queries got no answer.',
  hint: 'Fix the other failures first.',
  mayPass: false,
};
