import type {
  ClusterEvent, Condition, Container, Pod,
} from '../../sources/kubernetes/cluster-objects.ts';
import {
  calledIn, isAnswered, type ClusterAnswers, type ClusterWindow,
} from './cluster-answers.ts';
import type { Sign } from './kubernetes-facts.ts';
import { eventSign, ownEvents } from './own-events.ts';
import { crashLoop, lastEndOf, goneAt, isLong } from './pod-trouble.ts';
import { mergedSigns, noDetails, type SingleSign } from './single-signs.ts';

/**
 * What is wrong with the alert's objects, without events that only repeat a state. `redact` runs
 * before messages are cut, since a cut secret may not be recognised.
 */
export function signsOf(answers: ClusterAnswers, redact: (text: string) => string): Sign[] {
  const states = [
    ...missingPod(answers),
    ...concernedPods(answers).flatMap((each) => podSigns(each, answers)),
    ...objectSigns(answers),
  ];
  const repeated = new Set(states.flatMap(repeatedBy));
  const events = ownEvents(answers)
    .filter((event) => !repeated.has(event.reason) && !isOvercome(event, answers)).map(eventSign);
  return mergedSigns([...states, ...events], redact);
}

/** Reasons why the containers of a pod cannot start. */
const startFailures = new Set(['FailedMount', 'FailedAttachVolume', 'FailedCreatePodSandBox']);

/** Whether a container of the pod has run since it could not start. */
function isOvercome(
  { about, reason, lastMs }: ClusterEvent,
  { pod: own, pods }: ClusterAnswers,
): boolean {
  const pod = own?.name === about.name ? own : pods.items.find(({ name }) => name === about.name);
  if (pod === undefined || lastMs === null || !startFailures.has(reason)) return false;
  return pod.containers.some(({ runningSinceMs, ended, lastEnded }) =>
    [runningSinceMs, ended?.atMs ?? null, lastEnded?.atMs ?? null]
      .some((ms) => ms !== null && ms >= lastMs));
}

/** The workload exists, but the pod that the alert names does not. */
function missingPod(answers: ClusterAnswers): SingleSign[] {
  const { named, pod, workload } = answers;
  const isMissing = named.pod !== null && pod === null && workload !== null &&
    isAnswered(answers, 'The pod');
  if (!isMissing) return [];
  return [{ ...noDetails, kind: 'gone', reason: 'NotThere', what: 'pod', pod: named.pod }];
}

/** The pod that the alert names, else all that should be running or failed recently. */
export function concernedPods(answers: ClusterAnswers): readonly Pod[] {
  const { pod, pods, workload, window } = answers;
  if (pod !== null) return [pod];
  return pods.items.filter((each) => {
    if (each.isBeingDeleted || each.phase === 'Succeeded') return false;
    const isOver = each.phase === 'Failed' && workload?.kind !== 'job';
    return !isOver || (goneAt(each, answers.events.items) ?? 0) >= window.fromMs;
  });
}

/** The scheduler adds why evicting other pods would not help. */
const preemption = / preemption: .*$/s;

function podSigns(pod: Pod, { window, events }: ClusterAnswers): SingleSign[] {
  const base = { ...noDetails, what: 'pod', pod: pod.name };
  const signs: SingleSign[] = [];
  const unscheduled = pod.conditions.find(({ type, status }) =>
    type === 'PodScheduled' && status === 'False');
  if (unscheduled !== undefined) {
    const { reason, sinceMs } = unscheduled;
    const message = unscheduled.message.replace(preemption, '');
    signs.push({ ...base, kind: 'unscheduled', reason, message, sinceMs });
  }
  if (pod.reason !== '') {
    const { reason, message } = pod;
    signs.push({ ...base, kind: 'gone', reason, message, lastMs: goneAt(pod, events.items) });
  }
  if (pod.isBeingDeleted) signs.push({ ...base, kind: 'gone', reason: 'Terminating' });
  return [...signs, ...pod.containers.flatMap((each) => containerSigns(pod, each, window))];
}

