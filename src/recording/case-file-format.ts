import type { Alert } from '../alert/alert.ts';
import { knownFingerprint } from '../alert/fingerprint.ts';
import { labelSet } from '../alert/labels.ts';
import type { Group } from '../alert/notification.ts';
import {
  boolean, fieldsOf, listOf, number, oneOf, optional, text, type Parser,
} from '../lib/parse.ts';
import type {
  CaseFile, IncidentMember, IncidentOfCase, OpenAlert, PastEpisode, Storm, ToldFeedback,
  UnlistedEpisodes,
} from '../report/case-file.ts';
import { verdicts } from '../report/feedback.ts';
import { classifications } from '../report/report.ts';

const orNull = optional(text, null);

const alert: Parser<Alert> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    status: field('status', oneOf('firing', 'resolved')),
    labels: field('labels', labelSet),
    annotations: field('annotations', labelSet),
    startsAt: field('startsAt', orNull),
    endsAt: field('endsAt', orNull),
    generatorURL: field('generatorURL', text),
    fingerprint: field('fingerprint', knownFingerprint),
    values: field('values', labelSet),
    dashboardURL: field('dashboardURL', text),
    panelURL: field('panelURL', text),
  };
};

const group: Parser<Group> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    receiver: field('receiver', text),
    groupKey: field('groupKey', text),
    groupLabels: field('groupLabels', labelSet),
    externalURL: field('externalURL', text),
    listed: field('listed', number),
    truncated: field('truncated', number),
  };
};

const episode: Parser<CaseFile['episode']> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    number: field('number', number),
    startsAt: field('startsAt', text),
    endsAt: field('endsAt', orNull),
    notifications: field('notifications', number),
  };
};

const pastEpisode: Parser<PastEpisode> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    number: field('number', number),
    startsAt: field('startsAt', text),
    endsAt: field('endsAt', orNull),
    classification: field('classification', optional(oneOf(...classifications), null)),
  };
};

const openAlert: Parser<OpenAlert> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    fingerprint: field('fingerprint', text),
    startsAt: field('startsAt', text),
    labels: field('labels', labelSet),
  };
};

const member: Parser<IncidentMember> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    fingerprint: field('fingerprint', text),
    name: field('name', text),
    startsAt: field('startsAt', text),
    reportUrl: field('reportUrl', text),
  };
};

const incident: Parser<IncidentOfCase> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    id: field('id', text),
    members: field('members', listOf(member)),
    total: field('total', number),
    fingerprints: field('fingerprints', listOf(text)),
    likelyOrigin: field('likelyOrigin', optional(member, null)),
  };
};

const representative: Parser<NonNullable<Storm['representative']>> = (value, path) => {
  const field = fieldsOf(value, path);
  return { name: field('name', text), reportUrl: field('reportUrl', text) };
};

const storm: Parser<Storm> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    size: field('size', number),
    representative: field('representative', optional(representative, null)),
  };
};

const toldFeedback: Parser<ToldFeedback> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    at: field('at', text),
    verdict: field('verdict', oneOf(...verdicts)),
    cause: field('cause', orNull),
    note: field('note', orNull),
    noisy: field('noisy', boolean),
    fingerprint: field('fingerprint', text),
    number: field('number', number),
    startsAt: field('startsAt', text),
    reportUrl: field('reportUrl', text),
  };
};

const unlisted: Parser<UnlistedEpisodes> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    count: field('count', number),
    last24h: field('last24h', number),
    last7d: field('last7d', number),
    last30d: field('last30d', number),
  };
};

/** Parses the case file in a recording. */
export const caseFile: Parser<CaseFile> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    alert: field('alert', alert),
    group: field('group', group),
    receivedAt: field('receivedAt', text),
    episode: field('episode', episode),
    reportUrl: field('reportUrl', text),
    reportBase: field('reportBase', text),
    earlier: field('earlier', listOf(pastEpisode)),
    unlisted: field('unlisted', optional(unlisted, null)),
    openAlerts: field('openAlerts', listOf(openAlert)),
    sameNameOpen: field('sameNameOpen', number),
    attempts: field('attempts', number),
    incident: field('incident', optional(incident, null)),
    storm: field('storm', optional(storm, null)),
    feedback: field('feedback', optional(listOf(toldFeedback), [])),
  };
};
