/** Clusters of a few objects, as Kubernetes lists them; all are in the namespace `shop`. */
import { clusterAt, type Cluster } from './fake-kubernetes.ts';

type Members = Readonly<Record<string, unknown>>;

/** RFC 3339 time this many minutes before the snapshot of the cluster. */
export function minutesAgo(minutes: number): string {
  return new Date(clusterAt - minutes * 60_000).toISOString();
}

export function aCluster(
  objects: Readonly<Record<string, readonly Members[]>>,
  logs: Cluster['logs'] = {},
): Cluster {
  const core = ['pods', 'events', 'nodes', 'persistentvolumeclaims'];
  const apps = ['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'controllerrevisions'];
  const listed = (group: string, names: readonly string[]): [string, readonly Members[]][] => {
    return names.map((name) => [`${group}/${name}`, objects[name] ?? []]);
  };
  return {
    objects: Object.fromEntries([
      ...listed('/api/v1', core), ...listed('/apis/apps/v1', apps),
      ...listed('/apis/batch/v1', ['jobs']),
    ]),
    logs,
  };
}

export function aDeployment(name: string, replicas: number, status: Members = {}): Members {
  return {
    metadata: { name, namespace: 'shop', creationTimestamp: minutesAgo(9_000) },
    spec: { replicas, selector: { matchLabels: { app: name } } }, status,
  };
}

export interface PodTold {
  readonly of?: string;
  readonly ready?: boolean;
  readonly phase?: string;
  readonly containers?: readonly Members[];
  readonly metadata?: Members;
  readonly status?: Members;
}

/** A pod of the deployment `of`. */
export function aPod(name: string, told: PodTold = {}): Members {
  const { of = 'cart', ready = true, phase = 'Running', containers = [], ...more } = told;
  return {
    metadata: {
      name, namespace: 'shop', creationTimestamp: minutesAgo(9_000),
      labels: { app: of, 'pod-template-hash': '6bf54cc44b' },
      ownerReferences: [{ kind: 'ReplicaSet', name: `${of}-6bf54cc44b`, controller: true }],
      ...more.metadata,
    },
    spec: {},
    status: {
      phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: containers, ...more.status,
    },
  };
}

/** A container in a crash loop that terminated like this. */
export function aLoop(name: string, terminated: Members, restartCount = 5): Members {
  return {
    name, ready: false, restartCount, image: 'shop/cart:1',
    state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated },
  };
}

/** A warning event about a pod, this many minutes old. */
export function anEvent(name: string, minutes: number, told: Members): Members {
  const at = minutesAgo(minutes);
  return {
    metadata: { name: `${name}.1`, namespace: 'shop' }, involvedObject: { kind: 'Pod', name },
    type: 'Warning', count: 1, firstTimestamp: at, lastTimestamp: at, ...told,
  };
}

/** A replica set of the deployment `cart`; `history` lists its earlier revisions. */
export function aReplicaSet(
  hash: string,
  revision: number,
  { minutes, image, history = null, annotations = {} }: {
    readonly minutes: number; readonly image: string; readonly history?: string | null;
    /** Annotations of its pods. */
    readonly annotations?: Members;
  },
): Members {
  return {
    metadata: {
      name: `cart-${hash}`, namespace: 'shop', creationTimestamp: minutesAgo(minutes),
      labels: { app: 'cart' },
      ownerReferences: [{ kind: 'Deployment', name: 'cart', controller: true }],
      annotations: {
        'deployment.kubernetes.io/revision': String(revision),
        ...(history !== null && { 'deployment.kubernetes.io/revision-history': history }),
      },
    },
    spec: {
      template: { metadata: { annotations }, spec: { containers: [{ name: 'app', image }] } },
    },
  };
}
