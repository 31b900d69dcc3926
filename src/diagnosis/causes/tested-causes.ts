import { labelOf } from '../../alert/labels.ts';
import type { Evidence } from '../../evidence/collect-evidence.ts';
import type { TestAnswer } from '../../evidence/metric-facts.ts';
import { expressionUnitOf } from '../../evidence/rule/rule-expression.ts';
import type { Bounds } from '../../knowledge/family.ts';
import { judgeTest, leadingOf, supports, type Leading } from '../../knowledge/judge-test.ts';
import type { FilledCause } from '../../knowledge/knowledge-for.ts';
import { inStores } from '../../knowledge/plan-tests.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import { capital, enumerated } from '../../report/plain-text.ts';
import type { RuledOut, Statement } from '../../report/report.ts';
import { citing } from '../citing.ts';
import type { Situation } from '../situation.ts';
import { asksForReason, reasonCauses } from './reason-causes.ts';

/** A cause with what the answer to its test says about it. */
export interface TestedCause {
  readonly cause: FilledCause;
  /** `untested` also when the query failed; `undecided` when it was answered and says nothing. */
  readonly outcome: 'supported' | 'ruled_out' | 'undecided' | 'untested';
  /** The outcome in words; empty where there is none. */
  readonly statements: readonly Statement[];
  /**
   * Whom the answer names, if one of several supports the cause, and for what that waits in turn;
   * empty otherwise.
   */
  readonly who: readonly string[];
  /** The answer is Kubernetes' own reason for why a container ended, which proves the cause. */
  readonly isReason: boolean;
}

/** Series named of an answer with several. */
const leadingMax = 3;
const outcomeWords = {
  supported: 'supports it', ruled_out: 'rules it out', undecided: 'is inconclusive',
} as const;

/** Labels of alerts by which their component is called. */
const componentLabels = ['exported_job', 'job', 'exported_service', 'service'] as const;

/** Each cause of the family with what its tests say, in the family's order. */
export function testedCauses({ knowledge, evidence, caseFile }: Situation): TestedCause[] {
  const answers = evidence.metrics?.answers ?? new Map<string, TestAnswer>();
  const own = componentLabels.map((name) => labelOf(caseFile.alert.labels, name));
  return (knowledge?.causes ?? []).map((cause) =>
    (answers.has(cause.id) ? null : ruledOutByState(cause, evidence)) ??
      followed(byAnswers(cause, answers, null), answers, own));
}

/** By its test, and that of its stores where this supports it; `of` is null for the alert's own. */
function byAnswers(
  cause: FilledCause,
  answers: ReadonlyMap<string, TestAnswer>,
  of: string | null,
): TestedCause {
  const [end, asked, ofStores] = of === null
    ? ['', 'Its test query', 'Its test query for its stores']
    : [` of ${of}`, `The same query for ${of}`, `The same query for the stores of ${of}`];
  const found = byAnswer(cause, answers.get(`${cause.id}${end}`), asked);
  const other = { ...cause, ...cause.ofStores, id: inStores(cause.id) };
  const stores = byAnswer(other, answers.get(`${other.id}${end}`), ofStores);
  if (stores.outcome !== 'supported') return found;
  const also = found.outcome === 'supported' ? found.statements : [];
  return { ...stores, statements: [...stores.statements, ...also] };
}

/** Adds what the one that is named waits for in turn, which is nothing of those that led to it. */
function followed(
  tested: TestedCause,
  answers: ReadonlyMap<string, TestAnswer>,
  own: readonly (string | null)[],
): TestedCause {
  const { cause, who, statements } = tested;
  const next = byAnswers(cause, answers, who.at(-1) ?? '');
  if (next.who.every((name) => who.includes(name) || own.includes(name))) return tested;
  const both = {
    ...tested, who: [...who, ...next.who], statements: [...statements, ...next.statements],
  };
  return followed(both, answers, own);
}

/** A query of kube-state-metrics that the Kubernetes API answers as well. */
const lastReason =
  /^kube_pod_container_status_last_terminated_reason\{.*\breason="([A-Za-z]+)"\}$/u;

/** SIGKILL, without who sent it: it may have been the kernel, out of memory. */
const killed = 137;

/** Rules a cause out where every container that ended did so for another reason. */
function ruledOutByState(cause: FilledCause, { kubernetes }: Evidence): TestedCause | null {
  const asked = lastReason.exec(cause.test?.text ?? '')?.[1];
  if (asked === undefined || !reasonCauses.has(asked) || kubernetes?.isSure !== true) return null;
  const ends = kubernetes.signs.filter(({ kind }) => kind === 'ended');
  const [other] = ends;
  if (other === undefined) return null;
  if (ends.some(({ reason, exitCode }) => reason === asked || exitCode === killed)) return null;
  const text = `${capital(other.who)} ended with ${other.reason}, which rules it out.`;
  const statements = citing([other.evidence], text);
  return { cause, outcome: 'ruled_out', statements, who: [], isReason: false };
}

