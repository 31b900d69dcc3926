/** Clusters of a few objects, as Kubernetes lists them; all are in namespace shop. */
import { clusterAt, type Cluster } from './fake-kubernetes.ts';

type Members = Readonly<Record<string, unknown>>;

/** So many minutes before the cluster is read. */
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

/** A pod of a deployment, by `of`. */
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

/** A container that ended so, and waits to be started again. */
export function aLoop(name: string, terminated: Members, restartCount = 5): Members {
  return {
    name, ready: false, restartCount, image: 'shop/cart:1',
    state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated },
  };
}

/** A warning about a pod, of so many minutes ago. */
export function anEvent(name: string, minutes: number, told: Members): Members {
  const at = minutesAgo(minutes);
  return {
    metadata: { name: `${name}.1`, namespace: 'shop' }, involvedObject: { kind: 'Pod', name },
    type: 'Warning', count: 1, firstTimestamp: at, lastTimestamp: at, ...told,
  };
}

/** A replica set of the deployment cart; `history`: revisions it was before. */
export function aReplicaSet(
  hash: string,
  revision: number,
  { minutes, image, history = null, annotations = {} }: {
    readonly minutes: number; readonly image: string; readonly history?: string | null;
    /** Of its pods. */
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
