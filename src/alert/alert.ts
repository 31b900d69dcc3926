import { fieldsOf, lenient, plainObject, shortText, text, type Parser } from '../lib/parse.ts';
import { shortened } from '../lib/shortened.ts';
import { fingerprintOf, sentFingerprint, type Fingerprint } from './fingerprint.ts';
import { keptLabels, labelLimits, labelOf, labelSet, noLabels, type LabelSet } from './labels.ts';
import { parseTime, timestamp } from './timestamp.ts';
import { usuallyNamed } from './usual-name.ts';

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
  /** Grafana's form for a silence of this alert; absent for other senders. */
  readonly silenceURL?: string;
}

/**
 * Parses one alert. `groupStatus` and `receivedAt` (ms) decide the status of an alert that has no
 * known one: firing, unless the group is resolved and the alert's end is in the past.
 */
export function parseAlert(groupStatus: string, receivedAt: number): Parser<Alert> {
  return (value, path) => {
    const field = fieldsOf(value, path);
    const labels = field('labels', labelSet);
    const [startsAt, endsAt] = [field('startsAt', timestamp), field('endsAt', timestamp)];
    const status = statusOf(field('status', word), groupStatus, endsAt, receivedAt);
    const annotations = field('annotations', annotationSet);
    const silenceURL = field('silenceURL', address);
    return {
      status,
      labels: keptLabels(labels),
      annotations: keptLabels(withoutInternal(annotations)),
      startsAt: status === 'resolved' && isSameTime(startsAt, endsAt) ? null : startsAt,
      endsAt,
      generatorURL: field('generatorURL', address),
      fingerprint: field('fingerprint', sentFingerprint) ?? fingerprintOf(labels),
      values: hasNoData(annotations) ? noLabels
        : valuesOf(field('values', numbersAsText), annotations),
      dashboardURL: field('dashboardURL', address),
      panelURL: field('panelURL', address),
      ...(silenceURL !== '' && { silenceURL }),
    };
  };
}

/** A firing alert about which nothing else is known. */
export function emptyAlert(fingerprint: Fingerprint): Alert {
  return {
    status: 'firing', fingerprint, labels: noLabels, annotations: noLabels, values: noLabels,
    startsAt: null, endsAt: null, generatorURL: '', dashboardURL: '', panelURL: '',
  };
}

/** The alert's name, or `Unknown`: Alertmanager accepts alerts without an `alertname`. */
export function alertNameOf(labels: LabelSet): string {
  const name = labelOf(labels, 'alertname') ?? '';
  return name.trim() === '' ? 'Unknown' : name;
}

/** Grafana's alerts about its own data source (grafana/grafana: ngalert/state). */
const dataAlerts: ReadonlySet<string> = new Set(['DatasourceNoData', 'DatasourceError']);

/** Whether it says that a rule of Grafana got no data or an error. */
export function isDataAlert(labels: LabelSet): boolean {
  return dataAlerts.has(alertNameOf(labels));
}

/** The name that people know its rule by: alerts on the data of any rule of Grafana share one. */
export function ruleNameOf(labels: LabelSet): string {
  return (isDataAlert(labels) && labelOf(labels, 'rulename')) || alertNameOf(labels);
}

/** The alert's namespace, or `Unknown`. */
export function namespaceOrUnknown(labels: LabelSet): string {
  return labelOf(usuallyNamed(labels), 'namespace') || 'Unknown';
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

/** Since version 12 Grafana sends the end of an alert as its start as well (grafana#106065). */
function isSameTime(startsAt: string | null, endsAt: string | null): boolean {
  return startsAt !== null && endsAt !== null && parseTime(startsAt) === parseTime(endsAt);
}

/** Why a rule of Grafana is in its state, if not by its values (ngalert: state/state.go). */
const stateReason = 'grafana_state_reason';

/** Whether Grafana's rule got no data or an error: then all of its values are -1. */
export function hasNoData(annotations: LabelSet): boolean {
  return /NoData|Error/u.test(labelOf(annotations, stateReason) ?? '');
}

/** Whether Grafana ended the alert because its series is gone, which is no recovery. */
export function isSeriesMissing({ annotations }: Pick<Alert, 'annotations'>): boolean {
  return labelOf(annotations, stateReason)?.includes('MissingSeries') === true;
}

/** Annotations that Grafana adds for itself when its alerts pass an external Alertmanager. */
function withoutInternal(annotations: LabelSet): LabelSet {
  const names = Object.keys(annotations).filter((name) => !/^__\w+__$/u.test(name));
  return Object.fromEntries(names.map((name) => [name, labelOf(annotations, name) ?? '']));
}

/** The values as sent, or those in an annotation of Grafana's if there are none. */
function valuesOf(sent: LabelSet, annotations: LabelSet): LabelSet {
  const text = labelOf(annotations, '__values__') ?? '';
  if (Object.keys(sent).length > 0 || text === '' || text.length > valuesLengthMax) return sent;
  try {
    return numbersAsText(JSON.parse(text), '__values__');
  } catch {
    return sent;
  }
}

/** Longer addresses are left out: they are only shown, and no browser would open them. */
const address = lenient(shortText(16 * 1024), '');
const word = lenient(text, '');

/**
 * An annotation that is null, as some senders write an empty one, is left out, and one that is too
 * long, as of a log, is cut: nothing is known by its annotations.
 */
const annotationSet: Parser<LabelSet> = (value, path) => {
  if (value === undefined || value === null) return noLabels;
  const given = plainObject(value, path);
  const members = Object.entries(given).filter(([, member]) => member !== null);
  const isFit = (member: unknown): boolean =>
    typeof member !== 'string' || member.length * 3 <= labelLimits.valueBytes;
  const isWhole = members.length === Object.keys(given).length;
  return labelSet(isWhole && members.every(([, member]) => isFit(member)) ? given
    : Object.fromEntries(members.map(([name, member]) => [name, fitted(member)])), path);
};

function fitted(value: unknown): unknown {
  if (typeof value !== 'string' || Buffer.byteLength(value) <= labelLimits.valueBytes) return value;
  return shortened(value, Math.floor(labelLimits.valueBytes / 3));
}

const valuesMax = 32;
const valuesLengthMax = 8 * 1024;

/** The numbers of an object as text; other members, and what exceeds a limit, are left out. */
const numbersAsText: Parser<LabelSet> = (value) => {
  if (typeof value !== 'object' || value === null) return noLabels;
  const numbers = Object.entries(value).filter(([name, member]) =>
    typeof member === 'number' && name.length <= labelLimits.nameBytes);
  return Object.fromEntries(numbers.slice(0, valuesMax).map(([name, n]) => [name, String(n)]));
};
