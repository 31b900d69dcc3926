import { alertNameOf } from '../alert/alert.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { shownText } from './shown-text.ts';

/** Labels that name the object an alert is about, most telling first. */
export const objectLabels: readonly string[] = [
  'pod', 'persistentvolumeclaim', 'deployment', 'statefulset', 'daemonset', 'cronjob', 'job_name',
  'horizontalpodautoscaler', 'poddisruptionbudget', 'workload', 'service', 'node', 'mountpoint',
  'instance', 'host', 'target', 'job', 'cluster',
];

/** The jobs whose own address, in the labels below, says nothing of the objects they tell of. */
const stateJob = /kube-?state-?metrics/iu;
const ownLabels: readonly string[] = ['service', 'instance', 'job'];

/** `<pod> in <namespace>`, `10.0.3.17:8080 (checkout-api) in payments`; empty when nothing says. */
export function placeOf(labels: LabelSet): string {
  const named = objectLabels.filter((candidate) => valueOf(labels, candidate) !== '');
  const isOfState = stateJob.test(labelOf(labels, 'job') ?? '') && valueOf(labels, 'namespace');
  const name = named.find((candidate) => !isOfState || !ownLabels.includes(candidate));
  const object = name === undefined ? '' : valueOf(labels, name);
  const job = name === 'instance' ? valueOf(labels, 'job') : '';
  const host = name === 'mountpoint' ? valueOf(labels, 'instance') : '';
  const namespace = valueOf(labels, 'namespace');
  const qualified = `${object}${job && ` (${job})`}${host && ` of ${host}`}`;
  return [qualified, namespace && `in ${namespace}`].filter((part) => part !== '').join(' ');
}

/** The alert's name fit for a sentence; `Unknown` also where nothing of it can be shown. */
export function shownNameOf(labels: LabelSet): string {
  return shownName(alertNameOf(labels));
}

/** The same of a name that was read from the labels already. */
export function shownName(name: string): string {
  return shownText(name, 120) || 'Unknown';
}

/** `HighErrorRate on 10.0.3.17:8080 (checkout-api) in payments`. */
export function subjectOf(labels: LabelSet): string {
  return subjectText(shownNameOf(labels), placeOf(labels));
}

/** The same of a shown name and of what {@linkcode placeOf} says. */
export function subjectText(name: string, place: string): string {
  if (place === '') return name;
  return place.startsWith('in ') ? `${name} ${place}` : `${name} on ${place}`;
}

function valueOf(labels: LabelSet, name: string): string {
  return shownText(labelOf(labels, name) ?? '', 80);
}
