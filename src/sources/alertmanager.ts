/**
 * Alertmanager's API: active alerts, why some of them are not sent, and silences
 * (prometheus/alertmanager: api/v2/openapi.yaml).
 */
import type { Suppression } from '../alert/alert.ts';
import { comparedLabels, labelSet, noLabels, type LabelSet } from '../alert/labels.ts';
import { parseTime, timestamp } from '../alert/timestamp.ts';
import {
  fieldsOf, lenient, listOf, objectOf, oneOf, optional, text, type Parser,
} from '../lib/parse.ts';
import { escapeRegex } from '../lib/promql-string.ts';
import { shortened } from '../lib/shortened.ts';
import { AnswerRoom, readBounded, type Bounded } from './answer-room.ts';
import { JsonReader } from './json-reader.ts';
import type { Matcher } from './promql-text.ts';
import type { Parameters, SourceIdentity } from './source-access.ts';
import type { AskableSource } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';

export const alertmanagerIdentity: SourceIdentity = {
  title: 'Alertmanager', prefix: 'ALERTMANAGER', readsOnlyByGet: true,
  provides: 'Silences, inhibitions and alerts that were not sent here',
};

export interface ActiveAlert {
  readonly fingerprint: string;
  readonly labels: LabelSet;
  /** RFC 3339, cut to milliseconds; null if missing. */
  readonly startsAt: string | null;
  readonly receivers: readonly string[];
  /** `unprocessed`: not routed yet. */
  readonly state: 'active' | 'suppressed' | 'unprocessed';
  /** Ids of silences. */
  readonly silencedBy: readonly string[];
  /** Fingerprints of the alerts that inhibit it. */
  readonly inhibitedBy: readonly string[];
  /** Names of the time intervals that mute it; only since 0.28. */
  readonly mutedBy: readonly string[];
}

interface AlertGroup {
  readonly labels: LabelSet;
  readonly receiver: string;
  readonly alerts: Bounded<ActiveAlert>;
}

export interface Silence {
  readonly id: string;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly createdBy: string;
  readonly comment: string;
}

/** What one Alertmanager has. */
export interface HeldAlerts {
  /** When it started, in ms by its own clock; null if it does not say. */
  readonly startedAt: number | null;
  /** Every alert, by fingerprint, and why nobody is notified of it; null if somebody is. */
  readonly alerts: ReadonlyMap<string, Suppression | null>;
}

/** Every method throws SourceFailure and nothing else. */
export interface Alertmanager {
  /** Alerts that match all matchers, including suppressed ones. */
  alerts(matchers: readonly Matcher[]): Promise<Bounded<ActiveAlert>>;
  /** The groups of one receiver, given by its exact name. */
  groups(receiver: string, matchers: readonly Matcher[]): Promise<Bounded<AlertGroup>>;
  /** Null if Alertmanager does not have it any more. */
  silence(id: string): Promise<Silence | null>;
}

/** Alerts read of one answer, over all its groups. */
const alertsMax = 2000;
const groupsMax = 200;
const alertsPerGroupMax = 500;
/** Receivers, silences and the like read of one alert; nobody is shown more. */
const namesMax = 20;
const nameLengthMax = 200;
/** More of a comment than is ever shown. */
const commentLengthMax = 2000;

/** Aborting `signal` cancels all questions. */
export function createAlertmanager(client: AskableSource, signal?: AbortSignal): Alertmanager {
  return {
    alerts: (matchers) => {
      const parameters = filters(matchers);
      return client.ask({ signal, path: '/api/v2/alerts', parameters }, (body) =>
        readAll(body, alertsMax, readAlert));
    },

    groups: async (receiver, matchers) => {
      const parameters: Parameters = [['receiver', escapeRegex(receiver)], ...filters(matchers)];
      const request = { signal, path: '/api/v2/alerts/groups', parameters };
      const all = await client.ask(request, (body) => {
        let alertsLeft = alertsMax;
        return readAll(body, groupsMax, (reader, room) => {
          if (alertsLeft === 0) return null;
          const group = readGroup(reader, room, Math.min(alertsPerGroupMax, alertsLeft));
          alertsLeft -= group?.alerts.items.length ?? 0;
          return group;
        });
      });
      const name = shortened(receiver, nameLengthMax);
      return { ...all, items: all.items.filter((group) => group.receiver === name) };
    },

    silence: async (id) => {
      const path = `/api/v2/silence/${encodeURIComponent(id)}`;
      try {
        return await client.ask({ signal, path }, (body) =>
          silence(new JsonReader(body).value(), 'silence'));
      } catch (error) {
        if (error instanceof SourceFailure && error.status === 404) return null;
        throw error;
      }
    },
  };
}

/**
 * Asks for all alerts, without any filter that could hide one.
 *
 * @throws {SourceFailure}
 */
