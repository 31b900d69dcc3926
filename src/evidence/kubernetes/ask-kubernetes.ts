import type { CaseFile } from '../../report/case-file.ts';
import type { Bounded } from '../../sources/answer-room.ts';
import type {
  ClusterEvent, KubeNode, Pod, Revision, Workload,
} from '../../sources/kubernetes/cluster-objects.ts';
import {
  claims, controllerRevisions, daemonSets, deployments, events, jobs, kubernetesIdentity, nodes,
  pods, replicaSets, statefulSets, type ClusterKind, type Kubernetes,
} from '../../sources/kubernetes/kubernetes.ts';
import { askWithin, type Ask, type AskContext, type Asked } from '../ask-within.ts';
import { startsAtOf } from '../from-alert.ts';
import { Asking } from './asking.ts';
import type {
  ClusterAnswers, ClusterWindow, FoundWorkload, KubeSubject,
} from './cluster-answers.ts';
import {
  namedObjects, workloadKinds, type NamedObjects, type WorkloadKind,
} from './named-objects.ts';
import { isReady, telltaleLog } from './pod-trouble.ts';

/** Kubernetes keeps events for an hour. */
const beforeMs = 60 * 60_000;

/** For what was not asked. */
const none: Bounded<never> = { items: [], omitted: 0 };

const listOfKind: Readonly<Record<WorkloadKind, ClusterKind<Workload>>> = {
  deployment: deployments, statefulset: statefulSets, daemonset: daemonSets, job: jobs,
};

/** Finds the alert's objects, then what belongs to them. Rejects only when aborted. */
export function askKubernetes(
  caseFile: CaseFile,
  now: number,
  context: AskContext<Kubernetes>,
): Promise<ClusterAnswers> {
  const named = namedObjects(caseFile.alert.labels);
  return askWithin(kubernetesIdentity, context, async (kubernetes, ask: Ask<KubeSubject>) => {
    const startMs = Math.min(startsAtOf(caseFile, now), now);
    const window = { fromMs: startMs - beforeMs, startMs, toMs: now };
    const asking = new Asking(kubernetes, ask, named.namespace ?? '');
    return { window, named, ...await askAll(named, window, asking) };
  });
}

type Found = Omit<ClusterAnswers, keyof Asked | 'window' | 'named'>;

async function askAll(named: NamedObjects, window: ClusterWindow, asking: Asking): Promise<Found> {
  const [pod, byLabel, claim, first] = await Promise.all([
    asking.byName('The pod', pods, named.pod),
    named.pod === null ? workloadNamed(named.workload, asking) : null,
    asking.byName('The volume claim', claims, named.claim),
    named.pod === null ? eventsOfNamed(named, asking) : null,
  ]);
  // A pod that exists names its own controller, if it has one of a known kind.
  const owner = pod === null ? named.workload : workloadOwning(pod);
  const logOf = async (of: readonly Pod[]): Promise<ClusterAnswers['log']> => {
    const log = telltaleLog(of, named.container, window);
    return log === null ? null : asking.log(log);
  };
  // In steps, so that in a storm every alert has its pod before any asks for more.
  const [workload, node, ownLog, ofNamed] = await Promise.all([
    byLabel ?? (named.pod === null ? null : workloadNamed(owner, asking)),
    nodeOf(pod?.node ?? named.node, asking),
    pod === null ? null : logOf([pod]),
    first ?? eventsOfNamed(named, asking),
  ]);
  const [all, revisions, ofWorkload, ofNode] = await Promise.all([
    podsOf(workload, pod, asking),
    revisionsOf(workload, asking),
    workload === null ? none : eventsAbout(workload.name, asking),
    // Other events on a pod's node are not about the alert.
    node === null || pod !== null ? none : eventsAbout(node.name, asking, 'default'),
  ]);
  const [log, ...ofPods] = await Promise.all([
    pod === null ? logOf(all.items) : ownLog,
    ...crowdedOut(ofNamed, all.items).map(({ name }) => eventsAbout(name, asking)),
  ]);
  return {
    pod, workload, pods: all, revisions, node, claim, log,
    events: together([ofNamed, ofWorkload, ofNode, ...ofPods]), unread: asking.unread,
  };
}

