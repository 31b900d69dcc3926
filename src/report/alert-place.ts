import { ruleNameOf } from '../alert/alert.ts';
import {
  clusterLabels, clusterOf, labelOf, tellsThing, type LabelSet,
} from '../alert/labels.ts';
import { isKnownLabel, labelsOfObject } from '../alert/similarity.ts';
import { namedByItself, usuallyNamed } from '../alert/usual-name.ts';
import type { ReportedAlert } from './reported-alert.ts';
import { shownText } from './shown-text.ts';

/** Ports of a network device, as SNMP names them. */
const portLabels: readonly string[] = ['ifName', 'ifDescr', 'ifAlias'];

/** Labels by which exporters name what they report on, which is never the exporter itself. */
export const reportedLabels: readonly string[] = [
  ...portLabels, 'ceph_daemon', 'zpool', 'ups', 'dbinstance_identifier', 'dbcluster_identifier',
  'database_id', 'cache_cluster_id', 'stanza', 'rule_group', 'integration',
];

/** Labels that name the object an alert is about, the most specific first. */
export const objectLabels: readonly string[] = [
  ...reportedLabels, 'pod', 'persistentvolumeclaim', 'deployment', 'statefulset', 'daemonset',
  'cronjob', 'job_name', 'horizontalpodautoscaler', 'poddisruptionbudget', 'workload',
  'consumergroup', 'queue', 'queue_name', 'topic', 'server', 'proxy', 'backend',
  'envoy_cluster_name', 'service', 'destination_canonical_service', 'destination_workload',
  'destination_service_name', 'sloth_service', 'node', 'mountpoint', 'device', 'slot_name',
  'relname', 'datname', 'name', 'groupname', 'instance', 'host', 'target', 'job', 'slo',
  'rabbitmq_cluster', 'resource', ...clusterLabels,
];

/** Labels whose values many machines share, so that theirs is named as well. */
const partLabels: readonly string[] = [
  ...portLabels, 'mountpoint', 'device', 'zpool', 'rule_group', 'integration', 'slot_name',
  'relname', 'datname', 'name', 'groupname',
];

/** What a thing is called whose name alone may be that of anything. */
const thingWords: Readonly<Record<string, string>> = {
  queue: 'queue', queue_name: 'queue', topic: 'topic', consumergroup: 'consumer group',
  datname: 'database', relname: 'table', slot_name: 'slot',
};

/**
 * `<pod> in <namespace>`, `queue orders`, `10.0.3.17:8080 (checkout-api) in payments, prod-eu-1`
 * with the cluster; empty if not labelled.
 */
export function placeOf(given: LabelSet): string {
  return placed(given, (address, job) => `${address} (${job})`);
}

/** The same with the name of a thing before its address: `postgres 10.0.0.9:9187`. */
export function thingOf(given: LabelSet): string {
  return placed(given, (address, job) => `${job} ${address}`);
}

/** `inOne` puts an address and the job that it is of together. */
function placed(given: LabelSet, inOne: (address: string, job: string) => string): string {
  const labels = namedByItself(labelsOfObject(given));
  const named = objectLabels.find((candidate) =>
    valueOf(labels, candidate) !== '' && !clusterLabels.includes(candidate));
  // An alert that names nothing else is placed by the pod of its exporter.
  const name = named ?? (valueOf(given, 'pod') === '' ? undefined : 'pod');
  const namespace = valueOf(labels, 'namespace');
  const word = name === 'resource' ? valueOf(labels, 'verb') : thingWords[name ?? ''] ?? '';
  const value = name === undefined ? '' : valueOf(labels, name) || valueOf(given, name);
  const object = name === undefined ? '' : `${word} ${value}${wholeOf(labels, name)}`.trimStart();
  const isAddress = name === 'instance' || (name === 'server' && wholeOf(labels, name) === '');
  const job = isAddress ? valueOf(labels, 'job') : '';
  const qualified = job === '' ? object : inOne(object, job);
  const place = [qualified, namespace && `in ${namespace}`].filter((part) => part !== '').join(' ');
  const cluster = shownClusterOf(labels);
  if (name === undefined && namespace === '') return [otherThing(labels), cluster]
    .filter((part) => part !== '').join(', ');
  return cluster === '' || cluster === qualified ? place : `${place}, ${cluster}`;
}

/** With more labels of unknown kinds than this, none of them says what an alert is about. */
const othersMax = 2;

/** `sensor rack4-inlet`, of an alert that names nothing of a known kind; empty if it names none. */
function otherThing(labels: LabelSet): string {
  const others = Object.keys(labels).flatMap((name) => {
    const value = valueOf(labels, name);
    const isTold = value !== '' && !value.includes('://') && value === labelOf(labels, name) &&
      tellsThing(name) && !isKnownLabel(name) && !clusterLabels.includes(name);
    return isTold ? [`${shown(name)} ${value}`] : [];
  });
  return others.length > othersMax ? '' : others.join(', ');
}

/** The alert's cluster fit for a sentence; empty if it names none. */
export function shownClusterOf(labels: LabelSet): string {
  return shown(clusterOf(usuallyNamed(labels)));
}

/** `shop, prod-eu-1`; empty if the alert names neither. */
export function areaOf({ namespace, labels }: Pick<ReportedAlert, 'namespace' | 'labels'>): string {
  const own = valueOf(namedByItself(labels), 'namespace') || shown(namespace);
  return [own, shownClusterOf(labels)].filter((part) => part !== '').join(', ');
}

/** ` of db-1:9100` for the label of a part, such as a mount point; otherwise empty. */
export function wholeOf(given: LabelSet, name: string): string {
  const wholes = name === 'server' ? ['proxy', 'backend']
    : partLabels.includes(name) ? ['host', 'instance', 'node'] : [];
  const labels = usuallyNamed(given);
  const whole = wholes.map((label) => valueOf(labels, label)).find((value) => value !== '');
  return whole === undefined ? '' : ` of ${whole}`;
}

/** The alert's name fit for a sentence; `Unknown` if it has none that can be shown. */
export function shownNameOf(labels: LabelSet): string {
  return shownName(ruleNameOf(labels));
}

/** The same for a name that was already read from the labels. */
export function shownName(name: string): string {
  return shownText(name, 120) || 'Unknown';
}

/** `HighErrorRate on 10.0.3.17:8080 (checkout-api) in payments`. */
export function subjectOf(labels: LabelSet): string {
  const [name, place] = [shownNameOf(labels), placeOf(labels)];
  if (place === '') return name;
  return place.startsWith('in ') ? `${name} ${place}` : `${name} on ${place}`;
}

/** Empty as well for what an exporter does not know. */
function valueOf(labels: LabelSet, name: string): string {
  return shown(labelOf(labels, name));
}

function shown(text: string | null): string {
  const value = shownText(text ?? '', 80);
  return value === 'unknown' ? '' : value;
}
