import type { Alert } from '../alert/alert.ts';
import { parseNotification, type Group, type Notification } from '../alert/notification.ts';

/** An alert with what its notification says of the group. */
export interface AlertInGroup {
  readonly alert: Alert;
  readonly group: Group;
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
  readonly #index: number;
  #text: string;
  #parsed: AlertInGroup | null;

  private constructor(at: number, parsed: AlertInGroup | null, text: string, index: number) {
    this.at = at;
    this.#parsed = parsed;
    this.#text = text;
    this.#index = index;
  }

  /** `text` is a notification that was parsed before; `index` a place among its valid alerts. */
  static inText(text: string, index: number, at: number): ReceivedAlert {
    return new ReceivedAlert(at, null, text, index);
  }

  static of(parsed: AlertInGroup, at: number): ReceivedAlert {
    return new ReceivedAlert(at, parsed, '', 0);
  }

  read(): AlertInGroup {
    this.#parsed ??= this.#parse();
    return this.#parsed;
  }

  /** The group's key; looking at it keeps nothing of what is parsed for it. */
  get groupKey(): string {
    return (this.#parsed ?? parsedOnce(this.#text, this.at)).group.groupKey;
  }

  /** As {@linkcode ReceivedAlert.of} takes it, which is how snapshots hold it. */
  toJSON(): AlertInGroup & { at: number } {
    const { alert, group } = this.read();
    return { alert, group, at: this.at };
  }

  #parse(): AlertInGroup {
    const { alerts, group } = parsedOnce(this.#text, this.at);
    const alert = alerts[this.#index];
    if (alert === undefined) throw new Error(`Cannot find alert ${this.#index} of a notification`);
    this.#text = '';
    return { alert, group };
  }
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
