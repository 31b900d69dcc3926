/**
 * What Alertmanager knows beyond its notifications: other active alerts, why some of them are not
 * sent, and silences (prometheus/alertmanager: api/v2/openapi.yaml).
 */
import { labelSet, noLabels, type LabelSet } from '../alert/labels.ts';
import { timestamp } from '../alert/timestamp.ts';
import {
  boolean, fieldsOf, lenient, listOf, oneOf, optional, text, type Parser,
} from '../lib/parse.ts';
import { askInTurn } from './ask-in-turn.ts';
import { JsonReader } from './json-reader.ts';
import { escapeRegex, type Matcher } from './promql-text.ts';
import type { Turns } from './query-gate.ts';
import type { Parameters, SourceIdentity } from './source-access.ts';
import type { AskableSource } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';

export const alertmanagerIdentity: SourceIdentity = {
  title: 'Alertmanager', prefix: 'ALERTMANAGER',
};

export interface ActiveAlert {
  readonly fingerprint: string;
  readonly labels: LabelSet;
  /** RFC 3339, cut to milliseconds; null when it is not told. */
  readonly startsAt: string | null;
  /** When it counts as resolved unless it is sent again: in the future while it fires. */
  readonly expiresAt: string | null;
  readonly updatedAt: string | null;
  readonly receivers: readonly string[];
  /** `unprocessed`: not yet through the routes. */
  readonly state: 'active' | 'suppressed' | 'unprocessed';
  /** Ids of silences. */
  readonly silencedBy: readonly string[];
  /** Fingerprints of the alerts that inhibit it. */
  readonly inhibitedBy: readonly string[];
  /** Names of time intervals; servers before 0.28 do not tell. */
  readonly mutedBy: readonly string[];
}

export interface AlertGroup {
  readonly labels: LabelSet;
  readonly receiver: string;
  readonly alerts: readonly ActiveAlert[];
}

export interface Silence {
  readonly id: string;
  readonly state: 'active' | 'pending' | 'expired' | 'unknown';
  readonly matchers: readonly Matcher[];
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly createdBy: string;
  readonly comment: string;
}

export interface Bounded<T> {
  readonly items: readonly T[];
  /** Items beyond the bound. */
  readonly omitted: number;
}

/** Every method throws SourceFailure and nothing else. */
export interface Alertmanager {
  /** Alerts that all matchers match, also suppressed ones. */
  alerts(matchers: readonly Matcher[]): Promise<Bounded<ActiveAlert>>;
  /** The groups of one receiver, whose name is not a regular expression here. */
  groups(receiver: string, matchers: readonly Matcher[]): Promise<Bounded<AlertGroup>>;
  /** Null: no longer known. */
  silence(id: string): Promise<Silence | null>;
}

const alertsMax = 2000;
const groupsMax = 200;
const alertsPerGroupMax = 500;

/** `turns` is the gate, or the budget of an investigation before it; `signal` ends everything. */
export function createAlertmanager(
  client: AskableSource,
  turns: Turns,
  signal?: AbortSignal,
): Alertmanager {
  const ask = askInTurn(client, turns, signal);
  return {
    alerts: (matchers) => {
      const parameters = filters(matchers);
      return ask({ path: '/api/v2/alerts', parameters }, (body) => {
        return firstOf(body, alertsMax, readAlert);
      });
    },

    groups: async (receiver, matchers) => {
      const parameters: Parameters = [
        ['receiver', escapeRegex(receiver)], ...filters(matchers),
      ];
      const all = await ask({ path: '/api/v2/alerts/groups', parameters }, (body) => {
        return firstOf(body, groupsMax, readGroup);
      });
      return { ...all, items: all.items.filter((group) => group.receiver === receiver) };
    },

    silence: async (id) => {
      const path = `/api/v2/silence/${encodeURIComponent(id)}`;
      try {
        return await ask({ path }, (body) => silence(new JsonReader(body).value(), 'silence'));
      } catch (error) {
        if (error instanceof SourceFailure && error.status === 404) return null;
        throw error;
      }
    },
  };
}

