import { createHash } from 'node:crypto';
import { emptyAlert, type Alert } from '../alert/alert.ts';
import type { Fingerprint } from '../alert/fingerprint.ts';
import type { LabelSet } from '../alert/labels.ts';
import { parseNotification, type Group, type Notification } from '../alert/notification.ts';
import { ruleFactsOf } from '../alert/rule-facts.ts';
import { distinctiveLabels } from '../alert/similarity.ts';
import { labelsOfSubject } from '../alert/subject.ts';
import { isDistinctive } from '../incidents/group-key.ts';

export interface AlertInGroup {
  readonly alert: Alert;
  readonly group: Group;
}

/** What related alerts are found by: labels and group key. */
export interface Identity {
  readonly labels: LabelSet;
  /** See {@linkcode keptGroupKey}. */
  readonly groupKey: string;
  /** Over how long its rule looks back, in ms; 0 if that is unknown, or only one moment. */
  readonly windowMs: number;
}

interface Place {
  readonly fingerprint: Fingerprint;
  /** Index among the notification's valid alerts. */
  readonly index: number;
  /** When it was received: wall time in ms. */
  readonly at: number;
  /** Memory taken by its text, or its share of a common text, in bytes. */
  readonly weight: number;
}

/**
 * The newest alert about an episode, while that waits to be analysed.
 *
 * It is kept as text and parsed when needed: a backlog of texts costs the garbage collector far
 * less than the objects in them would. At first that is the text of the whole notification, shared
 * by all of its alerts; {@linkcode ReceivedAlert.unpack} gives each its own.
 */
export class ReceivedAlert {
  /** When it was received: wall time in ms. */
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

  /** `text` is an accepted notification; `parsed` is the alert if it has already been parsed. */
  static inText(text: string, place: Place, parsed: AlertInGroup | null): ReceivedAlert {
    // Needed soon, to find related alerts, for which the text should not be parsed again.
    const identity = parsed === null ? null : identityIn(parsed);
    return new ReceivedAlert(text, place, { group: null, identity });
  }

  /** Made from a known alert instead of a notification; `at` is wall time in ms. */
  static of({ alert, group }: AlertInGroup, at: number): ReceivedAlert {
    const text = JSON.stringify(alert);
    const { fingerprint } = alert;
    const place = { fingerprint, index: 0, at, weight: weightOf(text) };
    return new ReceivedAlert(text, place, { group, identity: null });
  }

  /** Memory taken by its text, or its share of a common text, in bytes. */
  get weight(): number {
    return this.#weight;
  }

  /**
   * Gives each alert that came with others its own text: it may wait for long, and should neither
   * keep the whole notification in memory nor need it parsed again. Parses each notification once.
   * Returns by how many bytes the total weight has grown; negative if it has shrunk.
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
    return this.#readIn(unpacked.has(this.#text) ? unpacked : lastRead);
  }

  #readIn(cache: ParsedOnce): AlertInGroup {
    const { alerts, group } = cache.notification(this.#text, this.at);
    const place = { fingerprint: this.#fingerprint, index: this.#index };
    return { alert: alerts[indexIn(alerts, place)] ?? emptyAlert(place.fingerprint), group };
  }

  /** The part of it that is kept for as long as the alert fires. */
  identify(): Identity {
    this.#identity ??= identityIn(this.read());
    return this.#identity;
  }

  /** The labels by which it is compared with others. */
  get labels(): LabelSet {
    return this.identify().labels;
  }

  /** Its form in the journal. */
  toJSON(): AlertInGroup & Pick<Place, 'at'> {
    return { ...this.read(), at: this.at };
  }

  #unpack(): number {
    const read = this.#readIn(unpacked);
    this.#identity ??= identityIn(read);
    if (read.group.listed === 1) return 0; // It came alone.
    const before = this.#weight;
    this.#text = JSON.stringify(read.alert);
    this.#group = read.group;
    this.#weight = weightOf(this.#text);
    return this.#weight - before;
  }
}

function identityIn({ alert, group: { groupKey } }: AlertInGroup): Identity {
  const { labels, generatorURL } = alert;
  const rule = ruleFactsOf(generatorURL);
  return {
    labels: distinctiveLabels(labelsOfSubject(labels, rule)), groupKey: keptGroupKey(groupKey),
    windowMs: rule.windowMs,
  };
}

/** Longer keys of groups, in UTF-16 units, are kept as a digest. */
const groupKeyLengthMax = 256;

/**
 * What is kept of a group's key for as long as an alert fires. Only two things count: which alerts
 * have the same one, and whether it says something of them.
 */
export function keptGroupKey(groupKey: string): string {
  if (groupKey.length <= groupKeyLengthMax) return groupKey;
  const digest = createHash('sha256').update(groupKey).digest('base64');
  return isDistinctive(groupKey) ? digest : `${digest}:{}`;
}

/** Bytes that a text takes in memory: one per character, or two if any of them is not ASCII. */
export function weightOf(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/**
 * The index of the alert in the list, or -1. Searches for it if it is not at its stored index, as a
 * version with other rules of validity counts the alerts differently.
 */
export function indexIn(
  alerts: readonly Alert[],
  { fingerprint, index }: Pick<Place, 'fingerprint' | 'index'>,
): number {
  if (alerts[index]?.fingerprint === fingerprint) return index;
  return alerts.findIndex((alert) => alert.fingerprint === fingerprint);
}

/** A cache of one: the alerts of a notification are read one after the other. */
class ParsedOnce {
  #last: { readonly text: string; readonly notification: Notification } | null = null;

  get isEmpty(): boolean {
    return this.#last === null;
  }

  has(text: string): boolean {
    return this.#last?.text === text;
  }

  notification(text: string, receivedAt: number): Notification {
    if (this.#last === null || this.#last.text !== text) {
      this.#last = { text, notification: parseNotification(JSON.parse(text), receivedAt) };
    }
    return this.#last.notification;
  }

  remember(text: string, notification: Notification): void {
    this.#last = { text, notification };
  }

  forget(): void {
    this.#last = null;
  }
}

const lastRead = new ParsedOnce();
/** Apart: a large one takes many turns to unpack, and what is read meanwhile must not evict it. */
const unpacked = new ParsedOnce();

/** Saves parsing a notification again that was just parsed. */
export function rememberParsed(text: string, notification: Notification): void {
  const cache = unpacked.isEmpty ? unpacked : lastRead;
  cache.remember(text, notification);
}

/** Frees what was parsed, which may be large, once every alert has its own text. */
export function forgetParsed(): void {
  lastRead.forget();
  unpacked.forget();
}
