import type { Clock } from '../lib/clock.ts';
import { bySource, identities, type AskedSource, type Sources } from '../sources/asked-source.ts';
import type { AskableSource } from '../sources/source-client.ts';
import { faultOfError, SourceFailure, type Fault } from '../sources/source-failure.ts';
import { Occurrences } from './occurrences.ts';
import {
  questionKey, questionText, sleepKey, type RecordedQuery, type RecordedEvent,
  type RecordedInvestigation,
} from './recording.ts';

/** Something that an investigation waits for. */
interface Waiting {
  /** Null for a timer. */
  readonly question: RecordedQuery | null;
  happen(event: RecordedEvent): void;
  fail(fault: Fault): void;
}

/**
 * Answers an investigation from a recording, in the recorded order: one event in each turn of the
 * event loop, just as the turnstile did. Events that nobody waits for are skipped.
 */
export class Player {
  readonly clock: Clock;
  readonly sources: Sources;
  readonly #bodies: readonly string[];
  readonly #events: { readonly key: string; readonly event: RecordedEvent }[];
  readonly #unanswered: ReadonlySet<string>;
  readonly #occurrences = new Occurrences();
  readonly #waiting = new Map<string, Waiting>();
  readonly #missing: RecordedQuery[] = [];
  #isTurnDue = false;

  constructor(investigation: RecordedInvestigation, bodies: readonly string[]) {
    const { now, monotonic, events, unanswered, timeoutsMs } = investigation;
    this.#bodies = bodies;
    this.#events = events.map((event) => ({ key: keyOf(event), event }));
    this.#unanswered = new Set(unanswered.map(questionKey));
    this.clock = {
      now: oneByOne(now),
      monotonic: oneByOne(monotonic),
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
    this.sources = bySource((name) => this.#source(name, timeoutsMs[name]));
  }

  /** The questions that the recording could not answer, one line each. */
  get missing(): readonly string[] {
    return this.#missing.map(questionText);
  }

  #source(name: AskedSource, timeoutMs: number | null): AskableSource | null {
    if (timeoutMs === null) return null;
    return {
      identity: identities[name], timeoutMs,
      ask: (request, read) => this.#ask(this.#occurrences.question(name, request), read),
    };
  }

  #ask<T>(question: RecordedQuery, read: (body: Buffer) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (fault: Fault): void =>
        reject(new SourceFailure(identities[question.source], fault));
      this.#wait(questionKey(question), {
        question,
        happen: (event) => {
          if (event.kind === 'failure') return fail(event.fault);
          try {
            const body = event.kind === 'answer' ? this.#bodies[event.body] : undefined;
            resolve(read(Buffer.from(body ?? '')));
          } catch (error) {
            fail(faultOfError(error));
          }
        },
        fail,
      });
    });
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const key = sleepKey(ms, this.#occurrences.sleep(ms));
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(key);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted === true) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      const happen = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      this.#wait(key, { question: null, happen, fail: () => undefined });
    });
  }

  #wait(key: string, waiting: Waiting): void {
    this.#waiting.set(key, waiting);
    this.#turnSoon();
  }

  #turnSoon(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      if (this.#turn()) this.#turnSoon();
    });
  }

  /** Lets one event happen; returns false when there was none. */
  #turn(): boolean {
    const index = this.#events.findIndex(({ key }) => this.#waiting.has(key));
    const [next] = index < 0 ? [] : this.#events.splice(index, 1);
    if (next === undefined) return this.#turnWithoutEvent();
    this.#take(next.key)?.happen(next.event);
    return true;
  }

  /**
   * No recorded event is awaited, so an open question fails: first those that the recording does
   * not know, then those that were still open when the recorded report was written.
   */
  #turnWithoutEvent(): boolean {
    const open = [...this.#waiting].filter(([, { question }]) => question !== null);
    const unknown = open.find(([key]) => !this.#unanswered.has(key));
    const [key, waiting] = unknown ?? open[0] ?? [];
    if (key === undefined || waiting === undefined || waiting.question === null) return false;
    this.#take(key);
    if (unknown === undefined) {
      waiting.fail({ reason: 'cancelled', detail: 'the recording ended before the answer' });
    } else {
      this.#missing.push(waiting.question);
      waiting.fail({ reason: 'not_recorded', detail: 'the recording has no answer to it' });
    }
    return true;
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiting;
  }
}

function keyOf(event: RecordedEvent): string {
  return event.kind === 'slept' ? sleepKey(event.ms, event.nth) : questionKey(event.question);
}

/** Returns the values in order, then the last one again and again. */
function oneByOne(values: readonly number[]): () => number {
  let next = 0;
  return () => values[Math.min(next++, values.length - 1)] ?? 0;
}