/**
 * Matchers in the syntax that all versions read (prometheus/alertmanager: pkg/labels/parse.go).
 * Other names need 0.27 and are left out, so that more is matched: it is only a filter.
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

/** `read` is given the reader before an element, and gives null for one too long to be read. */
function firstOf<T>(
  body: Buffer,
  max: number,
  read: (reader: JsonReader, path: string) => T | null,
): Bounded<T> {
  const items: T[] = [];
  let omitted = 0;
  const reader = new JsonReader(body);
  reader.array((index) => {
    const item = items.length < max ? read(reader, `[${index}]`) : null;
    if (item === null) omitted += 1;
    else items.push(item);
  });
  reader.end();
  return { items, omitted };
}

const alertMembers: ReadonlySet<string> = new Set([
  'fingerprint', 'labels', 'startsAt', 'endsAt', 'updatedAt', 'receivers', 'status',
]);

function readAlert(reader: JsonReader, path: string): ActiveAlert | null {
  const members = reader.members(alertMembers);
  if (members === null) return null;
  const field = fieldsOf(members, path);
  const status = fieldsOf(field('status', optional((status) => status, {})), `${path}.status`);
  const names = lenient(listOf(text), []);
  return {
    fingerprint: field('fingerprint', text),
    labels: field('labels', labelSet),
    startsAt: field('startsAt', lenient(timestamp, null)),
    expiresAt: field('endsAt', lenient(timestamp, null)),
    updatedAt: field('updatedAt', lenient(timestamp, null)),
    receivers: field('receivers', lenient(listOf(receiverName), [])),
    state: status('state', lenient(oneOf('active', 'suppressed', 'unprocessed'), 'active')),
    silencedBy: status('silencedBy', names),
    inhibitedBy: status('inhibitedBy', names),
    mutedBy: status('mutedBy', names),
  };
}

const receiverName: Parser<string> = (value, path) => fieldsOf(value, path)('name', text);

const groupMembers: ReadonlySet<string> = new Set(['labels', 'receiver']);

/** Its alerts one by one: there may be tens of thousands. */
function readGroup(reader: JsonReader, path: string): AlertGroup | null {
  const alerts: ActiveAlert[] = [];
  const members = reader.members(groupMembers, (member) => {
    if (member !== 'alerts') return;
    reader.array((index) => {
      const alert = alerts.length < alertsPerGroupMax
        ? readAlert(reader, `${path}.alerts[${index}]`)
        : null;
      if (alert !== null) alerts.push(alert);
    });
  });
  if (members === null) return null;
  const field = fieldsOf(members, path);
  return {
    labels: field('labels', optional(labelSet, noLabels)),
    receiver: field('receiver', receiverName),
    alerts,
  };
}

const silence: Parser<Silence> = (value, path) => {
  const field = fieldsOf(value, path);
  const status = fieldsOf(field('status', optional((status) => status, {})), `${path}.status`);
  return {
    id: field('id', text),
    state: status('state', lenient(oneOf('active', 'pending', 'expired'), 'unknown')),
    matchers: field('matchers', listOf(silenceMatcher)),
    startsAt: field('startsAt', lenient(timestamp, null)),
    endsAt: field('endsAt', lenient(timestamp, null)),
    createdBy: field('createdBy', lenient(text, '')),
    comment: field('comment', lenient(text, '')),
  };
};

const silenceMatcher: Parser<Matcher> = (value, path) => {
  const field = fieldsOf(value, path);
  const isRegex = field('isRegex', boolean);
  // Absent before 0.22, when every matcher asked for equality.
  const isEqual = field('isEqual', optional(boolean, true));
  const op = isEqual ? (isRegex ? '=~' : '=') : isRegex ? '!~' : '!=';
  return { name: field('name', text), op, value: field('value', text) };
};
