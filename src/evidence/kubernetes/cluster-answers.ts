import type { Bounded } from '../../sources/answer-room.ts';
import type {
  ClusterEvent, KubeNode, Pod, Revision, VolumeClaim, Workload,
} from '../../sources/kubernetes/cluster-objects.ts';
import type { LoggedLine } from '../../sources/kubernetes/container-log.ts';
import type { ContainerLog } from '../../sources/kubernetes/kubernetes.ts';
import type { TimeSpan } from '../../sources/time-grid.ts';
import type { Asked } from '../ask-within.ts';
import type { NamedObjects, WorkloadKind } from './named-objects.ts';

/** What Kubernetes answered about the objects of one alert; null is missing. */
export interface ClusterAnswers extends Asked<KubeSubject> {
  readonly window: ClusterWindow;
  readonly named: NamedObjects;
  /** The pod that the alert names. */
  readonly pod: Pod | null;
  readonly workload: FoundWorkload | null;
  /** Those of the workload, or only the one that the alert names. */
  readonly pods: Bounded<Pod>;
  readonly revisions: readonly Revision[];
  readonly node: KubeNode | null;
  readonly claim: VolumeClaim | null;
  /** Those about its objects; all warnings of the namespace if it names only a workload. */
  readonly events: Bounded<ClusterEvent>;
  /** Subjects whose objects were not all read. */
  readonly unread: ReadonlySet<KubeSubject>;
  readonly log: (ContainerLog & { readonly lines: readonly LoggedLine[] }) | null;
}

/** The time span of interest; anything before is old news. */
export interface ClusterWindow extends TimeSpan {
  /** When the alert began to fire. */
  readonly startMs: number;
}

export interface FoundWorkload extends Workload {
  readonly kind: WorkloadKind;
}

export type KubeSubject =
  | 'The pod' | 'The workload' | 'Pods of the workload' | 'Rollouts of the workload'
  | 'The volume claim' | 'The node' | 'Events of the last hour'
  | 'What the container logged last';

/** Whether any question on the subject was answered. */
export function isAnswered({ questions }: ClusterAnswers, subject: KubeSubject): boolean {
  return questions.some(({ what, failure }) => what === subject && failure === null);
}

/** How sentences refer to the objects: "deployment cart", "node n1". */
export function calledIn(
  { workload, pod, claim, node }: ClusterAnswers,
): Readonly<Record<'workload' | 'pod' | 'claim' | 'node', string | null>> {
  return {
    workload: workload && `${workload.kind} ${workload.name}`,
    pod: pod && `pod ${pod.name}`,
    claim: claim && `volume claim ${claim.name}`,
    node: node && `node ${node.name}`,
  };
}

/** The widest of the objects, as the subject of evidence items. */
export function clusterSubjectOf(answers: ClusterAnswers): string {
  const { workload, pod, claim, node } = calledIn(answers);
  const { named } = answers;
  return workload ?? pod ?? claim ?? node ??
    (named.pod === null ? 'the workload' : `pod ${named.pod}`);
}
