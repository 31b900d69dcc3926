import {
  FormatError, fieldsOf, lenient, number, shortText, text, type Parser,
} from '../lib/parse.ts';
import { parseAlert, type Alert } from './alert.ts';
import { comparedLabels, labelSet, noLabels, type LabelSet } from './labels.ts';

/** What a notification says about the group as a whole: the context of each alert in it. */
export interface Group {
  /** The sender's receiver, regular-expression escapes undone. */
  readonly receiver: string;
  readonly groupKey: string;
  readonly groupLabels: LabelSet;
  /** Address of the sending Alertmanager; shown, never fetched. */
  readonly externalURL: string;
  /** Alerts in the notification. */
  readonly listed: number;
  /** Alerts of the group that the sender left out (`max_alerts`). */
  readonly truncated: number;
}

/** An alert that was not valid: where it stood and why, without any of its values. */
export interface RejectedAlert {
  readonly index: number;
  readonly reason: string;
}

/** The webhook's body: a group of alerts in Alertmanager's format, version 4, and its kin. */
export interface Notification {
  readonly group: Group;
  /** `4`, Grafana's `1`, `absent` or `other`: informational only. */
  readonly version: '4' | '1' | 'absent' | 'other';
  readonly alerts: readonly Alert[];
  readonly rejected: readonly RejectedAlert[];
}

/** Three times what fits into the largest body by default; a list of digits would hold millions. */
const alertsMax = 100_000;
/** Whoever sends more that are not valid sends no alerts; each costs more time than a valid one. */
const rejectedMax = 10_000;

/**
 * Parses a notification leniently where senders differ and strictly where it counts: `alerts` must
 * be an array; each alert is valid or rejected on its own; unknown members are ignored.
 * Throws {@linkcode FormatError} when the body is no notification at all.
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

/** More than any Alertmanager holds: it is added up, and one lie must not drown the rest. */
const truncatedMax = 1_000_000;

const truncatedCount: Parser<number> = (value, path) =>
  Math.min(truncatedMax, Math.max(0, Math.trunc(number(value, path))));

/*
 * What is no text, or is absurdly long, is left out. All of it is little, since it is written once
 * for every alert of the group: in a snapshot, in a case file, in a report.
 */
const receiver = lenient(shortText(1024), '');
const address = lenient(shortText(2 * 1024), '');
/** Kept for as long as an alert fires. */
const groupKey = lenient(shortText(4 * 1024), '');

function versionOf(version: string | null): Notification['version'] {
  if (version === null) return 'absent';
  return version === '4' || version === '1' ? version : 'other';
}

/** Alertmanager sends `regexp.QuoteMeta(name)`: `team.x` arrives as `team\.x`. */
function unescapeRegExp(receiver: string): string {
  return receiver.includes('\\') ? receiver.replace(/\\(.)/gsu, '$1') : receiver;
}
