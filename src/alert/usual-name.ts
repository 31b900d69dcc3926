/** Labels that name one kind of thing have many spellings; this tells the kind. */
import { labelOf, type LabelSet } from './labels.ts';

const kinds: ReadonlySet<string> = new Set([
  'pod', 'namespace', 'node', 'host', 'container', 'service', 'deployment', 'statefulset',
  'daemonset', 'cronjob', 'cluster',
]);
/** Names of machines that end like those of pods. */
const ofHost: ReadonlySet<string> = new Set(['hostname', 'nodename']);

/**
 * The usual name of a label: `pod` for `k8s.pod.name`, `k8s_pod_name` and `kubernetes_pod_name`,
 * `host` for `hostname`. A name of another kind is its own.
 */
function usualName(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z\d]+/gu, '_')
    .replace(/^(?:k8s|kube|kubernetes)_(?:io_)?/u, '');
  const kind = ofHost.has(words) ? 'host' : words.replace(/_?name$/u, '');
  return kinds.has(kind) ? kind : name;
}

/** The labels, and under its usual name what only another spelling names. */
export function usuallyNamed(labels: LabelSet): LabelSet {
  const named = Object.keys(labels).flatMap((name): [string, string][] => {
    const [usual, value] = [usualName(name), labelOf(labels, name)];
    return usual === name || !value || labelOf(labels, usual) ? [] : [[usual, value]];
  });
  return named.length === 0 ? labels : { ...Object.fromEntries(named.reverse()), ...labels };
}

/**
 * The same as the thing itself names it: with `exported_job`, `job` is its exporter's, and the
 * thing's is the other.
 */
export function namedByItself(labels: LabelSet): LabelSet {
  const own = Object.keys(labels).flatMap((name): [string, string][] => {
    const value = labelOf(labels, name);
    return name.startsWith('exported_') && value ? [[name.slice('exported_'.length), value]] : [];
  });
  return usuallyNamed(own.length === 0 ? labels : { ...labels, ...Object.fromEntries(own) });
}
