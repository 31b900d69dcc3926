import type { EventFact, SourceReport } from '../metric-facts.ts';

/** What ended earlier than this before the alert is no news. */
export const longBeforeMs: number = 30 * 60_000;

/** What Kubernetes told of the alert's objects. Each fact names the ledger items it rests on. */
export interface KubernetesFacts {
  readonly source: SourceReport;
  /**
   * The objects are surely those of the alert. An alert that names its cluster may be about
   * another than the one that was asked, unless it names a pod, of which there are no two; and of a
   * pod that is not there any more its neighbours tell only what may have been.
   */
  readonly isSure: boolean;
  /** What it says is wrong now, or went wrong within the hour before the alert, gravest first. */
  readonly signs: readonly SignFact[];
  /** Of the workload's last day. */
  readonly rollouts: readonly EventFact[];
  /** How the pods of the workload are, or the one there is; null where none is known. */
  readonly pods: PodFacts | null;
  /** The node that it names, or its pod runs on; null where none is known. */
  readonly node: NodeFacts | null;
  /** What a container said before it ended; null where none did, or it said nothing. */
  readonly lastWords: LastWords | null;
}

export interface PodFacts {
  /** "deployment cart", "pod cart-1" */
  readonly subject: string;
  readonly ready: number;
  readonly total: number;
  /** As many as the workload asks for; null where that is not told. */
  readonly wanted: number | null;
  /** Those that have ended for good, evicted ones among them; not part of the total. */
  readonly failed: number;
  /** How many of those that the alert is about are not ready, failed ones among them. */
  readonly unready: number;
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

/** Something that Kubernetes itself says of an object. Texts are fit to be shown. */
export interface Sign {
  /**
   * `waits`, `ended`: of containers; `unscheduled`, `gone`: of pods; `condition`: of a workload, a
   * node or a claim; `event`: what was reported of any of these.
   */
  readonly kind: 'waits' | 'ended' | 'unscheduled' | 'gone' | 'condition' | 'event';
  /** Kubernetes' own word: "OOMKilled", "ImagePullBackOff", "NotReady". */
  readonly reason: string;
  /** "container app of pod cart-1", "container app of 3 pods", "node n1" */
  readonly who: string;
  /** Its name; null for what is no container. */
  readonly container: string | null;
  /** What it says beyond that; empty for most. */
  readonly message: string;
  /** Pods it is true of; 0 for what is no pod. */
  readonly pods: number;
  /** How often a container was started again, or an event was reported. */
  readonly times: number;
  readonly exitCode: number | null;
  /** Of the container that ended: "256Mi". */
  readonly memoryLimit: string | null;
  /** Since when, or the first time; null where that is not known. */
  readonly sinceMs: number | null;
  /** The last time of what happens again and again. */
  readonly lastMs: number | null;
}

export interface SignFact extends Sign {
  readonly evidence: string;
}

export interface LastWords {
  /** "container app of pod cart-1" */
  readonly who: string;
  readonly container: string;
  /** The line that tells of a failure, secrets masked; null where none does. */
  readonly line: string | null;
  /** It runs, and is not ready; otherwise it has ended. */
  readonly isRunning: boolean;
  readonly atMs: number | null;
  readonly evidence: string;
}
