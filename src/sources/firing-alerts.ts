/**
 * What fires at an Alertmanager or a Prometheus at this moment, in the form in which a notification
 * lists alerts.
 */
import { labelSet, noLabels, type LabelSet } from '../alert/labels.ts';
import { parseTime, timestamp } from '../alert/timestamp.ts';
import {
  fieldsOf, lenient, listOf, number, oneOf, optional, text, type Parser,
} from '../lib/parse.ts';
import { JsonReader } from './json-reader.ts';
import { readEnvelope } from './prometheus-answers.ts';
import { addressOf } from './source-access.ts';
import type { AskableSource } from './source-client.ts';

export interface FiringAlert {
  readonly status: 'firing';
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  /** RFC 3339; null if the server does not say. */
  readonly startsAt: string | null;
  readonly generatorURL: string;
  /** Only from Alertmanager. */
  readonly fingerprint?: string;
}

export interface FiringAlerts {
  readonly alerts: readonly FiringAlert[];
  /** Alerts that fire but nobody is notified of: silenced, inhibited or muted. */
  readonly suppressed: number;
  /** False for a Prometheus without a single alerting rule, where nothing can fire. */
  readonly hasRules: boolean;
}

/** @throws {SourceFailure} */
export function firingAtAlertmanager(
  client: AskableSource, signal: AbortSignal,
): Promise<FiringAlerts> {
  return client.ask({ signal, path: '/api/v2/alerts' }, (body) => {
    const listed = listOf(alertmanagerAlert)(readJson(body), 'alerts');
    const alerts = listed.flatMap(({ alert, isSuppressed }) => isSuppressed ? [] : [alert]);
    return { alerts, suppressed: listed.length - alerts.length, hasRules: true };
  });
}

/**
 * `base` is the address of the server: its alerts get the links to their rules that it would send.
 *
 * @throws {SourceFailure}
 */
export function firingAtPrometheus(
  client: AskableSource, base: string, signal: AbortSignal,
): Promise<FiringAlerts> {
  return client.ask({ signal, path: '/api/v1/rules', parameters: [['type', 'alert']] }, (body) => {
    const { data } = readEnvelope(body, (reader) => reader.value());
    const groups = fieldsOf(data, 'data')('groups', listOf(rulesOfGroup));
    const rules = groups.flat().filter(({ type }) => type === 'alerting');
    return {
      alerts: rules.flatMap((rule) => firingOf(rule, base)),
      suppressed: 0, hasRules: rules.length > 0,
    };
  });
}

function readJson(body: Buffer): unknown {
  const reader = new JsonReader(body);
  const value = reader.value();
  reader.end();
  return value;
}

const annotationSet = lenient(labelSet, noLabels);
const address = lenient(text, '');

const alertmanagerAlert: Parser<{ alert: FiringAlert; isSuppressed: boolean }> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    isSuppressed: field('status', stateIn) === 'suppressed',
    alert: {
      status: 'firing',
      labels: field('labels', labelSet),
      annotations: field('annotations', annotationSet),
      startsAt: field('startsAt', lenient(timestamp, null)),
      generatorURL: field('generatorURL', address),
      fingerprint: field('fingerprint', text),
    },
  };
};

const stateIn: Parser<string> = (status, path) =>
  fieldsOf(status, path)('state', oneOf('active', 'suppressed', 'unprocessed'));

interface RuleWithAlerts {
  readonly type: string;
  readonly query: string;
  /** `for`. */
  readonly durationSeconds: number;
  readonly alerts: readonly RaisedAlert[];
}

interface RaisedAlert {
  readonly state: string;
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  readonly activeAt: string | null;
}

const raisedAlert: Parser<RaisedAlert> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    state: field('state', text),
    labels: field('labels', labelSet),
    annotations: field('annotations', annotationSet),
    activeAt: field('activeAt', lenient(timestamp, null)),
  };
};

const rulesOfGroup: Parser<readonly RuleWithAlerts[]> = (group, path) =>
  fieldsOf(group, path)('rules', listOf((value, rulePath) => {
    const field = fieldsOf(value, rulePath);
    return {
      type: field('type', lenient(text, 'alerting')),
      query: field('query', address),
      durationSeconds: field('duration', lenient(number, 0)),
      alerts: field('alerts', optional(listOf(raisedAlert), [])),
    };
  }));

function firingOf({ query, durationSeconds, alerts }: RuleWithAlerts, base: string): FiringAlert[] {
  const expression = encodeURIComponent(query);
  return alerts.filter(({ state }) => state === 'firing').map((alert) => {
    // `activeAt` is when the expression began to hold: it fires once that has lasted for `for`.
    const activeAt = parseTime(alert.activeAt ?? '');
    return {
      status: 'firing', labels: alert.labels, annotations: alert.annotations,
      startsAt: activeAt === null ? null
        : new Date(activeAt + durationSeconds * 1000).toISOString(),
      generatorURL: addressOf(base, `/graph?g0.expr=${expression}&g0.tab=1`),
    };
  });
}
