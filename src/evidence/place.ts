import { labelOf, noLabels, usuallyAdded, type LabelSet } from '../alert/labels.ts';
import { labelsOfObject } from '../alert/similarity.ts';
import { resultLabels, selectedLabels } from '../lib/promql/result-labels.ts';

/**
 * What an alert is about and where that is, as labels. An alert whose rule aggregates its labels
 * away, as `sum(rate(errors_total{job="shop-api"}[1m])) > 1` does, still has a place: its
 * expression selects it, or all series that it reads have it. Series are selected by these, and
 * never by the alert's labels as they come: a rule's author may write any label, and no series has
 * it.
 */
export interface AlertPlace {
  /**
   * By which series of the thing are selected on its server, each with its exact value: the alert's
   * own labels that its series have, what every selector of its expression asks for, what all
   * targets of its series share, and the addresses that all of these series name. The alert's name
   * is not among them.
   */
  readonly labels: LabelSet;
  /**
   * The labels that all targets of its series share, as their `up` has them: with job and instance,
   * whatever distinguishes its world from others, such as a cluster. Without an `up` of their own,
   * as what is recorded or pushed, the job and namespace of the series. Empty where that is not
   * known.
   */
  readonly target: LabelSet;
  /** Names of the alert's labels that only the rule's author gave it. */
  readonly added: readonly string[];
}

/** What tells an alert's place; all but the expression are known from its server alone. */
interface PlaceSigns {
  /** The rule's PromQL; null if it is unknown. */
  readonly expression: string | null;
  /** The labels that the rule's author adds; null if the rule is unknown. */
  readonly ruleLabels?: LabelSet | null;
  /** Names of the alert's labels on the server, which lack external ones; null if unknown. */
  readonly serverNames?: readonly string[] | null;
  /** Null if no series of the rule was found. */
  readonly seen?: SeenSeries | null;
}

/** What the series that a rule reads show. */
export interface SeenSeries {
  /** Names of the alert's labels that some of the series have with the alert's value. */
  readonly shared: ReadonlySet<string>;
  /** The labels that the `up` of all their targets share, or at least the job and namespace. */
  readonly target: LabelSet;
  /** The addresses that all of the series name in labels that neither alert nor target has. */
  readonly addresses?: LabelSet;
}

/** Labels that name a machine, on which targets of many jobs run. */
export const machineLabels: readonly string[] = [
  'node', 'nodename', 'host', 'hostname', 'machine', 'server', 'vm',
];

/** Usually external labels, which the server's series do not have. */
const usuallyExternal: ReadonlySet<string> = new Set([
  'cluster', 'region', 'zone', 'env', 'environment', 'datacenter', 'dc', 'stage',
]);
/** If a rule sets these, it repeats labels that its series have. */
const usuallyRepeated: ReadonlySet<string> = new Set(['namespace', 'job', 'instance', 'pod']);

/**
 * The place of an alert with these labels, as far as the signs tell. Without a server's answers,
 * labels that usually are the author's or external ones are left out.
 */
export function placeOfAlert(alert: LabelSet, signs: PlaceSigns): AlertPlace {
  const { expression, ruleLabels = null, serverNames = null, seen = null } = signs;
  const results = expression === null ? null : resultLabels(expression);
  const isOfRule = (name: string): boolean =>
    labelOf(ruleLabels ?? noLabels, name)?.includes('{{') === false;
  const isOwn = (name: string): boolean => {
    if (results?.has(name) === true || seen?.shared.has(name) === true) return true;
    // What the expression makes up itself, as `label_replace` does, no series need have.
    if (seen !== null && ruleLabels === null) return false;
    if (serverNames?.includes(name) === false) return false;
    if (seen === null && usuallyRepeated.has(name)) return true;
    if (usuallyAdded.has(name) || isOfRule(name)) return false;
    return serverNames !== null || (results === null && !usuallyExternal.has(name));
  };
  const names = labelNamesOf(alert);
  const own = Object.fromEntries(names.filter(isOwn).map((name) => [name, alert[name] ?? '']));
  const isAdded = (name: string): boolean => !Object.hasOwn(own, name) &&
    (ruleLabels === null ? !usuallyExternal.has(name) : isOfRule(name));
  const selected = { ...Object.fromEntries(selectedLabels(expression ?? '')), ...own };
  const target = seen?.target ?? noLabels;
  return {
    // The place of an exporter is not that of the things that it reports on.
    labels: { ...seen?.addresses, ...labelsOfObject({ ...target, ...selected }), ...selected },
    target, added: names.filter(isAdded),
  };
}

/** The names of an alert's labels that a series can have as well. */
export function labelNamesOf(alert: LabelSet): string[] {
  return Object.keys(alert).filter((name) =>
    name !== 'alertname' && name !== 'alertstate' && !name.startsWith('__'));
}
