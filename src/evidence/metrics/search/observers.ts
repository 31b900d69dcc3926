/**
 * Programs that only measure others. How busy their own process is says nothing about what they
 * measure, but answers to scrapes with it, so it would be listed beside every trouble. The
 * same is true of everything in the monitoring itself: nothing else depends on it.
 */
import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { selector, type Matcher } from '../../../sources/promql-text.ts';
import type { Asker } from '../asking.ts';

/** A target whose process is an exporter or a part of the monitoring. */
export interface Observer {
  /** What its own metrics begin with, such as "prometheus" or "mysqld_exporter". */
  readonly program: string;
  readonly labels: LabelSet;
}

export const monitoring: readonly string[] = [
  'prometheus', 'alertmanager', 'grafana', 'loki', 'promtail', 'thanos',
];
/** This service, whose other metrics have names that others may use. */
const thisService = 'service_journal_torn_tails_total';

const ofProcess = /^(?:go|process|promhttp|python|net_conntrack)_/u;
const suffix = '_build_info';
/** What the exporter of Redis sends with each scrape, counted among the commands of others. */
const ofRedisExporter = /^(?:info|config\|get|slowlog\|(?:get|len)|latency\|\w+|client\|set\w+)$/u;

/** The observers among the targets; empty if that is not known. */
export async function askObservers(
  asker: Asker,
  matchers: readonly Matcher[],
  now: number,
): Promise<readonly Observer[]> {
  const text = selector(null, [
    { name: '__name__', op: '!=', value: '' },
    {
      name: '__name__', op: '=~',
      value: `(.+_exporter|${monitoring.join('|')})${suffix}|${thisService}`,
    },
    // Excludes targets behind another Prometheus: with one come the series of all others there.
    { name: 'exported_job', op: '=', value: '' },
    // An agent within the program that it measures.
    { name: '__name__', op: '!~', value: 'jmx_.+' },
    ...matchers.filter(({ name }) => name !== '__name__'),
  ]);
  if (text === null) return [];
  const answer = await asker.query('search', `count by (__name__, job, instance) (${text})`, now);
  return (answer?.samples ?? []).flatMap(({ labels }) => {
    const name = labels['__name__'] ?? '';
    if (name === thisService) return [{ program: name, labels }];
    return name.endsWith(suffix) ? [{ program: name.slice(0, -suffix.length), labels }] : [];
  });
}

/**
 * Tells the series of the observers' own processes, and all series of the monitoring; none of an
 * observer that the rule is about, which reads its metrics or the process of any program, nor of
 * the monitoring if the alert is about that.
 */
export function ofObservers(
  observers: readonly Observer[],
  { alert, ruleMetrics }: { readonly alert: LabelSet; readonly ruleMetrics: readonly string[] },
): (labels: LabelSet) => boolean {
  const readsAny = (programs: readonly string[]): boolean => ruleMetrics.some((metric) =>
    programs.some((program) => metric.startsWith(`${program}_`)));
  const readsProcess = ruleMetrics.some((metric) => ofProcess.test(metric));
  const monitors = observers.filter(({ program }) =>
    program === thisService || monitoring.includes(program));
  const isOfMonitoring = readsAny(monitoring) || monitors.some(({ labels }) =>
    labelOf(labels, 'job') === labelOf(alert, 'job'));
  const whole = targetsOf(isOfMonitoring ? [] : monitors);
  const processes = targetsOf(observers.filter(({ program }) =>
    !readsProcess && !readsAny([program])));
  return (labels) => {
    const name = labels['__name__'] ?? '';
    const target = targetOf(labels);
    return whole.has(target) || ofProcess.test(name) && processes.has(target) ||
      name.startsWith('redis_') && ofRedisExporter.test(labelOf(labels, 'cmd') ?? '');
  };
}

function targetsOf(observers: readonly Observer[]): Set<string> {
  return new Set(observers.map(({ labels }) => targetOf(labels)));
}

function targetOf(labels: LabelSet): string {
  return JSON.stringify([labelOf(labels, 'job'), labelOf(labels, 'instance')]);
}
