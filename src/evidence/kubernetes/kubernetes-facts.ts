import type { EventFact } from '../metric-facts.ts';
import type { SourceReport } from '../source-report.ts';

/** What ended longer than this before the alert is not related to its start. */
export const signBeforeMs: number = 30 * 60_000;

/** What Kubernetes says about the alert's objects. Each fact names its evidence items. */
export interface KubernetesFacts {
  readonly source: SourceReport;
  /**
   * Whether these are certainly the alert's objects. An alert with a cluster label may be about
   * another cluster, unless the pod it names was found, since pod names are unique; and if that
   * pod is gone, its siblings only suggest what happened to it.
   */
  readonly isSure: boolean;
  /** What is wrong now or has gone wrong since an hour before the alert, states before events. */
  readonly signs: readonly SignFact[];
  /** Rollouts of the workload in the last day. */
  readonly rollouts: readonly EventFact[];
  /** The state of the workload's pods, or of the single pod; null if none is known. */
  readonly pods: PodFacts | null;
  /** The node that it names or its pod runs on; null if unknown. */
  readonly node: NodeFacts | null;
  /** What a container logged last; null if no log was read or it was empty. */
  readonly lastWords: LastWords | null;
}

export interface PodFacts {
  /** "deployment cart", "pod cart-1" */
  readonly subject: string;
  readonly ready: number;
  readonly total: number;
  /** How many the workload wants; null if unknown. */
  readonly wanted: number | null;
  /** Those in phase Failed, evicted ones included; not part of the total. */
  readonly failed: number;
  /** How many of the pods that the alert is about are not ready, failed ones included. */
  readonly unready: number;
  /** Those beside the pod that the alert names, if that is ready: "cart-2 (CrashLoopBackOff)". */
  readonly unreadyOthers: readonly string[];
  /** There may be more pods than were read. */
  readonly isCut: boolean;
  readonly evidence: string;
}

export interface NodeFacts {
  readonly name: string;
  readonly isReady: boolean;
  readonly sinceMs: number | null;
  readonly evidence: string;
}

/** A sign of trouble that Kubernetes itself reports. Texts are fit to be shown. */
export interface Sign {
  /**
   * `waits`, `ended`, `unfinished`: of containers; `unscheduled`, `gone`: of pods; `condition`: of
   * a workload, a node or a claim; `event`: what was reported of any of these.
   */
  readonly kind:
    'waits' | 'ended' | 'unfinished' | 'unscheduled' | 'gone' | 'condition' | 'event';
  /** Kubernetes' own word: "OOMKilled", "ImagePullBackOff", "NotReady". */
  readonly reason: string;
  /** "container app of pod cart-1", "container app of 3 pods", "node n1" */
  readonly who: string;
  /** The container's name; null if the sign is not about a container. */
  readonly container: string | null;
  /** Further text; usually empty. */
  readonly message: string;
  /** How many pods it applies to; 0 if it is not about pods. */
  readonly pods: number;
  /** How often the container was restarted or the event was reported. */
  readonly times: number;
  readonly exitCode: number | null;
  /** Memory limit of the container that ended: "256Mi". */
  readonly memoryLimit: string | null;
  /** Since when, or when first; null if unknown. */
  readonly sinceMs: number | null;
  /** When last; null if unknown. */
  readonly lastMs: number | null;
}

export interface SignFact extends Sign {
  readonly evidence: string;
}

export interface LastWords {
  /** "container app of pod cart-1" */
  readonly who: string;
  readonly container: string;
  /** The line that reports a failure, secrets masked; null if none does. */
  readonly line: string | null;
  /** It is running, but not ready or not finished; otherwise it has ended. */
  readonly isRunning: boolean;
  readonly atMs: number | null;
  readonly evidence: string;
}
