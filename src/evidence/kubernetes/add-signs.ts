import type { Redactor } from '../../redaction/redactor.ts';
import { isoTime } from '../../report/time-text.ts';
import type { AddItem } from '../ledger.ts';
import { calledIn, isAnswered, clusterSubjectOf, type ClusterAnswers } from './cluster-answers.ts';
import type { Sign, SignFact } from './kubernetes-facts.ts';
import { ownEvents } from './own-events.ts';
import { signsOf } from './signs.ts';

const signsMax = 20;

/**
 * Adds the signs of trouble. Those of pods cite the pods' item `ofPods`; conditions and events get
 * items of their own. Also returns the item of the conditions.
 */
export function addSigns(
  add: AddItem,
  answers: ClusterAnswers,
  { ofPods, redact }: Pick<Redactor, 'redact'> & { readonly ofPods: string },
): { signs: SignFact[]; ofConditions: string } {
  const signs = signsOf(answers, redact).slice(0, signsMax);
  const ofConditions = addConditions(add, answers, signs) ?? ofPods;
  const ofEvents = addEvents(add, answers, signs) ?? ofPods;
  const shown = signs.map((sign) => ({
    ...sign,
    evidence: sign.kind === 'condition' ? ofConditions : sign.kind === 'event' ? ofEvents : ofPods,
  }));
  return { signs: shown, ofConditions };
}

/** Null if there are none, unless there is a node: its being healthy is evidence too. */
function addConditions(
  add: AddItem,
  answers: ClusterAnswers,
  signs: readonly Sign[],
): string | null {
  const conditions = signs.filter(({ kind }) => kind === 'condition');
  const { workload, claim, node } = calledIn(answers);
  if (conditions.length === 0 && node === null) return null;
  return add({
    kind: 'events',
    title: `Conditions of ${[workload, claim, node].filter((name) => name !== null).join(', ')}`,
    summary: conditions.length === 0 ? 'No condition is bad.' : summaryOf(conditions),
    data: {
      conditions: conditions.map(signData),
      node: answers.node?.conditions
        .map(({ type, status, reason }) => ({ type, status, reason })) ?? null,
    },
  });
}

/** Null if the question was not answered. */
function addEvents(add: AddItem, answers: ClusterAnswers, signs: readonly Sign[]): string | null {
  if (!isAnswered(answers, 'Events of the last hour')) return null;
  const events = signs.filter(({ kind }) => kind === 'event');
  const isRepeating = ownEvents(answers).length > 0;
  const isCut = answers.events.omitted > 0;
  return add({
    kind: 'events',
    title: `Warnings about ${clusterSubjectOf(answers)}`,
    query: eventsQuery(answers),
    state: events.length === 0 && !isRepeating ? 'empty' : 'ok',
    summary: events.length > 0 ? summaryOf(events)
      : isRepeating ? 'Only warnings that repeat the state of the pods and conditions.'
        : isCut ? 'None among the events that were read.'
          : 'None since an hour before the alert.',
    from: isoTime(answers.window.fromMs), to: isoTime(answers.window.toMs),
    data: { events: events.map(signData) }, truncated: isCut,
  });
}

/** Nodes have no namespace; their events are in `default`. */
function eventsQuery({ named, node }: ClusterAnswers): string {
  const { namespace, pod, claim, workload } = named;
  const isOfNode = pod === null && claim === null && workload === null;
  const object = isOfNode ? node?.name ?? null : pod ?? claim;
  const where = isOfNode ? 'default' : namespace ?? 'default';
  const which = object === null ? 'type!=Normal' : `involvedObject.name=${object}`;
  return `kubectl get events --namespace=${where} --field-selector=${which}`;
}

function summaryOf(signs: readonly Sign[]): string {
  return signs.map(({ who, reason }) => `${who}: ${reason}`).join('; ');
}

function signData({ who, reason, message, times, sinceMs, lastMs }: Sign): unknown {
  const at = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
  const often = times === 0 ? null : times;
  return { object: who, reason, message, times: often, since: at(sinceMs), last: at(lastMs) };
}
