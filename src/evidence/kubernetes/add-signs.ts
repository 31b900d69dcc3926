import { createRedactor } from '../../redaction/redactor.ts';
import { isoTime } from '../../report/time-text.ts';
import type { AddItem } from '../ledger.ts';
import { calledIn, isAnswered, subjectOf, type ClusterAnswers } from './cluster-answers.ts';
import type { Sign, SignFact } from './kubernetes-facts.ts';
import { ownEvents } from './own-events.ts';
import { signsOf } from './signs.ts';

const signsMax = 20;

/** States of pods stand with the pods, what is said of other objects and events by themselves. */
export function addSigns(
  add: AddItem,
  answers: ClusterAnswers,
  ofPods: string,
): { signs: SignFact[]; ofConditions: string } {
  const redactor = createRedactor({ secrets: [] });
  const signs = signsOf(answers, redactor.redact).slice(0, signsMax);
  const conditions = signs.filter(({ kind }) => kind === 'condition');
  const events = signs.filter(({ kind }) => kind === 'event');
  const { workload, claim, node } = calledIn(answers);
  const ofConditions = conditions.length === 0 && node === null ? ofPods : add({
    title: `Conditions of ${[workload, claim, node].filter((name) => name !== null).join(', ')}`,
    summary: conditions.length === 0 ? 'None is bad.' : summaryOf(conditions),
    data: {
      conditions: conditions.map(signData),
      node: answers.node?.conditions
        .map(({ type, status, reason }) => ({ type, status, reason })) ?? null,
    },
    redactions: redactor.total,
  });
  const isRepeating = ownEvents(answers).length > 0;
  const ofEvents = !isAnswered(answers, 'Events of the last hour') ? ofPods : add({
    title: `Warnings about ${subjectOf(answers)}`,
    query: eventsQuery(answers),
    state: events.length === 0 && !isRepeating ? 'empty' : 'ok',
    summary: events.length > 0 ? summaryOf(events)
      : isRepeating ? 'They say no more than the pods and conditions do.'
        : answers.events.omitted > 0 ? 'None among those that were read.'
          : 'None since the hour before the alert.',
    from: isoTime(answers.window.fromMs), to: isoTime(answers.window.toMs),
    data: { events: events.map(signData) }, redactions: redactor.total,
    truncated: answers.events.omitted > 0,
  });
  const told = signs.map((sign) => ({
    ...sign,
    evidence: sign.kind === 'condition' ? ofConditions : sign.kind === 'event' ? ofEvents : ofPods,
  }));
  return { signs: told, ofConditions };
}

/** Nodes are in no namespace, and their events in that by default. */
function eventsQuery({ named, node }: ClusterAnswers): string {
  const { namespace, pod, claim, workload } = named;
  const object = pod ?? claim ?? (workload === null ? node?.name : null) ?? null;
  const isOfNode = pod === null && claim === null && workload === null;
  return `kubectl get events --namespace=${isOfNode ? 'default' : namespace ?? 'default'} ` +
    `--field-selector=${object === null ? 'type!=Normal' : `involvedObject.name=${object}`}`;
}

function summaryOf(signs: readonly Sign[]): string {
  return signs.map(({ who, reason }) => `${who}: ${reason}`).join('; ');
}

function signData({ who, reason, message, times, sinceMs, lastMs }: Sign): unknown {
  const at = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
  const often = times === 0 ? null : times;
  return { object: who, reason, message, times: often, since: at(sinceMs), last: at(lastMs) };
}
