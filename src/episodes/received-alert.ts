import { emptyAlert, type Alert } from '../alert/alert.ts';
import type { Fingerprint } from '../alert/fingerprint.ts';
import type { LabelSet } from '../alert/labels.ts';
import { parseNotification, type Group, type Notification } from '../alert/notification.ts';
import { tellingLabels } from '../alert/similarity.ts';
import type { Identity } from './episode.ts';

/** An alert with what its notification says of the group. */
export interface AlertInGroup {
  readonly alert: Alert;
  readonly group: Group;
}

interface Place {
  readonly fingerprint: Fingerprint;
  /** Among the notification's valid alerts. */
  readonly index: number;
  readonly at: number;
  /** In bytes of memory: of its own text, or its share of one. */
  readonly weight: number;
}

/**
 * The newest notification on an episode, while it waits to be analysed.
 *
 * It is kept as text, and parsed again when it is looked at: a backlog of texts costs the garbage
 * collector a fraction of what the objects in them would. At first that is the text it came in,
 * which all alerts of the notification share; {@linkcode ReceivedAlert.unpack} gives each its own.
 */
export class ReceivedAlert {
  /** Wall time in milliseconds. */
  readonly at: number;
  readonly #fingerprint: Fingerprint;
  readonly #index: number;
  #text: string;
  /** Null while the text is that of the whole notification. */
  #group: Group | null;
  #weight: number;
  #identity: Identity | null;

  private constructor(
    text: string,
    place: Place,
    { group, identity }: { readonly group: Group | null; readonly identity: Identity | null },
  ) {
    this.at = place.at;
    this.#text = text;
    this.#group = group;
    this.#identity = identity;
    this.#weight = place.weight;
    this.#fingerprint = place.fingerprint;
    this.#index = place.index;
  }

  /** `text` is a notification that was accepted; `told` is the alert where it has been parsed. */
  static inText(text: string, place: Place, told: AlertInGroup | null): ReceivedAlert {
    // Its neighbours are told it soon, and must not have it parsed again.
    const identity = told === null ? null : identityIn(told);
    return new ReceivedAlert(text, place, { group: null, identity });
  }

  /** One put together from what is known; `at` is wall time in milliseconds. */
  static of({ alert, group }: AlertInGroup, at: number): ReceivedAlert {
    const text = JSON.stringify(alert);
    const { fingerprint } = alert;
    const place = { fingerprint, index: 0, at, weight: weightOf(text) };
    return new ReceivedAlert(text, place, { group, identity: null });
  }

  /** What keeping it costs, in bytes of memory: that of its own text, or its share of one. */
  get weight(): number {
    return this.#weight;
  }

  /**
   * Gives each alert that came with others a text of its own: it may wait for long, and neither
   * keep what came with it nor have all of that parsed again. Each notification is parsed once.
   * Returns by how much they weigh more; below 0 for less.
   */
  static unpack(all: Iterable<ReceivedAlert>): number {
    const byText = new Map<string, ReceivedAlert[]>();
    for (const each of all) {
      if (each.#group !== null) continue;
      const sharing = byText.get(each.#text);
      if (sharing === undefined) byText.set(each.#text, [each]);
      else sharing.push(each);
    }
    let gained = 0;
    for (const sharing of byText.values()) for (const each of sharing) gained += each.#unpack();
    return gained;
  }

  read(): AlertInGroup {
    if (this.#group !== null) return { alert: JSON.parse(this.#text) as Alert, group: this.#group };
    const { alerts, group } = parsedOnce(this.#text, this.at);
    const place = { fingerprint: this.#fingerprint, index: this.#index };
    return { alert: alerts[indexIn(alerts, place)] ?? emptyAlert(place.fingerprint), group };
  }

  /** What tells it from others, as it is kept for as long as the alert fires. */
  identify(): Identity {
    this.#identity ??= identityIn(this.read());
    return this.#identity;
  }

  /** The labels by which it is compared with others. */
  get labels(): LabelSet {
    return this.identify().labels;
  }

  get groupKey(): string {
    return this.identify().groupKey;
  }

  /** How the journal holds it. */
  toJSON(): AlertInGroup & Pick<Place, 'at'> {
    return { ...this.read(), at: this.at };
  }

  #unpack(): number {
    const told = this.read();
    this.#identity ??= identityIn(told);
    if (told.group.listed === 1) return 0; // It has come alone.
    const before = this.#weight;
    this.#text = JSON.stringify(told.alert);
    this.#group = told.group;
    this.#weight = weightOf(this.#text);
    return this.#weight - before;
  }
}

function identityIn({ alert: { labels }, group: { groupKey } }: AlertInGroup): Identity {
  return { labels: tellingLabels(labels), groupKey };
}

/** In bytes of memory: V8 takes one for a character, or two where one of them is not ASCII. */
export function weightOf(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/**
 * Where the alert stands in the list, -1 where it does not: a version that judges validity
 * differently may count the alerts differently.
 */
export function indexIn(
  alerts: readonly Alert[],
  { fingerprint, index }: Pick<Place, 'fingerprint' | 'index'>,
): number {
  if (alerts[index]?.fingerprint === fingerprint) return index;
  return alerts.findIndex((alert) => alert.fingerprint === fingerprint);
}

/** Alerts of one notification are looked at one after the other, so the last one parsed is kept. */
let last: { readonly text: string; readonly notification: Notification } | null = null;

/** A group that was just parsed need not be parsed again when the first of it is looked at. */
export function rememberParsed(text: string, notification: Notification): void {
  last = { text, notification };
}

/** Once every alert has its own text, nobody looks there any more; it may be large. */
export function forgetParsed(): void {
  last = null;
}

function parsedOnce(text: string, receivedAt: number): Notification {
  if (last?.text !== text) {
    last = { text, notification: parseNotification(JSON.parse(text), receivedAt) };
  }
  return last.notification;
}
