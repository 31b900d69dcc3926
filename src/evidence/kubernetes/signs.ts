import { shownText } from '../../report/shown-text.ts';
import type {
  ClusterEvent, Condition, Container, Pod,
} from '../../sources/kubernetes/cluster-objects.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import { podWhat, type ClusterAnswers, type ClusterWindow } from './ask-kubernetes.ts';
import type { Sign } from './kubernetes-facts.ts';
import { crashLoop, endOf, goneAt } from './pod-trouble.ts';

/** A sign of one object, before those that say the same of several are told as one. */
interface Single extends Sign {
  /** What it is a sign of: "container app", "pod". */
  readonly what: string;
  /** Whose it is; null for what is no pod. */
  readonly pod: string | null;
}

const nothingMore = {
  message: '', pods: 0, times: 0, exitCode: null, memoryLimit: null, sinceMs: null, lastMs: null,
  pod: null,
} as const;
const messageMax = 240;
/** What a kubelet says whenever it starts. */
const idleWarnings = new Set(['InvalidDiskCapacity', 'CheckLimitsForResolvConf']);
/** What stands beside the warning that says which image, and why. */
const idleMessage = /^Error: (?:ErrImagePull|ImagePullBackOff)$/;

/** What a container waits for as a matter of course. */
const usualWaits = new Set(['ContainerCreating', 'PodInitializing', '']);

/**
 * What the answers say is wrong with the alert's objects. What events repeat of a state is not told
 * twice. `redact` takes secrets out of messages before these are cut, which may hide what they are.
 */
export function signsOf(answers: ClusterAnswers, redact: (text: string) => string): Sign[] {
  const states = [
    ...missingPod(answers),
    ...concernedPods(answers).flatMap((each) => podSigns(each, answers)),
    ...objectSigns(answers),
  ];
  const told = new Set(states.flatMap(({ kind, reason }) => repeatedBy(kind, reason)));
  const events = ownEvents(answers).filter((event) => !told.has(event.reason))
    .map((event) => eventSign(event));
  return merged([...states, ...events], redact);
}

/** The pod that the alert names, or all that are meant to last and have not ended long ago. */
export function concernedPods(answers: ClusterAnswers): readonly Pod[] {
  const { pod, pods, workload, window } = answers;
  if (pod !== null) return [pod];
  return pods.items.filter((each) => {
    if (each.isBeingDeleted || each.phase === 'Succeeded') return false;
    const isOver = each.phase === 'Failed' && workload?.kind !== 'job';
    return !isOver || (goneAt(each, answers.events.items) ?? 0) >= window.fromMs;
  });
}

/** The workload is there, and the pod that the alert names is not. */
function missingPod({ named, pod, workload, questions }: ClusterAnswers): Single[] {
  const isTold = questions.some(({ what, told }) => what === podWhat && 'value' in told);
  if (named.pod === null || pod !== null || workload === null || !isTold) return [];
  return [{
    ...nothingMore, kind: 'gone', reason: 'NotThere', what: 'pod', pod: named.pod, who: '', pods: 1,
  }];
}

/** Reasons of events that say no more than a state does. */
function repeatedBy(kind: Sign['kind'], reason: string): readonly string[] {
  if (kind === 'waits') {
    const isImage = /image/i.test(reason);
    return ['BackOff', ...(isImage || reason.endsWith('ConfigError') ? ['Failed'] : [])];
  }
  if (kind === 'ended') return reason === 'Error' ? ['BackOff'] : ['BackOff', 'Failed'];
  if (kind === 'unscheduled') return ['FailedScheduling'];
  if (reason === 'Evicted' || reason === 'BackoffLimitExceeded') return [reason];
  return reason === 'FailedCreate' || reason === 'DeadlineExceeded' ? [reason] : [];
}

