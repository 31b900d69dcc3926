import { labelOf, type LabelSet } from '../alert/labels.ts';
import { labelsOfObject } from '../alert/similarity.ts';

/** The layer that an alert's object belongs to: trouble in a lower layer spreads to those above. */
export type Layer = keyof typeof ranks;

/**
 * 0 is the lowest. A machine, its disks and its network are one layer: a busy processor does not
 * fill a disk, so of these the first to fail counts. Probes and objectives are on top, as they only
 * show what others cause.
 */
const ranks = {
  node: 0, storage: 0, network: 0, kubelet: 2, control_plane: 2, pod: 3, workload: 4, service: 5,
  probe: 6, monitoring: 6,
} as const;

export const layers: readonly Layer[] = Object.keys(ranks) as Layer[];

export function layerRank(layer: Layer): number {
  return ranks[layer];
}

/** Only the beginning of a longer name is read. */
const nameLengthMax = 200;

/** Tried in this order: what an alert measures comes before the object it is measured on. */
const nameRules: readonly (readonly [RegExp, Layer])[] = [
  [/probe|blackbox|synthetic|slo(?![a-z])|errorbudget|burnrate/, 'probe'],
  [/prometheus|alertmanager|grafana|thanos|scrape|rulefail/, 'monitoring'],
  [/kubelet/, 'kubelet'],
  [/etcd|kubeapi|apiserver|scheduler|controllermanager|coredns|kubeproxy/, 'control_plane'],
  [/disk|filesystem|persistentvolume|pvc|volume|inode|raid|iops|ceph|zfs|smart(?!phone)/,
    'storage'],
  [/network|nic(?![a-z])|conntrack|packet|bonding|bgp|interface|switchport/, 'network'],
  [/^(kube)?node|^host|^machine|^vm(?![a-z])|cpusteal|clockskew|systemd/, 'node'],
  [/pod|container|crashloop|oomkill/, 'pod'],
  [/deployment|statefulset|daemonset|replica|rollout|hpa|cronjob|kubejob/, 'workload'],
  [/latency|error|5xx|slow|request|queue|lag|timeout|saturat/, 'service'],
];

/** The layer of an alert, by its name if possible, otherwise by its labels. */
export function layerOf(name: string, labels: LabelSet): Layer {
  if (name !== lastNamed.name) lastNamed = { name, layer: layerByName(name) };
  return lastNamed.layer ?? layerByLabels(labelsOfObject(labels));
}

/** Alerts of a notification often share their name. */
let lastNamed: { readonly name: string; readonly layer: Layer | null } = { name: '', layer: null };

function layerByName(name: string): Layer | null {
  // Separates an abbreviation from the word after it, as in `SLOBurn` and `NICDown`.
  const words = name.slice(0, nameLengthMax).replace(/([A-Z])([A-Z][a-z])/g, '$1_$2').toLowerCase();
  const compact = words.replace(/[\s-]+/g, '');
  const joined = compact.replaceAll('_', '');
  const rule = nameRules.find(([pattern]) => pattern.test(compact) || pattern.test(joined));
  return rule?.[1] ?? null;
}

function layerByLabels(labels: LabelSet): Layer {
  const has = (name: string): boolean => Boolean(labelOf(labels, name));
  if (has('persistentvolumeclaim') || has('mountpoint')) return 'storage';
  if (has('pod') || has('container')) return 'pod';
  if (has('deployment') || has('statefulset') || has('daemonset') || has('workload')) {
    return 'workload';
  }
  if (has('node') || /node|host|windows/.test(labelOf(labels, 'job') ?? '')) return 'node';
  return 'service';
}
