/**
 * The content of journal records: every event that changes an episode, and in snapshots the
 * episodes themselves. The kinds of records are listed in episode-journal.ts.
 */
import type { Alert, AlertStatus } from '../alert/alert.ts';
import type { EpisodeKey } from '../alert/episode-key.ts';
import { knownFingerprint, type Fingerprint } from '../alert/fingerprint.ts';
import { labelSet, type LabelSet } from '../alert/labels.ts';
import type { Group } from '../alert/notification.ts';
import { severities, severityOf, type Severity } from '../alert/severity.ts';
import { inUtc, timestamp } from '../alert/timestamp.ts';
import type { Found } from '../incidents/found.ts';
import { layers } from '../incidents/layer.ts';
import type { Membership } from '../incidents/member.ts';
import {
  boolean, fieldsOf, FormatError, lenient, listOf, memberOf, number, objectOf, oneOf, optional,
  plainObject, text, type Parser,
} from '../lib/parse.ts';
import { earlierCause } from '../report/earlier-wordings.ts';
import { storedFeedback } from '../report/feedback.ts';
import type { CauseFacts } from '../report/kinds.ts';
import { causeFactsIn } from '../report/parse-kinds.ts';
import { certainties, classifications, type Feedback } from '../report/report.ts';
import { extent, type Extent } from '../report/store/pack-files.ts';
import type { AnalysisState } from './analysis-state.ts';
import type { Conclusion } from './conclusion.ts';
import type { DecisionKind } from './decide.ts';
import { noFeedback, type Acceptance, type Episode } from './episode.ts';
import { keptGroupKey, ReceivedAlert, type AlertInGroup, type Identity } from './received-alert.ts';

/** The decision on one alert of a notification; duplicates have none. */
export interface Accepted {
  readonly fingerprint: Fingerprint;
  readonly kind: DecisionKind;
  readonly number: number;
  /** Index among the valid alerts of the notification. */
  readonly index: number;
  /** Present if the episode was already known: then a replay need not parse the body. */
  readonly change?: EpisodeChange;
}

/** One accepted alert: the decision, and what it was about. */
export type AcceptedAlert = ChangedAlert | (Accepted & { readonly alert: Alert });

/** An accepted alert whose change alone is known; the rest has to be read from the body. */
export interface ChangedAlert extends Accepted {
  readonly change: EpisodeChange;
  readonly alert?: undefined;
}

/** The part of an alert that can change a known episode. */
export interface EpisodeChange {
  readonly status: AlertStatus;
  readonly severity: Severity;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
}

/** Extracts the part of an alert that can change a known episode. */
export function changeOf({ status, labels, startsAt, endsAt }: Alert): EpisodeChange {
  return {
    status, severity: severityOf(labels),
    startsAt: startsAt && inUtc(startsAt), endsAt: endsAt && inUtc(endsAt),
  };
}

/** A notification whose decisions are on disk. */
export interface AcceptedNotification {
  readonly receivedAt: number;
  /** The request body, which contains the accepted alerts. */
  readonly text: string;
  readonly accepted: readonly AcceptedAlert[];
  /** Only if the body has been parsed. */
  readonly group?: Group;
}

export interface NotificationRecord {
  readonly receivedAt: number;
  readonly accepted: readonly Accepted[];
  /** The request body as received: valid JSON, as it was accepted. */
  readonly body: Uint8Array;
}

export type StoredNotification = NotificationRecord & { readonly body: Buffer };

export interface OutcomeRecord extends EpisodeKey {
  readonly state: 'reported' | 'failed' | 'quarantined';
  /** The episode's `notifications` when the analysis began: the report lacks later ones. */
  readonly revision: number;
  readonly conclusion: Conclusion;
  /** Where the report is; absent in records of earlier versions. */
  readonly report?: Extent | undefined;
  /** Whether the recording of the report before is of no use any more. */
  readonly isRecordedAnew?: boolean | undefined;
}

/** The report was written once more: it was narrated, or its file is to go. */
export interface MovedRecord extends EpisodeKey {
  /** Null if an earlier version had stored it. */
  readonly from: Extent | null;
  readonly report: Extent;
}

export interface RecordedRecord extends EpisodeKey {
  readonly recording: Extent;
}

export interface FeedbackRecord extends EpisodeKey {
  readonly feedback: Feedback;
}