function podSigns(pod: Pod, { window, events }: ClusterAnswers): Single[] {
  const base = { ...nothingMore, what: 'pod', pod: pod.name, who: '', pods: 1 };
  const unscheduled = pod.conditions.find(({ type, status }) => {
    return type === 'PodScheduled' && status === 'False';
  });
  return [
    ...(unscheduled === undefined ? [] : [{
      ...base, kind: 'unscheduled' as const, reason: unscheduled.reason,
      message: unscheduled.message, sinceMs: unscheduled.sinceMs,
    }]),
    ...(pod.reason === '' ? [] : [{
      ...base, kind: 'gone' as const, reason: pod.reason, message: pod.message,
      lastMs: goneAt(pod, events.items),
    }]),
    ...(pod.isBeingDeleted ? [{ ...base, kind: 'gone' as const, reason: 'Terminating' }] : []),
    ...pod.containers.flatMap((container) => containerSigns(pod, container, window)),
  ];
}

function containerSigns(pod: Pod, container: Container, window: ClusterWindow): Single[] {
  const base = {
    ...nothingMore, pod: pod.name, who: '', pods: 1, times: container.restarts,
    what: `${container.isInit ? 'init container' : 'container'} ${container.name}`,
  };
  const { waiting } = container;
  const end = endOf(container, window);
  return [
    ...(end === null ? [] : [{
      ...base, kind: 'ended' as const, reason: end.reason, message: end.message,
      exitCode: end.exitCode, memoryLimit: container.memoryLimit, lastMs: end.atMs,
    }]),
    ...(waiting === null || usualWaits.has(waiting.reason) ? [] : [{
      ...base, kind: 'waits' as const, reason: waiting.reason,
      // That of a crash loop says how long it waits, and repeats names.
      message: waiting.reason === crashLoop ? '' : waiting.message,
    }]),
  ];
}

/** Conditions of a workload that are wrong by being there, or by not being so. */
const wrong: ReadonlyMap<string, Condition['status']> = new Map([
  ['Progressing', 'False'], ['ReplicaFailure', 'True'], ['Failed', 'True'],
]);

/** Conditions that distributions add to nodes, and that are good where they are true. */
const isGood = /(?:Ready|Healthy|EtcdIsVoter)$/;

function objectSigns({ workload, node, claim }: ClusterAnswers): Single[] {
  const signs: Single[] = [];
  const say = (who: string, said: Omit<Condition, 'type' | 'status'>): void => {
    const { reason, message, sinceMs } = said;
    signs.push({ ...nothingMore, kind: 'condition', who, what: who, reason, message, sinceMs });
  };
  for (const condition of workload?.conditions ?? []) {
    const isPaused = condition.reason === 'DeploymentPaused';
    if (!isPaused && wrong.get(condition.type) !== condition.status) continue;
    const message = isPaused ? '' : condition.message;
    say(`${workload?.kind ?? ''} ${workload?.name ?? ''}`, { ...condition, message });
  }
  for (const condition of node?.conditions ?? []) {
    const { type, status, message, sinceMs } = condition;
    const isReady = type === 'Ready';
    if (isReady ? status === 'True' : status !== 'True' || isGood.test(type)) continue;
    say(`node ${node?.name ?? ''}`, { reason: isReady ? 'NotReady' : type, message, sinceMs });
  }
  if (node?.isCordoned === true) {
    say(`node ${node.name}`, { reason: 'Cordoned', message: '', sinceMs: null });
  }
  if (claim !== null && claim.phase !== 'Bound') {
    const who = `volume claim ${claim.name}`;
    // Since when one has lost its volume nobody tells.
    const sinceMs = claim.phase === 'Pending' ? claim.createdMs : null;
    say(who, { reason: claim.phase, message: '', sinceMs });
  }
  return signs;
}

