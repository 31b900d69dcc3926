import type { Clock } from '../lib/clock.ts';
import { LineFullError, type Limiter } from '../lib/limiter.ts';
import { ShortLivedMap } from '../lib/short-lived-map.ts';
import type { AnswerBody } from './answer-body.ts';
import type { SourceIdentity } from './source-access.ts';
import type { AskableSource, SourceClient, SourceRequest } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';

interface CacheOptions {
  readonly clock: Clock;
  /** Where a question that is not in the cache waits for its turn. */
  readonly gate: Limiter;
}

/** Long enough for the alerts of one notification, short enough for a report to be current. */
const answerKeptMs = 60_000;
/** Spares a source that is down from the same question for every alert of a storm. */
const failureKeptMs = 5_000;
const entriesMax = 400;
/** Size of the answers' bodies; what is kept of them is smaller and mostly outside the heap. */
const bytesMax = 16 * 1024 * 1024;

/** An answer, the size of its body, and the body itself if whoever asked first wanted it. */
interface Read {
  readonly value: unknown;
  readonly bytes: number;
  readonly body: AnswerBody | null;
}

/** A question in flight, shared by all who wait for its answer. */
interface Flight {
  readonly answer: Promise<Read>;
  /** Aborts the request when nobody waits for it any more. */
  readonly ended: AbortController;
  waiting: number;
}

interface Kept {
  readonly answer: Promise<Read>;
  readonly bytes: number;
  readonly until: number;
}

/**
 * Shares answers between investigations: the alerts of one group ask nearly the same questions, and
 * a storm of them must cost the source one set. Answers are shared objects; do not modify them.
 */
export class AnswerCache implements AskableSource {
  readonly identity: SourceIdentity;
  readonly timeoutMs: number;
  readonly #client: SourceClient;
  readonly #options: CacheOptions;
  readonly #flights = new ShortLivedMap<string, Flight>();
  /** Oldest first. */
  readonly #kept = new ShortLivedMap<string, Kept>();
  #bytes = 0;

  constructor(client: SourceClient, options: CacheOptions) {
    this.identity = client.identity;
    this.timeoutMs = client.timeoutMs;
    this.#client = client;
    this.#options = options;
  }

  /** As {@linkcode SourceClient.ask}; fails with `cancelled` if the gate refuses the question. */
  async ask<T>(request: SourceRequest, read: (body: Buffer) => T): Promise<T> {
    const { value, body } = await this.#answer(request, read);
    if (body !== null) request.onBody?.(body);
    return value as T;
  }

  #answer(request: SourceRequest, read: (body: Buffer) => unknown): Promise<Read> {
    const { path, parameters = [] } = request;
    // The path determines how an answer is read, so `read` is not part of the key.
    const key = JSON.stringify([path, parameters]);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#options.clock.monotonic() < kept.until) return kept.answer;
    const flight = this.#flights.get(key) ?? this.#begin(key, request, read);
    return this.#join(key, flight, request.signal);
  }

  #begin(key: string, request: SourceRequest, read: (body: Buffer) => unknown): Flight {
    const ended = new AbortController();
    const asked = { ...request, signal: ended.signal };
    const answer = this.#options.gate.run(() => this.#send(asked, read), ended.signal);
    const flight: Flight = { answer, ended, waiting: 0 };
    this.#flights.set(key, flight);
    answer.then(
      ({ bytes }) => this.#land(key, flight, { bytes, keptMs: answerKeptMs }),
      (error: unknown) => {
        const isAnswered = error instanceof SourceFailure && error.reason !== 'cancelled';
        this.#land(key, flight, { bytes: 0, keptMs: isAnswered ? failureKeptMs : 0 });
      },
    );
    return flight;
  }

  async #send(
    { onBody, ...request }: SourceRequest,
    read: (body: Buffer) => unknown,
  ): Promise<Read> {
    let bytes = 0;
    let body: AnswerBody | null = null;
    const keep = (given: AnswerBody): void => void (body = given);
    const value = await this.#client.ask({ ...request, ...(onBody && { onBody: keep }) }, (raw) => {
      bytes = raw.length;
      return read(raw);
    });
    return { value, bytes, body };
  }

  async #join(key: string, flight: Flight, signal: AbortSignal | undefined): Promise<Read> {
    flight.waiting += 1;
    try {
      return await unlessAborted(flight.answer, signal);
    } catch (error) {
      if (error instanceof SourceFailure) throw error;
      const detail = error instanceof LineFullError ? 'Too many queries are waiting'
        : 'the investigation ended before the answer';
      throw new SourceFailure(this.identity, { reason: 'cancelled', detail });
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0 && this.#flights.get(key) === flight) {
        this.#flights.delete(key);
        flight.ended.abort(new Error('Nobody waits for the answer'));
      }
    }
  }

  #land(key: string, flight: Flight, { bytes, keptMs }: { bytes: number; keptMs: number }): void {
    if (this.#flights.get(key) !== flight) return;
    this.#flights.delete(key);
    this.#drop(key);
    if (keptMs === 0 || bytes > bytesMax) return;
    const until = this.#options.clock.monotonic() + keptMs;
    this.#kept.set(key, { answer: flight.answer, bytes, until });
    this.#bytes += bytes;
    this.#makeRoom();
  }

  #makeRoom(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, { until }] of this.#kept) {
      const isFull = this.#kept.size > entriesMax || this.#bytes > bytesMax;
      if (!isFull && now < until) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.delete(key)?.bytes ?? 0;
  }
}

/** Rejects if the signal is aborted first; the promise itself continues for others. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let giveUp = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
