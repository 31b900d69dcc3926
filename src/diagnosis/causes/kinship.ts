import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { hostOf } from '../../evidence/named-in-labels.ts';
import { machineLabels } from '../../evidence/place.ts';
import { objectLabels, wholeOf } from '../../report/alert-place.ts';
import type { Situation } from '../situation.ts';

/** Labels of an area in which much is, and whose values so much has that they tell nothing. */
const ofAreas: ReadonlySet<string> = new Set([
  '__name__', 'namespace', 'exported_namespace', 'cluster', 'region', 'zone', 'env', 'environment',
  'datacenter', 'dc', 'stage', 'team', 'severity', 'endpoint', 'container', 'service_account',
]);
/** A shorter value, or a number, is the same by chance. */
const telling = /^(?!\d+$).{3,}$/u;

/**
 * Whether labels name what the alert is about, whatever label either has for it: a pool of the same
 * name as the alert's queue, a target on its host, a thing on its path.
 */
export function isKin(labels: LabelSet, component: string, situation: Situation): boolean {
  const { caseFile: { alert }, evidence: { metrics } } = situation;
  const place = { ...alert.labels, ...metrics?.place?.target, ...metrics?.place?.labels };
  const hosts = hostsIn(place);
  if (hostsIn(labels).some((host) => hosts.includes(host))) return true;
  const hops = metrics?.path?.hops ?? [];
  if (hops.some((hop) => hop.component === component)) return true;
  if (hops.some((hop) => isNamedAfter(labels, hop.component))) return true;
  const objects = new Map(objectLabels
    .map((name) => [labelOf(place, name) ?? '', name] as const)
    .filter(([value]) => telling.test(value)));
  // Every machine has an eth1.
  const isOfOther = (name: string, value: string): boolean => {
    const [own, other] = [wholeOf(place, objects.get(value) ?? ''), wholeOf(labels, name)];
    return own !== '' && other !== '' && own !== other;
  };
  return objects.has(component) || Object.entries(labels).some(([name, value]) =>
    !ofAreas.has(name) && objects.has(value) && !isOfOther(name, value));
}

/** Whether a value is the thing's name with something added: `ranker_v3` after `search/ranker`. */
function isNamedAfter(labels: LabelSet, component: string): boolean {
  const name = component.split('/').at(-1)?.toLowerCase() ?? '';
  if (name.length < nameMin || !telling.test(name)) return false;
  return Object.entries(labels).some(([label, value]) => {
    const text = value.toLowerCase();
    return !ofAreas.has(label) && text.startsWith(name) && /^(?:[^a-z0-9]|$)/u
      .test(text.slice(name.length));
  });
}

/** A shorter name is a part of others by chance. */
const nameMin = 5;

/** The machines that labels name, without ports. */
export function hostsIn(labels: LabelSet): string[] {
  return [
    ...machineLabels.map((name) => labelOf(labels, name) ?? ''),
    hostOf({ instance: labelOf(labels, 'instance') ?? '' }) ?? '',
  ].filter((host) => host !== '');
}
