import { labelOf } from '../alert/labels.ts';
import type { AlertPlace } from '../evidence/place.ts';
import { storesIn } from '../statistics/names/stores.ts';

/** What tells which products are where an alert is. */
export interface Surroundings {
  /** The names of the metrics around the alert; null where no server answered. */
  readonly metrics: readonly string[] | null;
  /** Kubernetes itself answered. */
  readonly hasKubernetes: boolean;
}

/** Nothing was asked. */
export const unknownSurroundings: Surroundings = { metrics: null, hasKubernetes: false };

/** A command of PostgreSQL, whose name is not in it. */
const ofPostgres = /(?:^|[\s;|&('])(?:psql|pg_isready) /u;
const ofKubernetes = /(?:^|[\s;|&('])(?:kubectl|helm|crictl) /u;
const kubernetesMetric = /(?<![a-z\d])(?:kube|kubelet|container|apiserver)_/iu;
const podLabels = ['pod', 'container', 'exported_pod', 'deployment', 'statefulset', 'daemonset'];

/**
 * Whether a command's template can be run where an alert is: what it is for is known to be there,
 * as the `text` names it, such as the rule, or the alert's series are a pod's, or metrics
 * around it are of that product. Who has no RabbitMQ cannot list its queues.
 */
export function toolsAround(
  text: string,
  { labels, target }: AlertPlace,
  { metrics, hasKubernetes }: Surroundings,
): (template: string) => boolean {
  const products = new Set([...storesIn(text), ...(metrics ?? []).flatMap(storesIn)]);
  const hasPods = hasKubernetes || /kube/iu.test(text) || kubernetesMetric.test(text) ||
    (metrics ?? []).some((name) => kubernetesMetric.test(name)) ||
    podLabels.some((name) => labelOf({ ...target, ...labels }, name) !== null);
  return (template) => {
    const asked = new Set(storesIn(template.replaceAll(/\{[^{}]*\}/gu, '')));
    if (ofPostgres.test(template)) asked.add('postgresql');
    return !(ofKubernetes.test(template) && !hasPods) &&
      (asked.size === 0 || [...asked].some((product) => products.has(product)));
  };
}
