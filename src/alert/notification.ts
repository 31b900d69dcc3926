import {
  FormatError, fieldsOf, lenient, number, shortText, text, type Parser,
} from '../lib/parse.ts';
import { parseAlert, type Alert } from './alert.ts';
import { comparedLabels, labelSet, noLabels, type LabelSet } from './labels.ts';

/** What a notification says about the group as a whole. */
export interface Group {
  /** Name of the sender's receiver, with regular-expression escapes undone. */
  readonly receiver: string;
  readonly groupKey: string;
  readonly groupLabels: LabelSet;
  /** URL of the sending Alertmanager; shown, never fetched. */
  readonly externalURL: string;
  /** How many alerts the notification lists. */
  readonly listed: number;
  /** How many alerts of the group the sender left out (`max_alerts`). */
  readonly truncated: number;
}

/** An invalid alert: its index and what is wrong, without any of its values. */
interface RejectedAlert {
  readonly index: number;
  readonly reason: string;
}

/** The webhook's body: a group of alerts in Alertmanager's format, version 4, or a similar one. */
export interface Notification {
  readonly group: Group;
  /** `1` is Grafana's. Informational only. */
  readonly version: '4' | '1' | 'absent' | 'other';
  readonly alerts: readonly Alert[];
  readonly rejected: readonly RejectedAlert[];
}

/** Three times the real alerts that fit into a body of default size; `[0,0,…` has millions. */
const alertsMax = 100_000;
/** A body with more invalid ones is no notification; each costs more time than a valid one. */
const rejectedMax = 10_000;

/**
 * Parses a notification: `alerts` must be an array, each alert is accepted or rejected on its own,
 * and unknown members are ignored. Throws {@linkcode FormatError} when the body is not a
 * notification at all.
 */
export function parseNotification(value: unknown, receivedAt: number): Notification {
  const field = fieldsOf(value, 'body');
  const list = field('alerts', (alerts, path) => {
    if (!Array.isArray(alerts)) throw new FormatError(path, 'an array', alerts);
    if (alerts.length > alertsMax) {
      throw new FormatError(path, `at most ${alertsMax} alerts`, alerts);
    }
    return alerts as unknown[];
  });
  const alerts: Alert[] = [];
  const rejected: RejectedAlert[] = [];
  const parse = parseAlert(field('status', lenient(text, '')), receivedAt);
  for (const [index, item] of list.entries()) {
    try {
      alerts.push(parse(item, `alerts[${index}]`));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      rejected.push({ index, reason: error.message });
      if (rejected.length > rejectedMax) {
        throw new FormatError('body.alerts', `at most ${rejectedMax} that are not valid`, list);
      }
    }
  }
  const group: Group = {
    receiver: unescapeRegExp(field('receiver', receiver)),
    groupKey: field('groupKey', groupKey),
    groupLabels: comparedLabels(field('groupLabels', lenient(labelSet, noLabels))),
    externalURL: field('externalURL', address),
    listed: list.length,
    truncated: field('truncatedAlerts', lenient(truncatedCount, 0)),
  };
  return { group, version: versionOf(field('version', lenient(text, null))), alerts, rejected };
}

/** More than any Alertmanager has. The counts are added up, so one lie must not drown the rest. */
const truncatedMax = 1_000_000;

const truncatedCount: Parser<number> = (value, path) =>
  Math.min(truncatedMax, Math.max(0, Math.trunc(number(value, path))));

/*
 * Anything but text, and absurdly long text, is left out. The limits are small because these are
 * stored with every alert of the group: in the snapshot, in case files and in reports.
 */
const receiver = lenient(shortText(1024), '');
const address = lenient(shortText(2 * 1024), '');
/** Kept in memory for as long as an alert fires. */
const groupKey = lenient(shortText(4 * 1024), '');

function versionOf(version: string | null): Notification['version'] {
  if (version === null) return 'absent';
  return version === '4' || version === '1' ? version : 'other';
}

/** Alertmanager sends `regexp.QuoteMeta(name)`: `team.x` arrives as `team\.x`. */
function unescapeRegExp(receiver: string): string {
  return receiver.includes('\\') ? receiver.replace(/\\(.)/gsu, '$1') : receiver;
}
