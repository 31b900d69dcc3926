import { alertNameOf, type Alert } from '../alert/alert.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { podOf } from '../evidence/named-in-labels.ts';
import { placeOfAlert, type AlertPlace } from '../evidence/place.ts';
import { repeatsRule } from '../evidence/rule/repeats-rule.ts';
import { storeOf, storesIn, type Store } from '../statistics/names/stores.ts';
import { canBeAnswered } from './askable.ts';
import type { Bounds, Cause, Family, Step, Template } from './family.ts';
import { fillPromql, fillShell } from './fill-template.ts';
import { matchFamily, type FamilyMatch } from './match-family.ts';
import { toolsAround, unknownSurroundings, type Surroundings } from './tools.ts';

/** A test with the alert's own values filled in, ready to be pasted. */
interface FilledTest {
  readonly text: string;
  /** Null for shell commands, whose answer a person reads. */
  readonly bounds: Bounds | null;
}

export interface FilledCause
  extends Omit<Cause, 'test' | 'ofStores' | 'store' | 'unlessRead' | 'when'> {
  /** Null when the alert lacks a label that the test needs. */
  readonly test: FilledTest | null;
  readonly ofStores: { readonly test: FilledTest | null; readonly note: string } | null;
  /** The alert's own labels already name this cause. */
  readonly suggestedByAlert: boolean;
}

interface FilledStep extends Omit<Step, 'command'> {
  readonly command: string | null;
  /** Its command is a query, which is asked for the report: the id of its answer. */
  readonly asked: string | null;
}

/** What is known about one alert's family, filled in for this alert. */
export interface FilledKnowledge {
  readonly family: Family;
  readonly how: FamilyMatch['how'];
  readonly causes: readonly FilledCause[];
  readonly steps: readonly FilledStep[];
}

/**
 * What is known about alerts like this one, or null. `expression` is the rule's PromQL, null when
 * unknown. The labels of the alert's place are filled in, and none that only its rule's author
 * wrote; commands are for products that are known to be around it. A cause whose test cannot be
 * filled in stays as a hint; such a step is dropped.
 */
export function knowledgeFor(
  alert: Alert,
  expression: string | null,
  place: AlertPlace = placeOfAlert(alert.labels, { expression }),
  around: Surroundings = unknownSurroundings,
): FilledKnowledge | null {
  const labels = { ...place.labels, alertname: labelOf(alert.labels, 'alertname') ?? '' };
  const match = matchFamily({ name: alertNameOf(labels), labels, expression });
  if (match === null) return null;
  const { family } = match;
  const named = `${alertNameOf(labels)} ${labelOf(labels, 'job') ?? ''}`;
  const about = {
    store: storeOf(named) ?? storeOf(expression ?? ''), rule: expression,
    canRun: toolsAround(`${named} ${expression ?? ''}`, place, around),
    place,
    isForeign: foreign.test(expression ?? named),
    isOfPod: podOf(labels) !== null,
    isJava: /^jvm/u.test(family.id) || java.test(`${named} ${expression ?? ''}`),
  };
  return {
    ...match,
    causes: family.causes
      .filter((cause) => isOfStore(cause, about) && !cause.unlessRead?.test(expression ?? ''))
      .map((cause) => filledCause(cause, labels, about)),
    steps: family.steps.flatMap((step) => filledStep(step, labels, about)),
  };
}

interface About {
  readonly store: Store | null;
  /** The rule's PromQL; null when unknown. */
  readonly rule: string | null;
  readonly place: AlertPlace;
  /** Whether the product that a command is for is known to be there. */
  readonly canRun: (template: string) => boolean;
  /** About a machine that does not run Linux, or that nobody can log in to. */
  readonly isForeign: boolean;
  /** About a program that runs on Java. */
  readonly isJava: boolean;
  /** About a pod, whose address nobody can log in to. */
  readonly isOfPod: boolean;
}

const foreign = new RegExp('(?<![a-z_])(?:windows|(?:aws|stackdriver|azure)_)' +
  '|(?<![a-z])(?:rds|snmp)|cloudsql', 'iu');

const java = /java(?!script)|jvm|hikari|jdbc|r2dbc|dbcp|c3p0|agroal|tomcat|jetty/iu;
/** What only programs on Java have or understand. */
const needsJava = /hikaricp_|\bjcmd |leak detection/u;

function isOfStore({ store }: { readonly store?: Store | undefined }, about: About): boolean {
  return store === undefined || about.store === null || store === about.store;
}

function isPossible({ kind, template }: Template, about: About): boolean {
  const { isForeign, isOfPod, isJava, canRun } = about;
  if (!isJava && needsJava.test(template)) return false;
  if (kind === 'promql') return true;
  return canRun(template) && !(isForeign && /^(?:ssh|kubectl cordon) /u.test(template)) &&
    !(isOfPod && template.startsWith('ssh -- {instance.host}'));
}

function filledCause(cause: Cause, labels: LabelSet, about: About): FilledCause {
  const { ofStores } = cause;
  return {
    ...cause,
    test: filledTest(cause.test, labels, about),
    ofStores: ofStores === undefined ? null
      : { ...ofStores, test: filledTest(ofStores.test, labels, about) },
    suggestedByAlert: cause.when?.(labels) ?? false,
  };
}

function filledTest(test: Cause['test'], labels: LabelSet, about: About): FilledTest | null {
  const asked = storesIn(test.template);
  const isOfOther = asked.length > 0 && about.store !== null && !asked.includes(about.store);
  const text = isOfOther || !isPossible(test, about) ? null : fill(test, labels);
  if (text === null || ('bounds' in test && isStatedByRule(text, labels, about))) return null;
  if (test.kind === 'promql' && !canBeAnswered(text, about.rule, about.place)) return null;
  return { text, bounds: 'bounds' in test ? test.bounds : null };
}

/** What only says again that the alert fires decides nothing. */
function isStatedByRule(query: string, labels: LabelSet, { rule }: About): boolean {
  return rule !== null && repeatsRule(query, rule, labels);
}

function filledStep(step: Step, labels: LabelSet, about: About): FilledStep[] {
  const { command, onlyFor = about.store } = step;
  if (onlyFor !== about.store || !isOfStore(step, about)) return [];
  if (command === undefined) return [{ ...step, command: null, asked: null }];
  const text = isPossible(command, about) ? fill(command, labels) : null;
  if (text !== null && command.kind === 'promql' &&
    !canBeAnswered(text, about.rule, about.place)) return [];
  const asked = command.kind === 'promql' ? `step ${step.action}` : null;
  return text === null ? [] : [{ ...step, command: text, asked }];
}

function fill({ kind, template }: Template, labels: LabelSet): string | null {
  return kind === 'promql' ? fillPromql(template, labels) : fillShell(template, labels);
}
