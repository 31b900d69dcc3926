/**
 * Programs that only measure others. How busy their own process is says nothing about what they
 * measure, but answers to scrapes with it, so it would be listed beside every trouble.
 */
import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { selector, type Matcher } from '../../sources/promql-text.ts';
import type { Asker } from './asking.ts';

/** A target whose process is an exporter or a part of the monitoring. */
interface Observer {
  /** What its own metrics begin with, such as "prometheus" or "mysqld_exporter". */
  readonly program: string;
  readonly labels: LabelSet;
}

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
    { name: '__name__', op: '=~', value: `(.+_exporter|prometheus|alertmanager)${suffix}` },
    // An agent within the program that it measures.
    { name: '__name__', op: '!~', value: 'jmx_.+' },
    ...matchers.filter(({ name }) => name !== '__name__'),
  ]);
  if (text === null) return [];
  const answer = await asker.query('search', `count by (__name__, job, instance) (${text})`, now);
  return (answer?.samples ?? []).flatMap(({ labels }) => {
    const name = labels['__name__'] ?? '';
    return name.endsWith(suffix) ? [{ program: name.slice(0, -suffix.length), labels }] : [];
  });
}

/**
 * Tells the series of the observers' own processes; none of an observer that the rule is about,
 * which reads its metrics or the process of any program.
 */
export function ofObservers(
  observers: readonly Observer[],
  ruleMetrics: readonly string[],
): (labels: LabelSet) => boolean {
  const isAbout = (program: string): boolean => ruleMetrics.some((metric) =>
    metric.startsWith(`${program}_`) || ofProcess.test(metric));
  const targets = new Set(observers.flatMap(({ program, labels }) =>
    isAbout(program) ? [] : [targetOf(labels)]));
  return (labels) => {
    const name = labels['__name__'] ?? '';
    return ofProcess.test(name) && targets.has(targetOf(labels)) ||
      name.startsWith('redis_') && ofRedisExporter.test(labelOf(labels, 'cmd') ?? '');
  };
}

function targetOf(labels: LabelSet): string {
  return JSON.stringify([labelOf(labels, 'job'), labelOf(labels, 'instance')]);
}
