import { parseTime } from '../../alert/timestamp.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { Bounded } from '../../sources/alertmanager.ts';
import type { LoggedLine } from '../../sources/kubernetes/container-log.ts';
import {
  claims, controllerRevisions, daemonSets, deployments, events, jobs, kubernetesIdentity, nodes,
  pods, replicaSets, statefulSets, type Choice, type ClusterKind, type ContainerLog,
  type Kubernetes,
} from '../../sources/kubernetes/kubernetes.ts';
import type {
  Claim, ClusterEvent, ClusterObject, Node, Pod, Revision, Workload,
} from '../../sources/kubernetes/cluster-objects.ts';
import { askWithin, type AskContext, type Tell, type Told } from '../ask-within.ts';
import {
  namedObjects, type NamedObjects, type WorkloadKind,
} from './named-objects.ts';
import { isReady, lastEnded } from './pod-trouble.ts';

export interface FoundWorkload extends Workload {
  readonly kind: WorkloadKind;
}

/** One question, by what it was to find out, and what came of it. */
export interface Question {
  readonly what: string;
  readonly told: Told<unknown>;
}

/** What Kubernetes answered about the objects of one alert; null for what there is not. */
export interface ClusterAnswers {
  readonly durationMs: number;
  readonly window: ClusterWindow;
  readonly named: NamedObjects;
  readonly questions: readonly Question[];
  /** The pod that the alert names. */
  readonly pod: Pod | null;
  readonly workload: FoundWorkload | null;
  /** Those of the workload, or the one that the alert names. */
  readonly pods: Bounded<Pod>;
  readonly revisions: readonly Revision[];
  readonly node: Node | null;
  readonly claim: Claim | null;
  /** What was said of its objects, and all warnings of the namespace where it names no pod. */
  readonly events: Bounded<ClusterEvent>;
  readonly log: (ContainerLog & { readonly lines: readonly LoggedLine[] }) | null;
}

/** What happened before is no news; times are wall time in milliseconds. */
export interface ClusterWindow {
  readonly fromMs: number;
  /** When the alert began to fire. */
  readonly startMs: number;
  readonly toMs: number;
}

/** What questions for events, and for pods of a workload, are to find out. */
export const eventsWhat = 'Events of the last hour';
export const podsWhat = 'Pods of the workload';
export const podWhat = 'The pod';
const workloadWhat = 'The workload';
const crowdedMax = 3;

/** Kubernetes itself forgets events after an hour. */
const beforeMs = 60 * 60_000;

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
  return askWithin(kubernetesIdentity, context, async (kubernetes, tell) => {
    const window = windowOf(caseFile, now);
    const asking = new Asking(kubernetes, tell, named.namespace ?? '');
    const found = await askAll(named, window, asking);
    return { window, named, questions: asking.questions, ...found };
  });
}

function windowOf({ alert, episode, receivedAt }: CaseFile, now: number): ClusterWindow {
  const told = parseTime(alert.startsAt ?? episode.startsAt) ?? parseTime(receivedAt) ?? now;
  const startMs = Math.min(told, now);
  return { fromMs: startMs - beforeMs, startMs, toMs: now };
}

/** Asks for objects of one namespace, and keeps what came of each question. */
class Asking {
  readonly #asked: { readonly what: string; told: Told<unknown> | null }[] = [];
  readonly #kubernetes: Kubernetes;
  readonly #tell: Tell;
  readonly #namespace: string;

  constructor(kubernetes: Kubernetes, tell: Tell, namespace: string) {
    this.#kubernetes = kubernetes;
    this.#tell = tell;
    this.#namespace = namespace;
  }

  /** In the order in which they were asked, whatever was answered first. */
  get questions(): readonly Question[] {
    return this.#asked.flatMap(({ what, told }) => (told === null ? [] : [{ what, told }]));
  }

  /** Without items where nothing was answered. */
  async list<T>(
    what: string,
    kind: ClusterKind<T>,
    choice: Partial<Choice>,
  ): Promise<Bounded<T>> {
    const asked = this.#kubernetes.list(kind, { namespace: this.#namespace, ...choice });
    return await this.#noted(what, asked) ?? { items: [], omitted: 0 };
  }

  async named<T extends ClusterObject>(
    what: string,
    kind: ClusterKind<T>,
    name: string | null,
  ): Promise<T | null> {
    if (name === null) return null;
    const { items } = await this.list(what, kind, { fields: [`metadata.name=${name}`] });
    return items[0] ?? null;
  }

  async log(log: Omit<ContainerLog, 'namespace'>): Promise<ClusterAnswers['log']> {
    const whole = { ...log, namespace: this.#namespace };
    const lines = await this.#noted('What the container logged last', this.#kubernetes.log(whole));
    return lines === null ? null : { ...whole, lines };
  }

  async #noted<T>(what: string, question: Promise<T>): Promise<T | null> {
    const asked: { what: string; told: Told<T> | null } = { what, told: null };
    this.#asked.push(asked);
    const told = await this.#tell(question);
    asked.told = told;
    return 'value' in told ? told.value : null;
  }
}

