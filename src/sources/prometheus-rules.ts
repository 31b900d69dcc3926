/**
 * The answer of `/api/v1/rules`. Servers before 2.44, and vmalert, ignore the filter and return all
 * rules, so the answer is filtered here.
 */
import { comparedLabels, labelSet, noLabels, type LabelSet } from '../alert/labels.ts';
import { parseTime } from '../alert/timestamp.ts';
import {
  fieldsOf, FormatError, lenient, number, optional, text, type Parser,
} from '../lib/parse.ts';
import { shortened } from '../lib/shortened.ts';
import { AnswerRoom, readBounded } from './answer-room.ts';
import { JsonReader, parseFloatText } from './json-reader.ts';
import { readEnvelope } from './prometheus-answers.ts';

/** An alert as its Prometheus has it, before external labels and relabelling. */
export interface PendingAlert {
  readonly labels: LabelSet;
  readonly state: 'pending' | 'firing' | 'inactive';
  /** Since when the expression holds, in milliseconds; null if the server does not say. */
  readonly activeAtMs: number | null;
  /** May be NaN or infinite; null if the server does not say. */
  readonly value: number | null;
}

export interface AlertRule {
  readonly group: string;
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
  /** Evaluation interval of the group; null if the server does not say. */
  readonly intervalSeconds: number | null;
  readonly alerts: readonly PendingAlert[];
}

const alertsPerRuleMax = 1000;
/** Length of the names of groups and states. */
const nameLengthMax = 500;
const errorLengthMax = 500;
/** The same limit as for the expression in an alert's link. */
const expressionLengthMax = 16 * 1024;

type ReadRule = Omit<AlertRule, 'group' | 'intervalSeconds'>;

/**
 * The alerting rules named `name`; several rules with different labels may share a name. Others are
 * not parsed: all the rules of a server can be megabytes.
 */
export function readRules(body: Buffer, name: string, rulesMax: number): AlertRule[] {
  const found: AlertRule[] = [];
  const room = new AnswerRoom();
  let tooLong = 0;
  const readGroup = (reader: JsonReader): void => {
    const rules: ReadRule[] = [];
    let group = '';
    let intervalSeconds: number | null = null;
    reader.object((member) => {
      if (member === 'name') group = shortened(reader.text(), nameLengthMax);
      else if (member === 'interval') intervalSeconds = reader.number();
      else if (member === 'rules') {
        reader.array(() => {
          const span = reader.span();
          if (found.length + rules.length >= rulesMax || !isAlertingRule(span, name)) return;
          const rule = readRule(new JsonReader(span), room);
          if (rule === null) tooLong += 1;
          else rules.push(rule);
        });
      }
    });
    found.push(...rules.map((rule) => ({ group, intervalSeconds, ...rule })));
  };
  readEnvelope(body, (reader) => reader.object((member) => {
    if (member === 'groups') reader.array(() => readGroup(reader));
  }));
  // An empty list would mean that the server has no such rule.
  if (found.length === 0 && tooLong > 0) {
    throw new FormatError('rule', `an expression of at most ${expressionLengthMax}`, '');
  }
  return found;
}

/** Whether there are alerting rules in the answer, whatever their names. */
export function listsAlertingRules(body: Buffer): boolean {
  let isFound = false;
  readEnvelope(body, (reader) => reader.object((member) => {
    if (member !== 'groups') return;
    reader.array(() => reader.object((ofGroup) => {
      if (ofGroup !== 'rules') return;
      reader.array(() => {
        isFound ||= isAlertingRule(reader.span());
      });
    }));
  }));
  return isFound;
}

/** The rule may have any name, unless one is given. */
function isAlertingRule(span: Buffer, ruleName?: string): boolean {
  const reader = new JsonReader(span);
  let name = '';
  let type = 'alerting';
  reader.object((member) => {
    if (member === 'name') name = reader.text();
    else if (member === 'type') type = reader.text();
  });
  return type === 'alerting' && (ruleName === undefined || name === ruleName);
}

const ruleMembers: ReadonlySet<string> = new Set([
  'name', 'query', 'duration', 'keepFiringFor', 'labels', 'annotations', 'health', 'lastError',
]);

/** Reads alerts one by one: there may be tens of thousands. Null if the expression is too long. */
function readRule(reader: JsonReader, room: AnswerRoom): ReadRule | null {
  let alerts: readonly PendingAlert[] = [];
  const members = reader.members(ruleMembers, (member) => {
    if (member !== 'alerts') return;
    const bounds = { max: alertsPerRuleMax, room, orNull: true };
    alerts = readBounded(reader, bounds, () => readPendingAlert(reader, room)).items;
  });
  if (members === null) return null;
  const field = fieldsOf(members, 'rule');
  const query = field('query', text);
  if (query.length > expressionLengthMax) return null;
  const lastError = shortened(field('lastError', lenient(text, '')), errorLengthMax);
  return {
    name: field('name', text), query, alerts,
    durationSeconds: field('duration', lenient(number, 0)),
    keepFiringForSeconds: field('keepFiringFor', lenient(number, 0)),
    labels: comparedLabels(field('labels', optional(labelSet, noLabels))),
    annotations: comparedLabels(field('annotations', lenient(labelSet, noLabels))),
    health: shortened(field('health', lenient(text, 'unknown')), nameLengthMax),
    lastError: lastError === '' ? null : lastError,
  };
}

const pendingMembers: ReadonlySet<string> = new Set(['labels', 'state', 'activeAt', 'value']);

/** Null if the alert or its labels are too long. */
function readPendingAlert(reader: JsonReader, room: AnswerRoom): PendingAlert | null {
  const members = reader.members(pendingMembers);
  if (members === null) return null;
  const labels = room.labels(() => members['labels']);
  if (labels === null) return null;
  const field = fieldsOf(members, 'alert');
  const state = field('state', lenient(text, 'inactive'));
  return {
    labels,
    state: state === 'firing' || state === 'pending' ? state : 'inactive',
    activeAtMs: field('activeAt', lenient(moment, null)),
    value: field('value', lenient(float, null)),
  };
}

const moment: Parser<number | null> = (value, path) => {
  const time = parseTime(text(value, path));
  // Go's zero time means never.
  return time === null || time < 0 ? null : time;
};

/** A number as text; some servers send it as a number. */
const float: Parser<number | null> = (value, path) =>
  typeof value === 'number' ? value : parseFloatText(text(value, path));
