import { compareText } from '../../lib/compare-text.ts';
import { shellWord } from '../../lib/shell-word.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { Pod } from '../../sources/kubernetes/cluster-objects.ts';
import type { AddItem } from '../ledger.ts';
import { isAnswered, clusterSubjectOf, type ClusterAnswers } from './cluster-answers.ts';
import type { PodFacts } from './kubernetes-facts.ts';
import { isReady } from './pod-trouble.ts';
import { concernedPods } from './signs.ts';

const podsShown = 20;
const imageMax = 200;

/** Adds the state of the pods; null if nothing is known about them. */
export function addPods(
  add: AddItem,
  answers: ClusterAnswers,
  redact: Redactor['redact'],
): PodFacts | null {
  const { pods, named, workload } = answers;
  if (pods.items.length === 0 && !isAnswered(answers, 'Pods of the workload')) return null;
  // Pods that are being deleted or have completed are not expected to be ready.
  const meant = pods.items.filter(({ phase, isBeingDeleted }) =>
    phase !== 'Succeeded' && !isBeingDeleted);
  const lasting = meant.filter(({ phase }) => phase !== 'Failed');
  const facts = {
    subject: clusterSubjectOf(answers),
    ready: lasting.filter(isReady).length, total: lasting.length,
    // A job wants completed pods.
    wanted: workload === null || workload.kind === 'job' ? null : workload.wanted,
    failed: meant.length - lasting.length,
    unready: concernedPods(answers).filter((pod) => !isReady(pod)).length,
    unreadyOthers: answers.pod === null || !isReady(answers.pod) ? []
      : lasting.filter((pod) => !isReady(pod)).map(withReason),
    isCut: pods.omitted > 0,
  };
  const shown = meant.sort(byTrouble).slice(0, podsShown);
  const evidence = add({
    kind: 'events', title: `Pods of ${facts.subject}`,
    query: `kubectl get pods --namespace=${named.namespace ?? ''}${selectorOf(answers)}`,
    state: pods.items.length === 0 ? 'empty' : 'ok',
    summary: summaryOf(facts),
    data: { containers: shown.flatMap((pod) => podData(pod, redact)) },
    truncated: facts.isCut,
  });
  return { ...facts, evidence };
}

function summaryOf({ ready, total, failed, isCut }: Omit<PodFacts, 'evidence'>): string {
  if (total === 0) return failed === 0 ? 'No pods are active.' : `${failed} failed.`;
  const read = isCut ? ' of those that were read' : '';
  return `${ready} of ${total} ready${read}${failed > 0 ? `; ${failed} more failed` : ''}.`;
}

/** A pod and why it is not ready, as far as a container says. */
function withReason({ name, containers }: Pod): string {
  const reasons = containers.map(({ waiting, ended }) => waiting?.reason ?? ended?.reason ?? '');
  const reason = reasons.find((each) => each !== '' && each !== 'Completed') ?? '';
  return reason === '' ? name : `${name} (${reason})`;
}

function selectorOf({ workload, pod }: ClusterAnswers): string {
  const labels = Object.entries(workload?.selector ?? {});
  if (labels.length === 0) return pod === null ? '' : ` ${shellWord(pod.name)}`;
  return ` --selector=${shellWord(labels.map(([name, value]) => `${name}=${value}`).join(','))}`;
}

function byTrouble(a: Pod, b: Pod): number {
  const restarts = ({ containers }: Pod): number =>
    containers.reduce((sum, each) => sum + each.restarts, 0);
  return Number(isReady(a)) - Number(isReady(b)) || restarts(b) - restarts(a) ||
    compareText(a.name, b.name);
}

/** One entry per container, healthy ones included. */
function podData(pod: Pod, redact: Redactor['redact']): unknown[] {
  const own = { pod: pod.name, phase: pod.reason === '' ? pod.phase : pod.reason, node: pod.node };
  if (pod.containers.length === 0) return [own];
  return pod.containers.map(({ name, image, isReady: ready, restarts, ...state }) => {
    const { waiting, ended, lastEnded, memoryLimit } = state;
    const end = ended ?? lastEnded;
    return {
      ...own, container: name, image: shownText(redact(image), imageMax), ready, restarts,
      waiting: waiting?.reason ?? null, ended: end?.reason ?? null,
      exit_code: end?.exitCode ?? null,
      ended_at: end === null || end.atMs === null ? null : isoTime(end.atMs),
      memory_limit: memoryLimit,
    };
  });
}
