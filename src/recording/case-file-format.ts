import type { Alert } from '../alert/alert.ts';
import { knownFingerprint } from '../alert/fingerprint.ts';
import { labelSet } from '../alert/labels.ts';
import type { Group } from '../alert/notification.ts';
import {
  boolean, listOf, number, objectOf, oneOf, optional, text, type Parser,
} from '../lib/parse.ts';
import type {
  CaseFile, FoundBefore, IncidentMember, IncidentOfCase, OpenAlert, OriginOfCase, PastEpisode,
  Storm, KnownFeedback, UnlistedEpisodes,
} from '../report/case-file.ts';
import { verdicts } from '../report/feedback.ts';
import type { CauseFacts } from '../report/kinds.ts';
import { causeFactsIn } from '../report/parse-kinds.ts';
import { certainties, classifications } from '../report/report.ts';

const orNull = optional(text, null);

const alertMembers: Parser<Required<Alert>> = objectOf({
  status: oneOf('firing', 'resolved'),
  labels: labelSet,
  annotations: labelSet,
  startsAt: orNull,
  endsAt: orNull,
  generatorURL: text,
  fingerprint: knownFingerprint,
  values: labelSet,
  dashboardURL: text,
  panelURL: text,
  silenceURL: optional(text, ''),
});

const alert: Parser<Alert> = (value, path) => {
  const { silenceURL, ...members } = alertMembers(value, path);
  return silenceURL === '' ? members : { ...members, silenceURL };
};

const group: Parser<Group> = objectOf({
  receiver: text,
  groupKey: text,
  groupLabels: labelSet,
  externalURL: text,
  listed: number,
  truncated: number,
});

const episode: Parser<CaseFile['episode']> = objectOf({
  number, startsAt: text, endsAt: orNull, isEndUnknown: optional(boolean, false),
  notifications: number,
});

const pastEpisode: Parser<PastEpisode> = objectOf({
  number, startsAt: text, endsAt: orNull,
  classification: optional(oneOf(...classifications), null),
});

const openAlert: Parser<OpenAlert> = objectOf({
  fingerprint: text, startsAt: text, receivedAt: optional(orNull, null), labels: labelSet,
});

const member: Parser<IncidentMember> = objectOf({
  fingerprint: text, name: text, startsAt: text, reportUrl: text,
});

const origin: Parser<OriginOfCase> = objectOf({
  name: text, text, isReached: boolean, alert: optional(member, null),
});

const incident: Parser<IncidentOfCase> = objectOf({
  id: text,
  members: listOf(member),
  fingerprints: listOf(text),
  likelyOrigin: optional(member, null),
  origin: optional(origin, null),
});

const representative: Parser<NonNullable<Storm['representative']>> = objectOf({
  name: text, reportUrl: text,
});

const storm: Parser<Storm> = objectOf({
  size: number, representative: optional(representative, null),
});

const knownFeedback: Parser<KnownFeedback> = objectOf({
  at: text,
  verdict: oneOf(...verdicts),
  cause: orNull,
  note: orNull,
  noisy: boolean,
  fingerprint: text,
  number,
  startsAt: text,
  reportUrl: text,
});

const unlisted: Parser<UnlistedEpisodes> = objectOf({
  count: number, last24h: number, last7d: number, last30d: number,
});

const foundText = objectOf<Omit<FoundBefore, keyof CauseFacts>>({
  at: text, cause: text, mechanism: orNull, certainty: oneOf(...certainties),
  statements: listOf(text),
});

const foundBefore: Parser<FoundBefore> = (value, path) =>
  ({ ...foundText(value, path), ...causeFactsIn(value) });

/** Parses the case file in a recording. */
export const caseFile: Parser<CaseFile> = objectOf({
  alert, group,
  receivedAt: text,
  episode,
  reportUrl: text,
  reportBase: text,
  earlier: listOf(pastEpisode),
  unlisted: optional(unlisted, null),
  openAlerts: listOf(openAlert),
  sameNameOpen: number,
  attempts: number,
  incident: optional(incident, null),
  storm: optional(storm, null),
  feedback: optional(listOf(knownFeedback), []),
  foundBefore: optional(foundBefore, null),
});