function byAnswer(
  filled: FilledCause,
  answer: TestAnswer | undefined,
  asked: string,
): TestedCause {
  // As it was asked, and not at all where nothing tells whose the answer would be.
  const cause = answer === undefined || filled.test === null ? filled : {
    ...filled,
    test: answer.isUntold ? null : { ...filled.test, text: answer.bound ?? filled.test.text },
  };
  const usual = filled.test?.bounds ?? null;
  const bounds = usual !== null && cause.isAge === true && answer !== undefined
    ? atOnset(answer.problemSeconds) : usual;
  if (answer === undefined || answer.failed !== null || bounds === null) {
    return { cause, outcome: 'untested', statements: [], who: [], isReason: false };
  }
  const measured = judgeTest(bounds, answer.samples);
  // An average that reaches farther back shows little of what has just begun to rise.
  const isEarly = answer.isDiluted && measured === 'ruled_out' &&
    'atLeast' in bounds && (bounds.notUpTo ?? 0) > 0;
  const isOfBefore = answer.isFromBefore && measured === 'supported';
  const outcome = isEarly || isOfBefore ? 'undecided' : measured;
  const unit = unitOf(answer.query, answer.samples);
  const leading = outcome === 'supported' ? leadingOf(answer, bounds) : [];
  const [first] = leading;
  const early = isEarly ? ', averaged mostly over the time before the problem'
    : isOfBefore ? ', from long before the problem' : '';
  const others = answer.samples.filter((value) => !supports(bounds, value));
  const returned = first === undefined ? `${answerText(answer.samples, unit)}${early}`
    : leadingText(leading, others, unit);
  const text = `${asked} returned ${returned}, which ${outcomeWords[outcome]}.`;
  return {
    cause, outcome, statements: citing([answer.evidence], text),
    who: leading.length === 1 && first !== undefined ? [first.who] : [],
    isReason: outcome === 'supported' && asksForReason(answer.query),
  };
}

/** A machine that booted an hour before is no reason for what begins now. */
const onsetSeconds = 10 * 60;

/** The bounds of the age of something that may be why a problem of that age began. */
function atOnset(problemSeconds: number): Bounds {
  return { atMost: problemSeconds + onsetSeconds, notFrom: problemSeconds + 3 * onsetSeconds };
}

/** Which answers to a query support a cause, and which rule it out. */
export function boundsText(bounds: Bounds, query: string): string {
  const unit = unitOf(query, Object.values(bounds));
  const [supporting, refuting] = 'atLeast' in bounds
    ? [valueOr('more', bounds.atLeast, unit), valueOr('less', bounds.notUpTo, unit)]
    : [valueOr('less', bounds.atMost, unit), valueOr('more', bounds.notFrom, unit)];
  const clauses = [
    ...(supporting === null ? [] : [`${supporting} supports it`]),
    ...(refuting === null ? [] : [`${refuting} rules it out`]),
  ];
  return `${clauses.join(', ')}.`;
}

function valueOr(
  what: 'more' | 'less',
  value: number | undefined,
  unit: string | null,
): string | null {
  if (value === undefined) return null;
  const text = formatQuantity(value, unit);
  // What is counted is never below zero; a time that is left may be.
  return value === 0 && what === 'less' && unit !== 'seconds' ? text : `${text} or ${what}`;
}

/** What some samples of an answer are, in words. */
export function returnedText({ query }: TestAnswer, samples: readonly number[]): string {
  return answerText(samples, unitOf(query, samples));
}

/** A ratio above 1 compares with an earlier time or a request, so it is a multiple. */
function unitOf(query: string, values: readonly number[]): string | null {
  const named = expressionUnitOf(query);
  return named === 'ratio' && values.some((value) => value > 1) ? null : named;
}

function answerText(samples: readonly number[], unit: string | null): string {
  const [first] = samples;
  if (first === undefined) return 'nothing';
  if (samples.length === 1) return formatQuantity(first, unit);
  const range = rangeText(samples, unit);
  return range.includes(' to ') ? range : `${range} for ${samples.length} series`;
}

function rangeText(samples: readonly number[], unit: string | null): string {
  const ends = [Math.min(...samples), Math.max(...samples)];
  return [...new Set(ends.map((value) => formatQuantity(value, unit)))].join(' to ');
}

/** `98.7 % for web-1 and 0 % to 0.6 % for the others`: first the series that support the cause. */
function leadingText(
  leading: readonly Leading[],
  others: readonly number[],
  unit: string | null,
): string {
  const more = leading.length - leadingMax;
  return enumerated([
    ...leading.slice(0, leadingMax)
      .map(({ who, value }) => `${formatQuantity(value, unit)} for ${who}`),
    ...(more > 0 ? [`${more} more`] : []),
    ...(others.length === 0 ? []
      : [`${rangeText(others, unit)} for the other${others.length === 1 ? '' : 's'}`]),
  ]);
}

/** Causes that a query rules out, with why; never one that `isProven`. */
export function ruledOutOf(
  tested: readonly TestedCause[],
  isProven: (id: string) => boolean,
): RuledOut[] {
  return tested
    .filter(({ cause: { id }, outcome }) => outcome === 'ruled_out' && !isProven(id))
    .flatMap(({ cause, statements }) => statements.map(({ text, evidence }) => {
      const named = cause.suggestedByAlert ? ', although a label of the alert names it' : '';
      return {
        family_cause: cause.id, cause: cause.cause,
        why: text.replace(/\.$/u, `${named}.`), evidence,
      };
    }));
}