/** A request to analyse the episode again, with this alert. */
export interface AgainRecord extends EpisodeKey {
  readonly told: ReceivedAlert;
  /** Present if nobody asked: when Alertmanager was found not to have the alert any more, in ms. */
  readonly goneAt?: number | undefined;
}

/** An episode in a snapshot. */
export interface EpisodeRecord {
  readonly episode: Episode;
  /** The last record that it includes: records up to this one are not applied again. */
  readonly sequence: number;
  /** Set on the fingerprint's newest episode only. */
  readonly acceptance: Acceptance | null;
}

const decisionKinds = ['opened', 'refreshed', 'resolved', 'arrived_resolved', 'late'] as const;

/** A notification's metadata and its body, as two parts so that the body is not copied. */
export function encodeNotification(record: NotificationRecord): Uint8Array[] {
  // Done for every alert, so joined by hand: takes a third of the time of `JSON.stringify`.
  const accepted = record.accepted.map(({ fingerprint, kind, number, index, change }) =>
    `[${JSON.stringify(fingerprint)},${decisionKinds.indexOf(kind)},${number},${index}` +
    `${change === undefined ? '' : changeText(change)}]`);
  const meta = `{"receivedAt":${record.receivedAt},"accepted":[${accepted.join(',')}]}`;
  const length = Buffer.byteLength(meta);
  const head = Buffer.allocUnsafe(4 + length);
  head.writeUInt32LE(length);
  head.write(meta, 4);
  return [head, record.body];
}

function changeText({ status, severity, startsAt, endsAt }: EpisodeChange): string {
  return `,${JSON.stringify([status, severity, startsAt, endsAt])}`;
}

/** @throws {FormatError} When the payload is not a notification record. */
export function decodeNotification(payload: Buffer): StoredNotification {
  const metaEnd = payload.length < 4 ? 4 : 4 + payload.readUInt32LE(0);
  const field = fieldsOf(parseRecordJson(payload.subarray(4, metaEnd)), 'notification');
  return {
    receivedAt: field('receivedAt', number),
    accepted: field('accepted', listOf(accepted)),
    body: payload.subarray(metaEnd),
  };
}

const accepted: Parser<Accepted> = (value, path) => {
  if (!Array.isArray(value)) throw new FormatError(path, 'an array', value);
  const [fingerprint, kind, episode, index, changed] = value as unknown[];
  const known = decisionKinds[number(kind, path)];
  if (known === undefined) throw new FormatError(path, 'a known decision', kind);
  return {
    fingerprint: knownFingerprint(fingerprint, path),
    kind: known,
    number: number(episode, path),
    index: number(index, path),
    ...(changed !== undefined && { change: change(changed, path) }),
  };
};

/** Lenient, so that what another version accepted does not invalidate the whole record. */
const change: Parser<EpisodeChange> = (value, path) => {
  if (!Array.isArray(value)) throw new FormatError(path, 'an array', value);
  const [status, severity, startsAt, endsAt] = value as unknown[];
  return {
    status: alertStatus(status, path),
    severity: knownSeverity(severity, path),
    startsAt: knownTime(startsAt, path),
    endsAt: knownTime(endsAt, path),
  };
};

const alertStatus = oneOf<AlertStatus>('firing', 'resolved');
const knownSeverity = lenient<Severity, Severity>(oneOf(...severities), 'unknown');
const knownTime = lenient(timestamp, null);

/** @throws {FormatError} When the bytes are not JSON. */
export function parseRecordJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new FormatError('record', 'JSON', bytes);
  }
}

const keyMembers = { fingerprint: knownFingerprint, number };

export const episodeKey: Parser<EpisodeKey> = objectOf<EpisodeKey>(keyMembers);

type FoundAround =
  Pick<Found, 'beside' | 'moment' | 'isUnknown' | 'isExplained' | 'isSymptom'>;

const foundOnWay = objectOf<Omit<Found, keyof FoundAround>>({
  own: labelSet, origin: optional(labelSet, null), way: listOf(labelSet), name: text, text,
  since: optional(timestamp, null),
});

/** What earlier versions did not record. */
const foundAround: Parser<FoundAround> = (value, path) => {
  const beside = lenient(listOf(labelSet), [])(memberOf(value, 'beside'), `${path}.beside`);
  const moment = knownTime(memberOf(value, 'moment'), `${path}.moment`);
  return {
    ...(beside.length > 0 && { beside }), ...(moment !== null && { moment }),
    ...(memberOf(value, 'isUnknown') === true && { isUnknown: true }),
    ...(memberOf(value, 'isExplained') === true && { isExplained: true }),
    ...(memberOf(value, 'isSymptom') === true && { isSymptom: true }),
  };
};

