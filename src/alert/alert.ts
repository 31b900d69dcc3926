import { fieldsOf, lenient, optional, shortText, text, type Parser } from '../lib/parse.ts';
import { fingerprintOf, sentFingerprint, type Fingerprint } from './fingerprint.ts';
import { keptLabels, labelLimits, labelOf, labelSet, noLabels, type LabelSet } from './labels.ts';
import { parseTime, timestamp } from './timestamp.ts';

export type AlertStatus = 'firing' | 'resolved';

/** Why Alertmanager notifies nobody of an alert that fires; `muted` by a time interval. */
export type Suppression = 'silenced' | 'inhibited' | 'muted';

/**
 * One alert of a notification, as sent except for what {@linkcode keptLabels} cuts. No member is
 * optional any more.
 */
export interface Alert {
  readonly status: AlertStatus;
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  /** RFC 3339 as sent; null when the sender gave none. */
  readonly startsAt: string | null;
  /** RFC 3339 as sent; null while not ended. */
  readonly endsAt: string | null;
  /** Link to the alert's rule; empty when unknown. Shown, never fetched. */
  readonly generatorURL: string;
  readonly fingerprint: Fingerprint;
  /** Added by Grafana: values as text, by name, and links. Empty for other senders. */
  readonly values: LabelSet;
  readonly dashboardURL: string;
  readonly panelURL: string;
}

/**
 * Parses one alert. `groupStatus` and `receivedAt` (ms) decide the status of an alert that has no
 * known one: firing, unless the group is resolved and the alert's end is in the past.
 */
export function parseAlert(groupStatus: string, receivedAt: number): Parser<Alert> {
  return (value, path) => {
    const field = fieldsOf(value, path);
    const labels = field('labels', labelSet);
    const endsAt = field('endsAt', timestamp);
    const status = field('status', word);
    return {
      status: statusOf(status, groupStatus, endsAt, receivedAt),
      labels: keptLabels(labels),
      annotations: keptLabels(field('annotations', annotationSet)),
      startsAt: field('startsAt', timestamp),
      endsAt,
      generatorURL: field('generatorURL', address),
      fingerprint: field('fingerprint', sentFingerprint) ?? fingerprintOf(labels),
      values: field('values', numbersAsText),
      dashboardURL: field('dashboardURL', address),
      panelURL: field('panelURL', address),
    };
  };
}

/** A firing alert of which nothing else is known. */
export function emptyAlert(fingerprint: Fingerprint): Alert {
  return {
    status: 'firing', fingerprint, labels: noLabels, annotations: noLabels, values: noLabels,
    startsAt: null, endsAt: null, generatorURL: '', dashboardURL: '', panelURL: '',
  };
}

/** The alert's name, or `Unknown`: Alertmanager accepts alerts without an `alertname`. */
export function alertNameOf(labels: LabelSet): string {
  return labelOf(labels, 'alertname') || 'Unknown';
}

/** The alert's namespace, or `Unknown`. */
export function namespaceOf(labels: LabelSet): string {
  return labelOf(labels, 'namespace') || 'Unknown';
}

function statusOf(
  status: string,
  groupStatus: string,
  endsAt: string | null,
  receivedAt: number,
): AlertStatus {
  if (status === 'firing' || status === 'resolved') return status;
  const ended = endsAt === null ? null : parseTime(endsAt);
  const isOver = ended !== null && ended <= receivedAt && groupStatus === 'resolved';
  return isOver ? 'resolved' : 'firing';
}

/** Longer addresses are left out: they are only shown, and no browser would open them. */
const address = lenient(shortText(16 * 1024), '');
const word = lenient(text, '');
const annotationSet = optional(labelSet, noLabels);

const valuesMax = 32;

/** The numbers of an object as text; other members, and what exceeds a limit, are left out. */
const numbersAsText: Parser<LabelSet> = (value) => {
  if (typeof value !== 'object' || value === null) return noLabels;
  const numbers = Object.entries(value).filter(([name, member]) =>
    typeof member === 'number' && name.length <= labelLimits.nameBytes);
  return Object.fromEntries(numbers.slice(0, valuesMax).map(([name, n]) => [name, String(n)]));
};
