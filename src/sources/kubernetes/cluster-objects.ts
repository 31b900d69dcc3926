/**
 * Kubernetes objects, reduced to what shows trouble (kubernetes/api: core/v1, apps/v1 and batch/v1
 * types.go). Times are wall time in milliseconds; null is missing or malformed.
 */
import type { LabelSet } from '../../alert/labels.ts';
import type { TemplatePart } from './pod-template.ts';

export interface ClusterObject {
  readonly name: string;
  readonly createdMs: number | null;
  readonly labels: LabelSet;
  /** Its controller. */
  readonly owner: { readonly kind: string; readonly name: string } | null;
}

export interface Condition {
  readonly type: string;
  /** `Unknown` if the object has not reported for some time. */
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly sinceMs: number | null;
}

/** How a container ended. */
export interface Ended {
  readonly reason: string;
  readonly exitCode: number | null;
  readonly message: string;
  readonly atMs: number | null;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  /** It has to end before the others start; false for sidecars, which start first and stay. */
  readonly isInit: boolean;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly waiting: { readonly reason: string; readonly message: string } | null;
  /** Set if it is running. */
  readonly runningSinceMs: number | null;
  /** Set if it has terminated. */
  readonly ended: Ended | null;
  /** How it ended before its last restart. */
  readonly lastEnded: Ended | null;
  /** As written in the object: "256Mi". */
  readonly memoryLimit: string | null;
}

export interface Pod extends ClusterObject {
  readonly node: string | null;
  readonly phase: string;
  /** `Evicted`, `NodeLost`; usually empty. */
  readonly reason: string;
  readonly message: string;
  readonly isBeingDeleted: boolean;
  readonly conditions: readonly Condition[];
  readonly containers: readonly Container[];
}

/** A deployment, stateful set, daemon set or job. */
export interface Workload extends ClusterObject {
  /** How many pods it wants, or for a job how many have to succeed. */
  readonly wanted: number | null;
  /** The labels of its pods; null if it selects them by more than labels. */
  readonly selector: LabelSet | null;
  readonly conditions: readonly Condition[];
}

/** A revision of a workload: a replica set or a controller revision. */
export interface Revision extends ClusterObject {
  readonly number: number | null;
  /** Its earlier revision numbers, from before it was rolled back to. */
  readonly earlier: readonly number[];
  readonly parts: readonly TemplatePart[];
}

export interface ClusterEvent {
  readonly about: { readonly kind: string; readonly name: string };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

export interface KubeNode extends ClusterObject {
  /** No new pods are scheduled there. */
  readonly isCordoned: boolean;
  /** IP addresses and host names. */
  readonly addresses: readonly string[];
  readonly conditions: readonly Condition[];
}

export interface VolumeClaim extends ClusterObject {
  readonly phase: string;
}
