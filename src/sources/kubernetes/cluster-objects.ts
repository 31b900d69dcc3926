/**
 * Objects of a Kubernetes cluster, in what of them tells of trouble (kubernetes/api: core/v1,
 * apps/v1 and batch/v1 types.go). Times are wall time in milliseconds; null stands for what an
 * object does not tell, or tells in another form than its type has.
 */
import type { LabelSet } from '../../alert/labels.ts';
import type { TemplatePart } from './pod-template.ts';

/** What every object has. */
export interface ClusterObject {
  readonly name: string;
  readonly createdMs: number | null;
  readonly labels: LabelSet;
  /** What manages it. */
  readonly owner: { readonly kind: string; readonly name: string } | null;
}

export interface Condition {
  readonly type: string;
  /** `Unknown` where nobody has heard of the object for some time. */
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
  readonly isInit: boolean;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly waiting: { readonly reason: string; readonly message: string } | null;
  /** Set where it is not running any more. */
  readonly ended: Ended | null;
  /** How it ended before it was last started again. */
  readonly lastEnded: Ended | null;
  /** As it is written: "256Mi". */
  readonly memoryLimit: string | null;
}

export interface Pod extends ClusterObject {
  readonly node: string | null;
  readonly phase: string;
  /** `Evicted`, `NodeLost`; empty for most. */
  readonly reason: string;
  readonly message: string;
  readonly isBeingDeleted: boolean;
  readonly conditions: readonly Condition[];
  readonly containers: readonly Container[];
}

/** Of a deployment, stateful set, daemon set or job. */
export interface Workload extends ClusterObject {
  /** How many pods it asks for, or of a job how many are to succeed. */
  readonly wanted: number | null;
  /** The labels its pods have; null where that is told by more than labels. */
  readonly selector: LabelSet | null;
  readonly conditions: readonly Condition[];
}

/** What a workload ran from some time on: a replica set or a controller revision. */
export interface Revision extends ClusterObject {
  readonly number: number | null;
  /** Those it was before it was rolled back to. */
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

export interface Node extends ClusterObject {
  /** Nothing new is started there. */
  readonly isCordoned: boolean;
  /** Its addresses and host names. */
  readonly addresses: readonly string[];
  readonly conditions: readonly Condition[];
}

export interface Claim extends ClusterObject {
  readonly phase: string;
}