async function workloadNamed(
  workload: NamedObjects['workload'],
  asking: Asking,
): Promise<FoundWorkload | null> {
  if (workload === null) return null;
  const { kinds, name, otherwise } = workload;
  const found = await Promise.all(kinds.map(async (kind) => {
    if (kind === 'cronjob') return [];
    const object = await asking.byName('The workload', listOfKind[kind], name);
    return object === null ? [] : [{ ...object, kind }];
  }));
  const object = found.flat()[0] ??
    (kinds.includes('cronjob') ? await latestJobOf(name, asking) : null);
  if (object !== null || otherwise === null) return object;
  return workloadNamed({ kinds, name: otherwise, otherwise: null }, asking);
}

async function latestJobOf(name: string, asking: Asking): Promise<FoundWorkload | null> {
  const { items } = await asking.list('The workload', jobs, {});
  const [latest] = items.filter(({ owner }) => owner?.kind === 'CronJob' && owner.name === name)
    .sort((a, b) => (b.createdMs ?? 0) - (a.createdMs ?? 0));
  return latest === undefined ? null : { ...latest, kind: 'job' };
}

/** The workload that owns a pod; a replica set stands for its deployment. */
function workloadOwning({ owner, labels }: Pod): NamedObjects['workload'] {
  if (owner === null) return null;
  const hash = labels['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`)) {
    return { kinds: ['deployment'], name: owner.name.slice(0, -hash.length - 1), otherwise: null };
  }
  const kind = owner.kind.toLowerCase();
  const known = workloadKinds.find((each) => each === kind);
  return known === undefined ? null : { kinds: [known], name: owner.name, otherwise: null };
}

/** Finds a node by its name, or by its address, which is what scrapers know. */
async function nodeOf(name: string | null, asking: Asking): Promise<KubeNode | null> {
  if (name === null) return null;
  if (!/^[\d.]+$|:/.test(name)) return asking.byName('The node', nodes, name);
  const { items } = await asking.list('The node', nodes, {});
  return items.find(({ addresses }) => addresses.includes(name)) ?? null;
}

async function podsOf(
  workload: FoundWorkload | null,
  pod: Pod | null,
  asking: Asking,
): Promise<Bounded<Pod>> {
  const selector = workload?.selector ?? null;
  const found = selector === null ? null
    : await asking.list('Pods of the workload', pods, { labels: selector });
  if (found !== null && found.items.length > 0) return found;
  return { items: pod === null ? [] : [pod], omitted: 0 };
}

async function revisionsOf(
  workload: FoundWorkload | null,
  asking: Asking,
): Promise<readonly Revision[]> {
  const selector = workload?.selector ?? null;
  if (workload === null || selector === null || workload.kind === 'job') return [];
  const kind = workload.kind === 'deployment' ? replicaSets : controllerRevisions;
  const { items } = await asking.list('Rollouts of the workload', kind, { labels: selector });
  return items.filter(({ owner }) => owner?.name === workload.name);
}

/** Asks by name where possible: in a busy namespace an unfiltered list may miss some. */
async function eventsOfNamed(
  { pod, claim, workload }: NamedObjects,
  asking: Asking,
): Promise<Bounded<ClusterEvent>> {
  const named = [pod, claim].filter((name) => name !== null);
  if (named.length > 0) {
    return together(await Promise.all(named.map((name) => eventsAbout(name, asking))));
  }
  if (workload === null) return none;
  return asking.list('Events of the last hour', events, { fields: ['type!=Normal'] });
}

/** Most pods whose events are asked for one by one. */
const crowdedMax = 3;

/** Pods that are not ready and whose events may be missing from a cut list. */
function crowdedOut({ omitted }: Bounded<ClusterEvent>, all: readonly Pod[]): readonly Pod[] {
  return omitted === 0 ? [] : all.filter((pod) => !isReady(pod)).slice(0, crowdedMax);
}

function together<T>(lists: readonly Bounded<T>[]): Bounded<T> {
  return {
    items: lists.flatMap(({ items }) => items),
    omitted: lists.reduce((sum, { omitted }) => sum + omitted, 0),
  };
}

function eventsAbout(
  name: string,
  asking: Asking,
  namespace?: string,
): Promise<Bounded<ClusterEvent>> {
  return asking.list('Events of the last hour', events, {
    fields: [`involvedObject.name=${name}`], ...(namespace !== undefined && { namespace }),
  });
}