export async function askPresence(client: AskableSource, signal: AbortSignal): Promise<HeldAlerts> {
  const startedAt = await client.ask({ signal, path: '/api/v2/status' }, (body) => {
    const members = new JsonReader(body).members(new Set(['uptime'])) ?? {};
    return parseTime(fieldsOf(members, 'status')('uptime', lenient(timestamp, null)) ?? '');
  });
  const alerts = await client.ask({ signal, path: '/api/v2/alerts' }, (body) => {
    const reader = new JsonReader(body);
    const found = new Map<string, Suppression | null>();
    reader.array(() => {
      let fingerprint = '';
      const members = reader.members(new Set(['status']), (name) => {
        if (name === 'fingerprint') fingerprint = reader.text();
      });
      found.set(fingerprint, lenient(suppression, null)(members?.['status'], 'status'));
    });
    reader.end();
    return found;
  });
  return { startedAt, alerts };
}

const suppression: Parser<Suppression | null> = (status, path) => {
  const { silencedBy, inhibitedBy, mutedBy } = suppressors(status, path);
  if (silencedBy.length > 0) return 'silenced';
  if (inhibitedBy.length > 0) return 'inhibited';
  return mutedBy.length > 0 ? 'muted' : null;
};

/**
 * Matchers in the syntax that all versions accept (prometheus/alertmanager: pkg/labels/parse.go).
 * Other names need 0.27 and are left out, so that more alerts match.
 */
function filters(matchers: readonly Matcher[]): Parameters {
  return matchers
    .filter(({ name }) => /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
    .map(({ name, op, value }) => ['filter', `${name}${op}${quoteValue(value)}`]);
}

function quoteValue(value: string): string {
  const escaped = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

function readAll<T>(
  body: Buffer,
  max: number,
  read: (reader: JsonReader, room: AnswerRoom) => T | null,
): Bounded<T> {
  const room = new AnswerRoom();
  const reader = new JsonReader(body);
  const found = readBounded(reader, { max, room }, () => read(reader, room));
  reader.end();
  return found;
}

const alertMembers: ReadonlySet<string> = new Set([
  'fingerprint', 'labels', 'startsAt', 'receivers', 'status',
]);

/** Null if the alert or its labels are too long. */
function readAlert(reader: JsonReader, room: AnswerRoom): ActiveAlert | null {
  const members = reader.members(alertMembers);
  if (members === null) return null;
  const field = fieldsOf(members, 'alert');
  const fingerprint = field('fingerprint', shortName);
  const labels = room.labels(() => members['labels']);
  if (labels === null) return null;
  const status = field('status', optional((given) => given, {}));
  const lists = {
    receivers: field('receivers', lenient(fewOf(receiverName), [])),
    ...suppressors(status, 'alert.status'),
  };
  if (!room.take([fingerprint, ...Object.values(lists).flat()])) return null;
  return {
    fingerprint, labels,
    startsAt: field('startsAt', lenient(timestamp, null)),
    state: fieldsOf(status, 'alert.status')('state', stateName),
    ...lists,
  };
}

const shortName = shortenedText(nameLengthMax);

const stateName: Parser<ActiveAlert['state']> =
  lenient(oneOf('active', 'suppressed', 'unprocessed'), 'active');

type Suppressors = Pick<ActiveAlert, 'silencedBy' | 'inhibitedBy' | 'mutedBy'>;

function suppressors(status: unknown, path: string): Suppressors {
  const field = fieldsOf(status, path);
  return {
    silencedBy: field('silencedBy', lenient(fewOf(shortName), [])),
    inhibitedBy: field('inhibitedBy', lenient(fewOf(shortName), [])),
    mutedBy: field('mutedBy', lenient(fewOf(shortName), [])),
  };
}

const receiverName: Parser<string> = (value, path) => fieldsOf(value, path)('name', shortName);

/** A list, cut to its first elements. */
function fewOf(item: Parser<string>): Parser<string[]> {
  return (value, path) =>
    listOf(item)(Array.isArray(value) ? value.slice(0, namesMax) : value, path);
}

function shortenedText(lengthMax: number): Parser<string> {
  return (value, path) => shortened(text(value, path), lengthMax);
}

const groupMembers: ReadonlySet<string> = new Set(['labels', 'receiver']);

/** Reads alerts one by one: there may be tens of thousands. */
function readGroup(reader: JsonReader, room: AnswerRoom, max: number): AlertGroup | null {
  let alerts: Bounded<ActiveAlert> = { items: [], omitted: 0 };
  const members = reader.members(groupMembers, (member) => {
    if (member !== 'alerts') return;
    alerts = readBounded(reader, { max, room }, () => readAlert(reader, room));
  });
  if (members === null) return null;
  const field = fieldsOf(members, 'group');
  return {
    labels: comparedLabels(field('labels', optional(labelSet, noLabels))),
    receiver: field('receiver', receiverName),
    alerts,
  };
}

const silence: Parser<Silence> = objectOf({
  id: shortName,
  startsAt: lenient(timestamp, null),
  endsAt: lenient(timestamp, null),
  createdBy: lenient(shortName, ''),
  comment: lenient(shortenedText(commentLengthMax), ''),
});