type Found = Omit<ClusterAnswers, 'durationMs' | 'window' | 'named' | 'questions'>;

async function askAll(
  named: NamedObjects,
  window: ClusterWindow,
  asking: Asking,
): Promise<Found> {
  const none: Bounded<never> = { items: [], omitted: 0 };
  const [pod, byLabel, claim, first] = await Promise.all([
    asking.named(podWhat, pods, named.pod),
    named.pod === null ? workloadNamed(named.workload, asking) : null,
    asking.named('The volume claim', claims, named.claim),
    named.pod === null ? eventsOfNamed(named, asking) : null,
  ]);
  // A pod that is there says itself whose it is, be that nobody's, or somebody's not known here.
  const owner = pod === null ? named.workload : ownerOf(pod);
  const logOf = async (of: readonly Pod[]): Promise<ClusterAnswers['log']> => {
    const ended = lastEnded(of, named.container, window);
    return ended === null ? null : asking.log(ended);
  };
  // Where many alerts wait for their turn, each has its pod before any has more than that.
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
    // What else happens on the node of a pod is another matter.
    node === null || pod !== null ? none : eventsAbout(node.name, asking, 'default'),
  ]);
  const [log, ...ofPods] = await Promise.all([
    pod === null ? logOf(all.items) : ownLog,
    ...crowdedOut(ofNamed, all.items).map(({ name }) => eventsAbout(name, asking)),
  ]);
  return {
    pod, workload, pods: all, revisions, node, claim, log,
    events: together([ofNamed, ofWorkload, ofNode, ...ofPods]),
  };
}

async function workloadNamed(
  workload: NamedObjects['workload'],
  asking: Asking,
): Promise<FoundWorkload | null> {
  if (workload === null) return null;
  const found = await Promise.all(workload.kinds.map(async (kind) => {
    if (kind === 'cronjob') return [];
    const object = await asking.named(workloadWhat, listOfKind[kind], workload.name);
    return object === null ? [] : [{ ...object, kind }];
  }));
  const isScheduled = workload.kinds.includes('cronjob');
  const { name, otherwise } = workload;
  return found.flat()[0] ?? (isScheduled ? await latestJobOf(name, asking) : null) ??
    (otherwise === null ? null
      : workloadNamed({ ...workload, name: otherwise, otherwise: null }, asking));
}

async function latestJobOf(name: string, asking: Asking): Promise<FoundWorkload | null> {
  const { items } = await asking.list(workloadWhat, jobs, {});
  const [latest] = items.filter(({ owner }) => owner?.kind === 'CronJob' && owner.name === name)
    .sort((a, b) => (b.createdMs ?? 0) - (a.createdMs ?? 0));
  return latest === undefined ? null : { ...latest, kind: 'job' };
}

/** The workload that a pod says it belongs to; a replica set stands for its deployment. */
function ownerOf({ owner, labels }: Pod): NamedObjects['workload'] {
  if (owner === null) return null;
  const hash = labels['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`)) {
    return { kinds: ['deployment'], name: owner.name.slice(0, -hash.length - 1), otherwise: null };
  }
  const kind = owner.kind.toLowerCase();
  const known = Object.keys(listOfKind).find((each): each is WorkloadKind => each === kind);
  return known === undefined ? null : { kinds: [known], name: owner.name, otherwise: null };
}

/** By its name, or by its address, which is what somebody who scrapes it knows. */
async function nodeOf(name: string | null, asking: Asking): Promise<Node | null> {
  if (name === null) return null;
  const what = 'The node';
  if (!/^[\d.]+$|:/.test(name)) return asking.named(what, nodes, name);
  const { items } = await asking.list(what, nodes, {});
  return items.find(({ addresses }) => addresses.includes(name)) ?? null;
}

async function podsOf(
  workload: FoundWorkload | null,
  pod: Pod | null,
  asking: Asking,
): Promise<Bounded<Pod>> {
  const selector = workload?.selector ?? null;
  const found = selector === null ? null
    : await asking.list(podsWhat, pods, { labels: selector });
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

/** Events come in no order of time: of a busy namespace some of the pod's might be left out. */
async function eventsOfNamed(
  { pod, claim, workload }: NamedObjects,
  asking: Asking,
): Promise<Bounded<ClusterEvent>> {
  const named = [pod, claim].filter((name) => name !== null);
  if (named.length > 0) {
    return together(await Promise.all(named.map((name) => eventsAbout(name, asking))));
  }
  if (workload === null) return { items: [], omitted: 0 };
  return asking.list(eventsWhat, events, { fields: ['type!=Normal'] });
}

/** Pods in trouble whose events may be among those of a busy namespace that were not read. */
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
  return asking.list(eventsWhat, events, {
    fields: [`involvedObject.name=${name}`], ...(namespace !== undefined && { namespace }),
  });
}
