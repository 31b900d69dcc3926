/**
 * Kubernetes' API. Uses only list requests: a deleted object then gives an empty list, and 404
 * means a wrong URL (kubernetes/kubernetes: api/openapi-spec; kubernetes/website:
 * docs/reference/using-api/api-concepts).
 */
import type { LabelSet } from '../../alert/labels.ts';
import type { Parser } from '../../lib/parse.ts';
import type { Bounded } from '../answer-room.ts';
import type { Parameters, SourceIdentity } from '../source-access.ts';
import type { AskableSource } from '../source-client.ts';
import { SourceFailure } from '../source-failure.ts';
import type {
  ClusterEvent, KubeNode, Pod, Revision, VolumeClaim, Workload,
} from './cluster-objects.ts';
import { readLoggedLines, type LoggedLine } from './container-log.ts';
import {
  claim, clusterEvent, controllerRevision, node, pod, replicaSet, workload,
} from './kubernetes-answers.ts';
import { readList } from './object-list.ts';

export const kubernetesIdentity: SourceIdentity = {
  title: 'Kubernetes', prefix: 'KUBERNETES', readsOnlyByGet: true,
  provides: 'Pods, events and recent rollouts',
  forbiddenHint: 'Bind the ClusterRole of src/sources/README.md to the service account that asks.',
};

/** A kind of objects: where they are listed and how each is parsed. */
export interface ClusterKind<T> {
  /** The name in URLs: "pods". */
  readonly plural: string;
  /** "/api/v1", "/apis/apps/v1" */
  readonly group: string;
  readonly isNamespaced: boolean;
  readonly parser: Parser<T>;
  /** Most that are asked for and read of one answer. */
  readonly itemsMax: number;
}

function kind<T>(group: string, plural: string, parser: Parser<T>): ClusterKind<T> {
  return { group, plural, isNamespaced: true, parser, itemsMax: 200 };
}

export const pods: ClusterKind<Pod> = kind('/api/v1', 'pods', pod);
export const events: ClusterKind<ClusterEvent> = {
  ...kind('/api/v1', 'events', clusterEvent), itemsMax: 500,
};
export const nodes: ClusterKind<KubeNode> = {
  ...kind('/api/v1', 'nodes', node), isNamespaced: false,
};
export const claims: ClusterKind<VolumeClaim> = kind('/api/v1', 'persistentvolumeclaims', claim);
export const deployments: ClusterKind<Workload> = kind('/apis/apps/v1', 'deployments', workload);
export const statefulSets: ClusterKind<Workload> = kind('/apis/apps/v1', 'statefulsets', workload);
export const daemonSets: ClusterKind<Workload> = kind('/apis/apps/v1', 'daemonsets', workload);
export const jobs: ClusterKind<Workload> = kind('/apis/batch/v1', 'jobs', workload);
export const replicaSets: ClusterKind<Revision> = kind('/apis/apps/v1', 'replicasets', replicaSet);
export const controllerRevisions: ClusterKind<Revision> = kind(
  '/apis/apps/v1', 'controllerrevisions', controllerRevision,
);

/** Which objects of a kind to list: those in the namespace that match both selectors. */
export interface Choice {
  /** Ignored for kinds without namespaces. */
  readonly namespace: string;
  readonly labels?: LabelSet;
  /** Such as `metadata.name=cart`; all have to match. */
  readonly fields?: readonly string[];
}

export interface ContainerLog {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The log of the container's previous run. */
  readonly isPrevious: boolean;
}

/** Every method throws SourceFailure and nothing else. */
export interface Kubernetes {
  list<T>(of: ClusterKind<T>, choice: Choice): Promise<Bounded<T>>;
  /** The last lines of a container's log, oldest first. */
  log(log: ContainerLog): Promise<readonly LoggedLine[]>;
}

/** Newest lines asked for of a log. */
export const linesMax = 100;
/** The kubelet cuts at the end, so this must hold all lines or the last ones are lost. */
const logBytesMax = 2 * 1024 * 1024;

/** Aborting `signal` cancels all questions. */
export function createKubernetes(client: AskableSource, signal?: AbortSignal): Kubernetes {
  return {
    list: (of, { namespace, labels = {}, fields = [] }) => {
      const all: Parameters = [
        ['labelSelector', selectorText(labels)], ['fieldSelector', fields.join(',')],
        ['limit', String(of.itemsMax)],
      ];
      const parameters = all.filter(([, value]) => value !== '');
      const path = of.isNamespaced ? `${inNamespace(of.group, namespace)}/${of.plural}`
        : `${of.group}/${of.plural}`;
      return client.ask({ signal, path, parameters }, (body) =>
        readList(body, of.parser, of.itemsMax));
    },

    log: async ({ namespace, pod: name, container, isPrevious }) => {
      const parameters: Parameters = [
        ['container', container], ['previous', String(isPrevious)], ['timestamps', 'true'],
        ['tailLines', String(linesMax)], ['limitBytes', String(logBytesMax)],
      ];
      const path = `${inNamespace('/api/v1', namespace)}/pods/${encodeURIComponent(name)}/log`;
      try {
        const request = { signal, path, parameters, isText: true } as const;
        return await client.ask(request, (body) => readLoggedLines(body, linesMax));
      } catch (error) {
        // The log, or the pod that was listed a moment ago, is gone or not there yet.
        const status = error instanceof SourceFailure ? error.status : null;
        if (status === 400 || status === 404) return [];
        throw error;
      }
    },
  };
}

function inNamespace(group: string, namespace: string): string {
  return `${group}/namespaces/${encodeURIComponent(namespace)}`;
}

function selectorText(labels: LabelSet): string {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(',');
}
