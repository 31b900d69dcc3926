/**
 * Answers of `/api/v1/rules`, `/alerts`, `/metadata` and `/status/buildinfo`. Servers before 2.44,
 * and vmalert, ignore what they are asked for and answer with everything; so all is filtered here.
 */
import { labelSet, noLabels, type LabelSet } from '../alert/labels.ts';
import { parseTime } from '../alert/timestamp.ts';
import {
  fieldsOf, FormatError, lenient, listOf, number, optional, text, type Parser,
} from '../lib/parse.ts';
import { JsonReader } from './json-reader.ts';
import { readEnvelope } from './prometheus-answers.ts';

/** An alert as the rule's own server sees it: without external labels and relabelling. */
export interface PendingAlert {
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  readonly state: 'pending' | 'firing' | 'inactive';
  /** Since when the expression holds, in milliseconds; null when the server does not tell. */
  readonly activeAtMs: number | null;
  /** May be NaN or infinite; null when the server does not tell. */
  readonly value: number | null;
}

export interface AlertRule {
  readonly group: string;
  readonly file: string;
  readonly name: string;
  readonly query: string;
  /** `for`. */
  readonly durationSeconds: number;
  readonly keepFiringForSeconds: number;
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  /** `unknown` until it has been evaluated. */
  readonly health: string;
  /** Why the last evaluation failed; null when it did not. */
  readonly lastError: string | null;
  readonly lastEvaluationMs: number | null;
  /** How often the group is evaluated; null when the server does not tell. */
  readonly intervalSeconds: number | null;
  readonly alerts: readonly PendingAlert[];
}

export interface MetricMetadata {
  readonly type: string;
  readonly unit: string;
  readonly help: string;
}

const alertsPerRuleMax = 1000;
const helpLengthMax = 500;

/** The alerting rules named `name`; several may be, told apart by their labels. */
export function readRules(body: Buffer, name: string, rulesMax: number): AlertRule[] {
  const found: AlertRule[] = [];
  readEnvelope(body, (reader) => {
    reader.object((member) => {
      if (member !== 'groups') return;
      reader.array(() => {
        const group = readGroup(reader, name, rulesMax - found.length);
        const place = { group: group.name, file: group.file, intervalSeconds: group.interval };
        found.push(...group.rules.map((rule, index) => parseRule(rule, `rules[${index}]`, place)));
      });
    });
  });
  return found;
}

interface RuleGroup {
  name: string;
  file: string;
  interval: number | null;
  readonly rules: unknown[];
}

/** Only rules of the name become objects: a whole server's rules are megabytes of other text. */
function readGroup(reader: JsonReader, ruleName: string, rulesMax: number): RuleGroup {
  const group: RuleGroup = { name: '', file: '', interval: null, rules: [] };
  reader.object((member) => {
    if (member === 'name') group.name = reader.text();
    else if (member === 'file') group.file = reader.text();
    else if (member === 'interval') group.interval = reader.number();
    else if (member === 'rules') {
      reader.array(() => {
        const span = reader.span();
        if (group.rules.length < rulesMax && isAlertingRule(span, ruleName)) {
          group.rules.push(new JsonReader(span).value());
        }
      });
    }
  });
  return group;
}

function isAlertingRule(span: Buffer, ruleName: string): boolean {
  const reader = new JsonReader(span);
  let name = '';
  let type = 'alerting';
  reader.object((member) => {
    if (member === 'name') name = reader.text();
    else if (member === 'type') type = reader.text();
  });
  return name === ruleName && type === 'alerting';
}

type RulePlace = Pick<AlertRule, 'group' | 'file' | 'intervalSeconds'>;

function parseRule(value: unknown, path: string, place: RulePlace): AlertRule {
  const field = fieldsOf(value, path);
  const lastError = field('lastError', lenient(text, ''));
  return {
    ...place,
    name: field('name', text),
    query: field('query', text),
    durationSeconds: field('duration', lenient(number, 0)),
    keepFiringForSeconds: field('keepFiringFor', lenient(number, 0)),
    labels: field('labels', optional(labelSet, noLabels)),
    annotations: field('annotations', lenient(labelSet, noLabels)),
    health: field('health', lenient(text, 'unknown')),
    lastError: lastError === '' ? null : lastError,
    lastEvaluationMs: field('lastEvaluation', lenient(moment, null)),
    alerts: field('alerts', optional(firstAlerts, [])),
  };
}

const firstAlerts: Parser<PendingAlert[]> = (value, path) => {
  if (!Array.isArray(value)) throw new FormatError(path, 'an array', value);
  const first: unknown[] = value.slice(0, alertsPerRuleMax);
  return first.map((alert, index) => pendingAlert(alert, `${path}[${index}]`));
};

const pendingAlert: Parser<PendingAlert> = (value, path) => {
  const field = fieldsOf(value, path);
  const state = field('state', lenient(text, 'inactive'));
  return {
    labels: field('labels', labelSet),
    annotations: field('annotations', lenient(labelSet, noLabels)),
    state: state === 'firing' || state === 'pending' ? state : 'inactive',
    activeAtMs: field('activeAt', lenient(moment, null)),
    value: field('value', lenient(floatText, null)),
  };
};

/** The answer to `/api/v1/alerts`: what is pending or firing, of all rules. */
export function readAlerts(body: Buffer, alertsMax: number): {
  alerts: readonly PendingAlert[];
  omitted: number;
} {
  const alerts: PendingAlert[] = [];
  let omitted = 0;
  readEnvelope(body, (reader) => {
    reader.object((member) => {
      if (member !== 'alerts') return;
      reader.array((index) => {
        if (alerts.length >= alertsMax) omitted += 1;
        else alerts.push(pendingAlert(reader.value(), `alerts[${index}]`));
      });
    });
  });
  return { alerts, omitted };
}

/**
 * The answer to `/api/v1/metadata`, for the wanted metrics. Targets may tell different things of a
 * metric; the first counts.
 */
export function readMetadata(
  body: Buffer,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, MetricMetadata> {
  const found = new Map<string, MetricMetadata>();
  readEnvelope(body, (reader) => {
    reader.object((metric) => {
      if (!wanted.has(metric)) return;
      const [first] = listOf((value) => value)(reader.value(), metric);
      if (first === undefined) return;
      const field = fieldsOf(first, metric);
      found.set(metric, {
        type: field('type', lenient(text, 'unknown')),
        unit: field('unit', lenient(text, '')),
        help: field('help', lenient(text, '')).slice(0, helpLengthMax),
      });
    });
  });
  return found;
}

/** The version in the answer to `/api/v1/status/buildinfo`; empty where the server tells none. */
export function readVersion(body: Buffer): string {
  let version = '';
  readEnvelope(body, (reader) => {
    version = fieldsOf(reader.value(), 'data')('version', optional(text, ''));
  });
  return version;
}

const moment: Parser<number | null> = (value, path) => {
  const time = parseTime(text(value, path));
  // Go's zero time stands for never.
  return time === null || time < 0 ? null : time;
};

/** A float as Go prints it into JSON; some servers send it as a number. */
const floatText: Parser<number> = (value, path) => {
  if (typeof value === 'number') return value;
  return new JsonReader(Buffer.from(JSON.stringify(text(value, path)))).number();
};
