import { emptyAlert, type Alert } from '../alert/alert.ts';
import type { Fingerprint } from '../alert/fingerprint.ts';
import { comparedLabels, type LabelSet } from '../alert/labels.ts';
import { parseNotification, type Group, type Notification } from '../alert/notification.ts';
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
}

/**
 * What is kept for some alerts together, in bytes of memory: all of it until the last of them lets
 * go.
 */
export class SharedWeight {
  /** Of each of them. */
  readonly share: number;
  readonly #bytes: number;
  #holders = 0;

  constructor(bytes: number, alerts = 1) {
    this.share = Math.ceil(bytes / alerts);
    this.#bytes = bytes;
  }

  /** That of a text: V8 takes a byte for a character, or two where one of them is not ASCII. */
  static ofText(text: string, alerts: number): SharedWeight {
    const isAscii = Buffer.byteLength(text) === text.length;
    return new SharedWeight(isAscii ? text.length : 2 * text.length, alerts);
  }

  /** Returns what is kept in addition. */
  hold(): number {
    this.#holders += 1;
    return this.#holders === 1 ? this.#bytes : 0;
  }

  /** Returns what is kept no more. */
  letGo(): number {
    this.#holders -= 1;
    return this.#holders === 0 ? this.#bytes : 0;
  }
}

/**
 * The newest notification on an episode, while it waits to be analysed.
 *
 * It is kept as the text it came in, which all alerts of the notification share, and parsed again
 * when it is looked at: a backlog of texts costs the garbage collector a fraction of what the
 * objects in them would.
 */
export class ReceivedAlert {
  /** Wall time in milliseconds. */
  readonly at: number;
  /** What keeping it costs, which other alerts of its notification may share. */
  readonly weight: SharedWeight;
  readonly #fingerprint: Fingerprint;
  readonly #index: number;
  #text: string;
  #parsed: AlertInGroup | null;

  private constructor(
    parsed: AlertInGroup | null,
    text: string,
    { weight, ...place }: Place & { readonly weight: SharedWeight },
  ) {
    this.at = place.at;
    this.weight = weight;
    this.#parsed = parsed;
    this.#text = text;
    this.#fingerprint = place.fingerprint;
    this.#index = place.index;
  }

  /** `text` is a notification that was accepted. */
  static inText(text: string, place: Place, weight: SharedWeight): ReceivedAlert {
    return new ReceivedAlert(null, text, { ...place, weight });
  }

  /** `weight` in bytes of memory. */
  static of(parsed: AlertInGroup, told: { at: number; weight: number }): ReceivedAlert {
    const { fingerprint } = parsed.alert;
    const weight = new SharedWeight(told.weight);
    return new ReceivedAlert(parsed, '', { fingerprint, index: 0, at: told.at, weight });
  }

  read(): AlertInGroup {
    this.#parsed ??= this.#parse();
    this.#text = '';
    return this.#parsed;
  }

  /** What tells it from others, as it is kept for as long as the alert fires. */
  identify(): Identity {
    const { alert: { labels }, group: { groupKey } } = this.read();
    return { labels: comparedLabels(labels), groupKey };
  }

  /** The alert's labels; looking at them keeps nothing of what is parsed for it. */
  get labels(): LabelSet {
    return this.#look().alert.labels;
  }

  /** The group's key, in the same way. */
  get groupKey(): string {
    return this.#look().group.groupKey;
  }

  /** As {@linkcode ReceivedAlert.of} takes it, which is how snapshots hold it. */
  toJSON(): AlertInGroup & { readonly at: number; readonly weight: number } {
    // Not kept: a snapshot looks at the whole backlog, once.
    const { alert, group } = this.#look();
    return { alert, group, at: this.at, weight: this.weight.share };
  }

  #look(): AlertInGroup {
    return this.#parsed ?? this.#parse();
  }

  #parse(): AlertInGroup {
    const { alerts, group } = parsedOnce(this.#text, this.at);
    const place = { fingerprint: this.#fingerprint, index: this.#index };
    return { alert: alerts[indexIn(alerts, place)] ?? emptyAlert(place.fingerprint), group };
  }
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

function parsedOnce(text: string, receivedAt: number): Notification {
  if (last?.text !== text) {
    last = { text, notification: parseNotification(JSON.parse(text), receivedAt) };
  }
  return last.notification;
}
