/**
 * What the service has acknowledged, kept outside it. Every alert goes through fire, repeat,
 * resolve and fire again; a step counts once it is acknowledged. A step without an answer may or
 * may not have been stored: either it is sent again later, which must not count twice, or it is
 * given up, and then both outcomes are right.
 */
import { pickInteger, type Random } from '../random.ts';

export type Step = 'fire' | 'repeat' | 'resolve';

export interface Tracked {
  readonly fingerprint: string;
  /** Whether it is so old that retention may remove it once it is resolved. */
  readonly isOld: boolean;
  /** Episodes acknowledged so far. */
  episodes: number;
  state: 'firing' | 'resolved';
  /** The step that is in flight or unanswered; null if its state is certain. */
  pending: Step | null;
  /** How often its end was sent without an answer. */
  endsUnanswered: number;
  /** When its state changed last, in seconds since the ledger's start. */
  changedAt: number;
  /** Notes of acknowledged feedback, by the number of the episode. */
  readonly notes: Map<number, string[]>;
}

/** One notification: its alerts and the step of each. */
export interface Post {
  readonly items: readonly { readonly alert: Tracked; readonly step: Step }[];
  readonly body: string;
}

export interface Expectation {
  readonly episodes: readonly number[];
  readonly states: readonly string[];
  readonly mayBeForgotten: boolean;
}

/** The most alerts in a notification that is not a storm. */
const groupMax = 8;
const storm = { min: 100, max: 300 };
/** An hour back, so that no timestamp is ever in the future. */
const beganSecondsAgo = 3_600;
const oldShare = 0.3;
const oldSecondsAgo = 10 * 86_400;

export class Ledger {
  readonly #random: Random;
  readonly #startedAt: number;
  readonly #all: Tracked[] = [];
  readonly #unanswered: Post[] = [];
  #touched = new Set<Tracked>();
  #acknowledged = 0;
  #notes = 0;

  constructor(random: Random, now: number) {
    this.#random = random;
    this.#startedAt = now - beganSecondsAgo * 1_000;
  }

  /** Alerts in acknowledged notifications, repeats included. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Alerts the service must know. */
  get known(): readonly Tracked[] {
    return this.#all.filter(({ episodes }) => episodes > 0);
  }

  /** Alerts acknowledged since the last call. */
  takeTouched(): readonly Tracked[] {
    const touched = [...this.#touched];
    this.#touched = new Set();
    return touched;
  }

  /** The next notification to post: an unanswered one first, else a new one. */
  next(): Post {
    const again = this.#unanswered.shift();
    if (again !== undefined) return again;
    const size = this.#nextSize();
    const items = Array.from({ length: size }, () => this.#nextItem());
    return { items, body: this.#render(items) };
  }

  /** Feedback acknowledged so far. */
  get notes(): number {
    return this.#notes;
  }

  /** A recent alert to give feedback on; null if the one picked has no episode yet. */
  nextForFeedback(): Tracked | null {
    const alert = this.#pickRecent();
    return alert === undefined || alert.episodes === 0 ? null : alert;
  }

  acknowledgeNote(alert: Tracked, number: number, note: string): void {
    alert.notes.set(number, [...(alert.notes.get(number) ?? []), note]);
    this.#touched.add(alert);
    this.#notes += 1;
  }

  nextUnanswered(): Post | null {
    return this.#unanswered.shift() ?? null;
  }

  acknowledge({ items }: Post): void {
    for (const { alert, step } of items) {
      if (step === 'fire') alert.episodes += 1;
      if (step !== 'repeat') alert.state = step === 'fire' ? 'firing' : 'resolved';
      alert.pending = null;
      this.#touched.add(alert);
      this.#acknowledged += 1;
    }
  }

  /** It may have been stored. One post in three is given up, the others are sent again. */
  leaveUnanswered(post: Post): void {
    for (const { alert, step } of post.items) if (step === 'resolve') alert.endsUnanswered += 1;
    if (this.#random() < 2 / 3) this.#unanswered.push(post);
  }

  expectationOf(
    { episodes, state, pending, isOld, endsUnanswered }: Tracked,
  ): Expectation {
    const mayBeForgotten = isOld && (state === 'resolved' || pending === 'resolve');
    const states = pending === null || pending === 'repeat' ? [state] : ['firing', 'resolved'];
    // An end that was stored, and its episode forgotten, begins the next one when sent again.
    const more = pending === 'fire' ? 1 : isOld ? endsUnanswered : 0;
    const counts = Array.from({ length: more + 1 }, (_, extra) => episodes + extra);
    return { episodes: counts, states, mayBeForgotten };
  }

  #nextSize(): number {
    const kind = this.#random();
    if (kind < 0.7) return 1;
    if (kind < 0.995) return pickInteger(this.#random, 2, groupMax);
    return pickInteger(this.#random, storm.min, storm.max);
  }

  #nextItem(): Post['items'][number] {
    const old = this.#random() < 0.5 ? this.#pickSettled() : null;
    if (old === null) {
      const alert = this.#track();
      return { alert, step: 'fire' };
    }
    const isRepeat = this.#random() < (old.isOld ? 0.1 : 0.4);
    const step = isRepeat ? 'repeat' : old.state === 'firing' ? 'resolve' : 'fire';
    old.pending = step;
    if (step !== 'repeat') old.changedAt += 1;
    return { alert: old, step };
  }

  #track(): Tracked {
    const fingerprint = (this.#all.length + 1).toString(16).padStart(16, '0');
    const alert: Tracked = {
      fingerprint,
      isOld: this.#random() < oldShare,
      episodes: 0,
      state: 'firing',
      pending: 'fire',
      endsUnanswered: 0,
      changedAt: 0,
      notes: new Map(),
    };
    this.#all.push(alert);
    return alert;
  }

  /** A recent alert that has no step pending and may take another. */
  #pickSettled(): Tracked | null {
    const alert = this.#pickRecent();
    if (alert === undefined || alert.pending !== null || alert.episodes === 0) return null;
    return alert.isOld && alert.state === 'resolved' ? null : alert;
  }

  /** One of the last hundred alerts; undefined if there is none. */
  #pickRecent(): Tracked | undefined {
    const back = pickInteger(this.#random, 1, Math.min(100, this.#all.length));
    return this.#all[this.#all.length - back];
  }

  #render(items: Post['items']): string {
    const alerts = items.map(({ alert, step }) => {
      const state = step === 'repeat' ? alert.state : step === 'fire' ? 'firing' : 'resolved';
      const changedAt = this.#timestamp(alert, alert.changedAt);
      return {
        status: state,
        labels: { alertname: 'CrashLoop', severity: 'warning', instance: alert.fingerprint },
        annotations: { summary: `Step ${alert.changedAt} of ${alert.fingerprint}` },
        startsAt: state === 'firing' ? changedAt : this.#timestamp(alert, alert.changedAt - 1),
        endsAt: state === 'firing' ? '0001-01-01T00:00:00Z' : changedAt,
        generatorURL: '',
        fingerprint: alert.fingerprint,
      };
    });
    return JSON.stringify({ version: '4', status: 'firing', receiver: 'crash-loop', alerts });
  }

  #timestamp({ isOld }: Tracked, seconds: number): string {
    const since = isOld ? seconds - oldSecondsAgo : seconds;
    return new Date(this.#startedAt + since * 1_000).toISOString();
  }
}
