import type { Clock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { AnswerBody } from '../sources/answer-body.ts';
import { bySource, type AskedSource } from '../sources/asked-source.ts';
import type { AskableSource, SourceRequest } from '../sources/source-client.ts';
import { SourceFailure } from '../sources/source-failure.ts';
import { Occurrences } from './occurrences.ts';
import {
  questionKey, type Question, type RecordedEvent, type RecordedInvestigation, type Sources,
} from './recording.ts';
import { Turnstile } from './turnstile.ts';

export interface RecorderOptions {
  readonly clock: Clock;
  readonly sources: Sources;
  /** Of all answers of the investigation, unpacked; beyond it nothing is kept. */
  readonly answerBytesMax: number;
}

/** An investigation, and the bodies that its events mean by their indexes. */
export interface Recorded {
  readonly investigation: RecordedInvestigation;
  readonly bodies: readonly AnswerBody[];
  /** Of the bodies, unpacked. */
  readonly bytes: number;
}

/** Stands between one investigation and what it asks: its clock and its sources. */
export class Recorder {
  readonly clock: Clock;
  readonly sources: Sources;
  readonly #options: RecorderOptions;
  readonly #turnstile = new Turnstile();
  readonly #occurrences = new Occurrences();
  readonly #now: number[] = [];
  readonly #monotonic: number[] = [];
  readonly #unanswered = new Map<string, Question>();
  #events: RecordedEvent[] = [];
  /** With their indexes. */
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

  /** Why the investigation cannot be repeated from what is kept; null while it can be. */
  get problem(): string | null {
    return this.#problem;
  }

  /** What is kept of the investigation that gave this report; null when there is a problem. */
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
      timeoutMs: source.timeoutMs,
      failure: (fault) => source.failure(fault),
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
    const asked = ask({ ...request, onBody: (told) => (body = told) });
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

  #noteAnswer(question: Question, body: AnswerBody | null): void {
    if (body === null) return this.#giveUp('An answer was not kept.');
    if (this.#problem !== null) return;
    let index = this.#bodies.get(body);
    if (index === undefined) {
      index = this.#bodies.size;
      this.#bodies.set(body, index);
      this.#bytes += body.bytes;
    }
    this.#events.push({ kind: 'answer', question, body: index });
    const max = this.#options.answerBytesMax;
    if (this.#bytes > max) this.#giveUp(`The answers take more than ${max / 1024 / 1024} MiB.`);
  }

  #noteFailure(question: Question, error: unknown): void {
    if (!(error instanceof SourceFailure)) return this.#giveUp('A source failed as none should.');
    if (this.#problem !== null) return;
    const { reason, detail, status, isTransient } = error;
    const fault = { reason, detail, status, isTransient };
    this.#events.push({ kind: 'failure', question, fault });
  }

  /** Lets go of everything: memory is worth more than half a recording. */
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
      }), () => undefined); // Aborted, and told so already.
    });
  }
}

function noted(values: number[], value: number): number {
  values.push(value);
  return value;
}
