import type { Clock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { AnswerBody } from '../sources/answer-body.ts';
import { bySource, type AskedSource, type Sources } from '../sources/asked-source.ts';
import type { AskableSource, SourceRequest } from '../sources/source-client.ts';
import { SourceFailure } from '../sources/source-failure.ts';
import { EventSequencer } from './event-sequencer.ts';
import { Occurrences } from './occurrences.ts';
import {
  questionKey, type RecordedQuery, type RecordedEvent, type RecordedInvestigation,
} from './recording.ts';

interface RecorderOptions {
  readonly clock: Clock;
  readonly sources: Sources;
  /** Limit of all answers of the investigation together, unpacked; beyond it nothing is kept. */
  readonly answerBytesMax: number;
}

/** An investigation, and the bodies that its events refer to by index. */
export interface Recorded {
  readonly investigation: RecordedInvestigation;
  readonly bodies: readonly AnswerBody[];
  /** Size of the bodies, unpacked. */
  readonly bytes: number;
}

/** Wraps the clock and the sources of one investigation and records what they return. */
export class Recorder {
  readonly clock: Clock;
  readonly sources: Sources;
  readonly #options: RecorderOptions;
  readonly #turnstile = new EventSequencer();
  readonly #occurrences = new Occurrences();
  readonly #now: number[] = [];
  readonly #monotonic: number[] = [];
  readonly #unanswered = new Map<string, RecordedQuery>();
  #events: RecordedEvent[] = [];
  /** Each with its index. */
  #bodies = new Map<AnswerBody, number>();
  #bytes = 0;
  #problem: string | null = null;

  constructor(options: RecorderOptions) {
    const { clock, sources } = options;
    this.#options = options;
    this.clock = {
      now: () => noted(this.#now, clock.now()),
      monotonic: () => noted(this.#monotonic, clock.monotonic()),
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
    this.sources = bySource((name) => sources[name] && this.#source(name, sources[name]));
  }

  /** Why the investigation cannot be replayed, as a sentence; null while it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /**
   * Returns the record of the investigation that made this report; null if there is a problem. It
   * is a copy, as answers that come late are still noted here.
   */
  finish(caseFile: CaseFile, report: string): Recorded | null {
    if (this.#problem !== null) return null;
    const { sources } = this.#options;
    const investigation = {
      caseFile,
      timeoutsMs: bySource((name) => sources[name]?.timeoutMs ?? null),
      now: [...this.#now], monotonic: [...this.#monotonic], events: [...this.#events],
      unanswered: [...this.#unanswered.values()],
      report,
    };
    return { investigation, bodies: [...this.#bodies.keys()], bytes: this.#bytes };
  }

  #source(name: AskedSource, source: AskableSource): AskableSource {
    return {
      identity: source.identity, timeoutMs: source.timeoutMs,
      ask: (request, read) => this.#ask(name, request, (given) => source.ask(given, read)),
    };
  }

  #ask<T>(
    name: AskedSource,
    request: SourceRequest,
    ask: (request: SourceRequest) => Promise<T>,
  ): Promise<T> {
    const question = this.#occurrences.question(name, request);
    const key = questionKey(question);
    this.#unanswered.set(key, question);
    let body: AnswerBody | null = null;
    const asked = ask({ ...request, onBody: (given) => (body = given) });
    return new Promise((resolve, reject) => {
      asked.then((value) => this.#turnstile.pass(() => {
        this.#unanswered.delete(key);
        this.#noteAnswer(question, body);
        resolve(value);
      }), (error: unknown) => this.#turnstile.pass(() => {
        this.#unanswered.delete(key);
        this.#noteFailure(question, error);
        reject(error as Error);
      }));
    });
  }

  #noteAnswer(question: RecordedQuery, body: AnswerBody | null): void {
    if (body === null) return this.#giveUp('The body of an answer was not available.');
    if (this.#problem !== null) return;
    let index = this.#bodies.get(body);
    if (index === undefined) {
      index = this.#bodies.size;
      this.#bodies.set(body, index);
      this.#bytes += body.bytes;
    }
    this.#events.push({ kind: 'answer', question, body: index });
    const max = this.#options.answerBytesMax;
    if (this.#bytes > max) this.#giveUp(`The answers exceed ${max / 1024 / 1024} MiB.`);
  }

  #noteFailure(question: RecordedQuery, error: unknown): void {
    if (!(error instanceof SourceFailure)) return this.#giveUp('A source failed unexpectedly.');
    if (this.#problem !== null) return;
    const { reason, detail, status, isTransient } = error;
    const fault = { reason, detail, status, isTransient };
    this.#events.push({ kind: 'failure', question, fault });
  }

  /** Frees everything recorded so far, as an incomplete recording is of no use. */
  #giveUp(problem: string): void {
    this.#problem ??= problem;
    this.#events = [];
    this.#bodies = new Map();
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const nth = this.#occurrences.sleep(ms);
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal?.reason as Error);
      if (signal?.aborted === true) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.#options.clock.sleep(ms, signal).then(() => this.#turnstile.pass(() => {
        if (signal?.aborted === true) return;
        signal?.removeEventListener('abort', abort);
        if (this.#problem === null) this.#events.push({ kind: 'slept', ms, nth });
        resolve();
      }), () => undefined); // Aborted: `abort` has rejected already.
    });
  }
}

function noted(values: number[], value: number): number {
  values.push(value);
  return value;
}
