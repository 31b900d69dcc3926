import type { Clock } from '../../lib/clock.ts';
import { absent, type LiveState, type LiveSubject } from '../../report/live-state.ts';
import type { StreamOutput } from '../exchange.ts';
import { notListening, tooManyListeners } from '../http-errors.ts';

export interface ListenersOptions {
  readonly clock: Clock;
  /** Cheap: asked for each subject that is listened to, whenever something may have changed. */
  readonly stateOf: (subject: LiveSubject) => LiveState | null;
  readonly limits?: Partial<ListenerLimits>;
}

export interface ListenerLimits {
  /** Readers behind one proxy count as one client unless it is trusted. */
  readonly perClient: number;
  /** Well below what the server takes of connections: senders of alerts need some. */
  readonly total: number;
}

interface NewListener {
  readonly client: string;
  readonly subject: LiveSubject;
  /** The revision that the reader has already; null for one that begins. */
  readonly known: string | null;
  readonly output: StreamOutput;
}

interface Listener {
  readonly client: string;
  readonly subject: LiveSubject;
  readonly output: StreamOutput;
  /** What was told last. */
  revision: string | null;
  progress: string;
  /** Up to which change it was looked at, and when it may be told the next one. */
  seen: number;
  dueAt: number;
  readonly endsAt: number;
}

const defaultLimits: ListenerLimits = { perClient: 64, total: 256 };

/** Changes that come together are told together. */
const lookEveryMs = 100;
/** How soon a listener is told of the next change: what shows many alerts changes all the time. */
const tellEveryMs: Readonly<Record<LiveSubject['kind'], number>> = {
  report: 250, list: 2_000, incident: 2_000,
};
/** Keeps connections open through proxies, and finds out who is gone. */
const heartbeatEveryMs = 15_000;
/** After so long a listener has to ask again, with the login that is valid then. */
const listenMaxMs = 60 * 60_000;
/** What a browser waits before it asks again after a connection ended. */
const retryMs = 2_000;

/**
 * Everybody who is told of changes while a page is open, by Server-Sent Events (WHATWG HTML,
 * section 9.2): `changed` when the subject has another revision, `progress` while it is analysed.
 * Nothing is kept for those who are away: the first event says where the subject stands, and the
 * page compares that with what it shows.
 */
export class Listeners {
  readonly #clock: Clock;
  readonly #stateOf: ListenersOptions['stateOf'];
  readonly #limits: ListenerLimits;
  readonly #listeners = new Set<Listener>();
  readonly #ofClient = new Map<string, number>();
  readonly #closed = new AbortController();
  #changes = 0;
  #isLooking = false;
  #isBeating = false;

  constructor({ clock, stateOf, limits }: ListenersOptions) {
    this.#clock = clock;
    this.#stateOf = stateOf;
    this.#limits = { ...defaultLimits, ...limits };
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Throws HttpError 429 or 503 when there is no room for one more of this client. */
  refuseIfFull(client: string): void {
    if (this.#closed.signal.aborted) throw notListening();
    if (this.size >= this.#limits.total) throw tooManyListeners(503);
    if ((this.#ofClient.get(client) ?? 0) >= this.#limits.perClient) throw tooManyListeners(429);
  }

  add({ client, subject, known, output }: NewListener): void {
    if (this.#closed.signal.aborted) return output.end();
    const now = this.#clock.monotonic();
    const listener: Listener = {
      client, subject, output,
      revision: known, progress: '', seen: this.#changes, dueAt: now, endsAt: now + listenMaxMs,
    };
    this.#listeners.add(listener);
    this.#ofClient.set(client, (this.#ofClient.get(client) ?? 0) + 1);
    output.onClose(() => this.#remove(listener));
    output.write(`retry: ${retryMs}\n\n`);
    this.#tell(listener, this.#stateOf(subject) ?? absent);
    void this.#beat();
  }

  /** Something may have changed. Cheap where nobody listens. */
  changed(): void {
    if (this.#listeners.size === 0) return;
    this.#changes += 1;
    void this.#look();
  }

  /** Ends every answer, so that readers come back when the next process is there. */
  close(): void {
    this.#closed.abort();
    for (const { output } of this.#listeners) output.end();
  }

  #remove(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    const left = (this.#ofClient.get(listener.client) ?? 0) - 1;
    if (left > 0) this.#ofClient.set(listener.client, left);
    else this.#ofClient.delete(listener.client);
  }

  /** Until every listener has been told of the newest change. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (await this.#wait(lookEveryMs)) {
      if (!this.#lookOnce()) break;
    }
    this.#isLooking = false;
  }

  /** Whether somebody has still to be told. */
  #lookOnce(): boolean {
    const now = this.#clock.monotonic();
    const states = new Map<string, LiveState>();
    let isSomebodyLeft = false;
    for (const listener of this.#listeners) {
      if (listener.seen === this.#changes) continue;
      if (now < listener.dueAt) {
        isSomebodyLeft = true;
        continue;
      }
      const key = JSON.stringify(listener.subject);
      const state = states.get(key) ?? this.#stateOf(listener.subject) ?? absent;
      states.set(key, state);
      listener.seen = this.#changes;
      this.#tell(listener, state);
    }
    return isSomebodyLeft;
  }

  #tell(listener: Listener, { revision, episode, status, progress }: LiveState): void {
    const { subject, output } = listener;
    const isNews = revision !== listener.revision;
    const told = progress === null ? '' : JSON.stringify({ ...progress, status });
    const isFurther = told !== '' && told !== listener.progress;
    listener.revision = revision;
    listener.progress = told;
    if (!isNews && !isFurther) return;
    listener.dueAt = this.#clock.monotonic() + tellEveryMs[subject.kind];
    if (isNews) {
      const data = JSON.stringify({ revision, episode, status });
      output.write(`event: changed\nid: ${revision}\ndata: ${data}\n\n`);
    }
    if (isFurther) output.write(`event: progress\ndata: ${told}\n\n`);
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    while (this.#listeners.size > 0 && (await this.#wait(heartbeatEveryMs))) {
      const now = this.#clock.monotonic();
      for (const { output, endsAt } of this.#listeners) {
        if (now >= endsAt) output.end();
        else output.write(': still here\n\n');
      }
    }
    this.#isBeating = false;
  }

  /** False when all is over. */
  async #wait(ms: number): Promise<boolean> {
    try {
      await this.#clock.sleep(ms, this.#closed.signal);
      return true;
    } catch {
      return false;
    }
  }
}