const found: Parser<Found> = (value, path) =>
  ({ ...foundOnWay(value, path), ...foundAround(value, path) });

const conclusionText = objectOf<Omit<Conclusion, keyof CauseFacts | 'found' | 'thing'>>({
  classification: oneOf(...classifications), certainty: oneOf(...certainties), headline: text,
  gist: optional(text, undefined), place: optional(text, ''), cause: optional(text, null),
  firstStep: optional(text, null),
});

const conclusion: Parser<Conclusion> = (value, path) => {
  const texts = conclusionText(value, path);
  const facts = causeFactsIn(value);
  const behind = lenient(found, null)(memberOf(value, 'found'), `${path}.found`);
  const thing = lenient(text, '')(memberOf(value, 'thing'), `${path}.thing`);
  return {
    ...texts, ...(behind && { found: behind }), ...(thing !== '' && { thing }),
    ...(facts.kind === undefined ? earlierCause(texts.cause ?? '') : facts),
  };
};

const placing = objectOf<Omit<Membership, 'isQuiet' | 'isLingering'>>({
  id: text, openedAs: text, since: number, layer: oneOf(...layers), sequence: number, index: number,
});

const membership: Parser<Membership> = (value, path) => ({
  ...placing(value, path),
  ...(memberOf(value, 'isQuiet') === true && { isQuiet: true }),
  ...(memberOf(value, 'isLingering') === true && { isLingering: true }),
});

const acceptance = objectOf<Acceptance>({ status: alertStatus, at: number });

const receivedAlert: Parser<ReceivedAlert> = (value, path) => {
  const field = fieldsOf(value, path);
  field('alert', objectOf({ fingerprint: knownFingerprint }));
  const at = field('at', number);
  return ReceivedAlert.of(plainObject(value, path) as object as AlertInGroup, at);
};

export const outcomeRecord: Parser<OutcomeRecord> = objectOf<OutcomeRecord>({
  ...keyMembers, state: oneOf('reported', 'failed', 'quarantined'), revision: number, conclusion,
  report: optional(extent, undefined), isRecordedAnew: optional(boolean, undefined),
});

export const movedRecord: Parser<MovedRecord> = objectOf<MovedRecord>({
  ...keyMembers, from: optional(extent, null), report: extent,
});

export const recordedRecord: Parser<RecordedRecord> = objectOf<RecordedRecord>({
  ...keyMembers, recording: extent,
});

export const feedbackRecord: Parser<FeedbackRecord> = objectOf<FeedbackRecord>({
  ...keyMembers, feedback: storedFeedback,
});

export const againRecord: Parser<AgainRecord> = objectOf<AgainRecord>({
  ...keyMembers, told: receivedAlert, goneAt: optional(number, undefined),
});

/** Versions before kept the key as it was sent. */
const identity: Parser<Identity> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    labels: field('labels', plainObject) as LabelSet,
    groupKey: keptGroupKey(field('groupKey', text)),
    windowMs: field('windowMs', optional(number, 0)),
  };
};

/**
 * Snapshots are our own and have a checksum, so only members are checked that differ between
 * versions, or that an error in would be costly.
 */
const episode: Parser<Episode> = (value, path) => {
  const read = fieldsOf(value, path);
  return {
    ...(plainObject(value, path) as object as Episode),
    ...episodeKey(value, path),
    analysis: read('analysis', analysisState),
    isEndUnknown: read('isEndUnknown', optional(boolean, false)),
    isAskedFor: read('isAskedFor', optional(boolean, false)),
    conclusion: read('conclusion', lenient(conclusion, null)),
    report: read('report', lenient(extent, null)),
    recording: read('recording', lenient(extent, null)),
    latest: read('latest', optional(receivedAlert, null)),
    identity: read('identity', lenient(identity, null)),
    incident: read('incident', lenient(membership, null)),
    feedback: read('feedback', lenient(listOf(storedFeedback), noFeedback)),
  };
};

const analysisState = oneOf<AnalysisState>(
  'queued', 'running', 'reported', 'failed', 'quarantined',
);

export const episodeRecord: Parser<EpisodeRecord> = objectOf<EpisodeRecord>({
  episode, sequence: number, acceptance: optional(acceptance, null),
});
