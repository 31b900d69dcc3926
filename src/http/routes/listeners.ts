import { slept, type Clock } from '../../lib/clock.ts';
import { absent, type LiveState, type LiveSubject } from '../../report/live-state.ts';
import type { StreamOutput } from '../exchange.ts';
import { refusal } from '../http-errors.ts';

export interface ListenersOptions {
  readonly clock: Clock;
  /** Must be cheap: called for each subject with listeners whenever something may have changed. */
  readonly stateOf: (subject: LiveSubject) => LiveState | null;
  readonly limits?: Partial<ListenerLimits>;
}

export interface ListenerLimits {
  /** Readers behind a proxy count as one client unless the proxy is trusted. */
  readonly perClient: number;
  readonly total: number;
}

interface NewListener {
  readonly client: string;
  readonly subject: LiveSubject;
  /** The revision that the reader has seen last; null on a first connection. */
  readonly known: string | null;
  readonly output: StreamOutput;
}

interface Listener {
  readonly client: string;
  readonly subject: LiveSubject;
  readonly output: StreamOutput;
  /** Last revision sent. */
  revision: string | null;
  /** Last progress sent, as JSON; empty for none. */
  progress: string;
  /** Count of changes when it was last checked. */
  seen: number;
  /** When the next event may be sent, and when the stream ends, on the monotonic clock. */
  dueAt: number;
  readonly endsAt: number;
}

const defaultLimits: ListenerLimits = { perClient: 64, total: 256 };

/** Most listeners in total. Their connections are never evicted, and senders need some. */
export function listenersFor(connectionsMax: number): number {
  return Math.min(defaultLimits.total, Math.floor(connectionsMax / 4));
}

/** Changes within this time are sent together. */
const checkEveryMs = 100;
/** Minimum time between events to a listener; longer for pages of many alerts. */
const sendEveryMs: Readonly<Record<LiveSubject['kind'], number>> = {
  report: 250, list: 2_000, incident: 2_000,
};
/** Keeps connections open through proxies, and detects readers who are gone. */
const heartbeatEveryMs = 15_000;
/** After this long a listener must reconnect, with the login that is valid then. */
const listenMaxMs = 60 * 60_000;
/** How long a browser waits before it reconnects. */
const retryMs = 2_000;

/**
 * Tells open pages of changes by Server-Sent Events (WHATWG HTML, section 9.2): `changed` when the
 * subject has a new revision, `progress` while it is analysed. Nothing is kept for readers who are
 * away: the first event has the current revision, which the page compares with what it shows.
 */
export class Listeners {
  readonly #clock: Clock;
  readonly #stateOf: ListenersOptions['stateOf'];
  readonly #limits: ListenerLimits;
  readonly #listeners = new Set<Listener>();
  readonly #ofClient = new Map<string, number>();
  readonly #closed = new AbortController();
  #changes = 0;
  #isChecking = false;
  #isBeating = false;

  constructor({ clock, stateOf, limits }: ListenersOptions) {
    this.#clock = clock;
    this.#stateOf = stateOf;
    this.#limits = { ...defaultLimits, ...limits };
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Throws HttpError 429 or 503 when there is no room for another listener of this client. */
  refuseIfFull(client: string): void {
    if (this.#closed.signal.aborted) throw refusal('isStopping');
    if (this.size >= this.#limits.total) throw refusal('tooManyListeners', { status: 503 });
    const isMany = (this.#ofClient.get(client) ?? 0) >= this.#limits.perClient;
    if (isMany) throw refusal('tooManyListeners');
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
    this.#send(listener, this.#stateOf(subject) ?? absent);
    void this.#beat();
  }

  /** Call when something may have changed. Cheap where nobody listens. */
  changed(): void {
    if (this.#listeners.size === 0) return;
    this.#changes += 1;
    void this.#checkAll();
  }

  /** Ends every stream, so that readers reconnect to the next process. */
  close(): void {
    this.#closed.abort();
    for (const { output } of this.#listeners) output.end();
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener);
    const left = (this.#ofClient.get(listener.client) ?? 0) - 1;
    if (left > 0) this.#ofClient.set(listener.client, left);
    else this.#ofClient.delete(listener.client);
  }

  /** Runs until every listener has been checked for the latest change. */
  async #checkAll(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (await slept(this.#clock, checkEveryMs, this.#closed.signal)) {
      if (!this.#checkDue()) break;
    }
    this.#isChecking = false;
  }

  /** Checks those that are due; whether any are left. */
  #checkDue(): boolean {
    const now = this.#clock.monotonic();
    const states = new Map<string, LiveState>();
    let isAnyLeft = false;
    for (const listener of this.#listeners) {
      if (listener.seen === this.#changes) continue;
      if (now < listener.dueAt) {
        isAnyLeft = true;
        continue;
      }
      const key = JSON.stringify(listener.subject);
      const state = states.get(key) ?? this.#stateOf(listener.subject) ?? absent;
      states.set(key, state);
      listener.seen = this.#changes;
      this.#send(listener, state);
    }
    return isAnyLeft;
  }

  /** Sends what the listener has not seen yet. */
  #send(listener: Listener, { revision, episode, status, progress }: LiveState): void {
    const { subject, output } = listener;
    const isChanged = revision !== listener.revision;
    const step = progress === null ? '' : JSON.stringify({ ...progress, status });
    const isNewStep = step !== '' && step !== listener.progress;
    listener.revision = revision;
    listener.progress = step;
    if (!isChanged && !isNewStep) return;
    listener.dueAt = this.#clock.monotonic() + sendEveryMs[subject.kind];
    if (isChanged) {
      const data = JSON.stringify({ revision, episode, status });
      output.write(`event: changed\nid: ${revision}\ndata: ${data}\n\n`);
    }
    if (isNewStep) output.write(`event: progress\ndata: ${step}\n\n`);
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    const clock = this.#clock;
    while (this.#listeners.size > 0 && await slept(clock, heartbeatEveryMs, this.#closed.signal)) {
      const now = clock.monotonic();
      for (const { output, endsAt } of this.#listeners) {
        if (now >= endsAt) output.end();
        else output.write(': still here\n\n');
      }
    }
    this.#isBeating = false;
  }
}