/** Reasons for waiting during a normal start. */
const usualWaits = new Set(['ContainerCreating', 'PodInitializing', '']);

function containerSigns(pod: Pod, container: Container, window: ClusterWindow): SingleSign[] {
  const { name, isInit, restarts: times, waiting, memoryLimit } = container;
  const what = `${isInit ? 'init container' : 'container'} ${name}`;
  const base = { ...noDetails, what, container: name, pod: pod.name, times };
  const signs: SingleSign[] = [];
  const end = lastEndOf(container, window);
  if (end !== null) {
    const { reason, message, exitCode, atMs: lastMs } = end;
    signs.push({ ...base, kind: 'ended', reason, message, exitCode, memoryLimit, lastMs });
  }
  if (waiting !== null && !usualWaits.has(waiting.reason)) {
    const { reason } = waiting;
    // The message of a crash loop only tells the back-off time and repeats names.
    const message = reason === crashLoop ? '' : waiting.message;
    signs.push({ ...base, kind: 'waits', reason, message });
  }
  if (isInit && isLong(container, window)) {
    const { runningSinceMs: sinceMs } = container;
    signs.push({ ...base, kind: 'unfinished', reason: 'InitContainerRunning', sinceMs });
  }
  return signs;
}

/** Conditions of a workload, with the status that means trouble. */
const wrong: ReadonlyMap<string, Condition['status']> = new Map([
  ['Progressing', 'False'], ['ReplicaFailure', 'True'], ['Failed', 'True'],
]);

/** Node conditions added by distributions that are good when true. */
const isGood = /(?:Ready|Healthy|EtcdIsVoter)$/;

function objectSigns(answers: ClusterAnswers): SingleSign[] {
  const { workload, node, claim } = answers;
  const called = calledIn(answers);
  const signs: SingleSign[] = [];
  const say = (what: string | null, details: Omit<Condition, 'type' | 'status'>): void => {
    const { reason, message, sinceMs } = details;
    signs.push({ ...noDetails, kind: 'condition', what: what ?? '', reason, message, sinceMs });
  };
  for (const condition of workload?.conditions ?? []) {
    const isPaused = condition.reason === 'DeploymentPaused';
    if (!isPaused && wrong.get(condition.type) !== condition.status) continue;
    say(called.workload, isPaused ? { ...condition, message: '' } : condition);
  }
  for (const condition of node?.conditions ?? []) {
    const { type, status } = condition;
    const isReady = type === 'Ready';
    if (isReady ? status === 'True' : status !== 'True' || isGood.test(type)) continue;
    say(called.node, { ...condition, reason: isReady ? 'NotReady' : type });
  }
  if (node?.isCordoned === true) {
    say(called.node, { reason: 'Cordoned', message: '', sinceMs: null });
  }
  if (claim !== null && claim.phase !== 'Bound') {
    // A lost claim does not tell since when.
    const sinceMs = claim.phase === 'Pending' ? claim.createdMs : null;
    say(called.claim, { reason: claim.phase, message: '', sinceMs });
  }
  return signs;
}

/** Reasons of events that only repeat this state. */
function repeatedBy({ kind, reason }: SingleSign): readonly string[] {
  if (kind === 'waits') {
    const isImage = /image/i.test(reason);
    return ['BackOff', ...(isImage || reason.endsWith('Error') ? ['Failed'] : [])];
  }
  if (kind === 'ended') return reason === 'Error' ? ['BackOff'] : ['BackOff', 'Failed'];
  if (kind === 'unscheduled') return ['FailedScheduling'];
  if (reason === 'Evicted' || reason === 'BackoffLimitExceeded') return [reason];
  return reason === 'FailedCreate' || reason === 'DeadlineExceeded' ? [reason] : [];
}