/** Warnings about the alert's objects, those of its pods that are no more among them. */
export function ownEvents(answers: ClusterAnswers): ClusterEvent[] {
  const { named, pod, pods, workload, node, claim, revisions, window } = answers;
  const ofPods = new Set([...pods.items.map(({ name }) => name)]);
  const others = new Set([
    workload?.name, node?.name, claim?.name, ...revisions.map(({ name }) => name),
  ].filter((name) => name !== undefined));
  const isOwn = ({ about: { kind, name } }: ClusterEvent): boolean => {
    if (kind !== 'Pod') return others.has(name);
    if (named.pod !== null) return name === named.pod;
    const isOld = workload !== null && workloadOfPod(name) === workload.name;
    return ofPods.has(name) || isOld;
  };
  const seen = new Set<string>();
  return answers.events.items.filter((event) => {
    const { about, reason, message, type, lastMs, firstMs } = event;
    const key = JSON.stringify([about, reason, message, firstMs]);
    // A pod that is another one's neighbour in an alert on one pod says nothing of it.
    const isTelling = type === 'Normal' ? isTrouble(event, workload)
      : !idleWarnings.has(reason) && !idleMessage.test(message);
    const isNew = !seen.has(key) && isTelling && (lastMs ?? 0) >= window.fromMs;
    const isKept = isNew && isOwn(event) && !(pod !== null && about.kind === 'ReplicaSet');
    if (isKept) seen.add(key);
    return isKept;
  });
}

/**
 * Of events that are no warnings: nothing provides what a claim asks for, a probe kills, or
 * somebody took all the pods away.
 */
function isTrouble(
  { reason, message }: ClusterEvent,
  workload: ClusterAnswers['workload'],
): boolean {
  if (reason === 'ScalingReplicaSet') return workload?.wanted === 0 && / to 0$/.test(message);
  return reason === 'FailedBinding' || (reason === 'Killing' && message.includes(' probe'));
}

function eventSign({ about, reason, message, count, firstMs, lastMs }: ClusterEvent): Single {
  const isPod = about.kind === 'Pod';
  const who = `${wordsOf(about.kind)} ${about.name}`;
  return {
    ...nothingMore, kind: 'event', reason, message, times: count, sinceMs: firstMs, lastMs,
    who: isPod ? '' : who, what: isPod ? 'pod' : who, pod: isPod ? about.name : null,
    pods: isPod ? 1 : 0,
  };
}

/** "replica set" for `ReplicaSet` */
function wordsOf(kind: string): string {
  return kind.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** One for all that say the same of different pods, in the order of the first of each. */
function merged(signs: readonly Single[], redact: (text: string) => string): Sign[] {
  const groups = new Map<string, Single[]>();
  for (const sign of signs) {
    const { kind, reason, what } = sign;
    const key = JSON.stringify([kind, reason, what, plain(sign)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sign]);
    else group.push(sign);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const joint = joined(first, group);
    return [{ ...joint, message: shownText(redact(joint.message), messageMax) }];
  });
}

/** The message without what differs from one object to the next. */
function plain({ message, pod }: Single): string {
  const own = message.replace('(combined from similar events): ', '');
  const same = pod === null ? own : own.replaceAll(pod, '');
  return same.replace(/[0-9a-f-]+/g, (word) => (/\d/.test(word) ? '#' : word));
}

function joined(first: Single, group: readonly Single[]): Sign {
  const { what, pod, ...sign } = first;
  const names = new Set(group.flatMap((each) => each.pod ?? []));
  const whose = names.size > 1 ? `${names.size} pods` : `pod ${pod ?? ''}`;
  const times = (of: (each: Single) => number | null): number[] => {
    return group.map(of).filter((ms) => ms !== null);
  };
  const [since, last] = [times((each) => each.sinceMs), times((each) => each.lastMs)];
  const who = sign.who !== '' ? sign.who : what === 'pod' ? whose : `${what} of ${whose}`;
  return {
    ...sign, who: shownText(who, 200), reason: shownText(sign.reason, 80),
    pods: names.size,
    times: group.reduce((sum, each) => sum + each.times, 0),
    sinceMs: since.length === 0 ? null : Math.min(...since),
    lastMs: last.length === 0 ? null : Math.max(...last),
  };
}
