import { labelOf } from '../alert/labels.ts';
import type { AlertPlace } from '../evidence/place.ts';
import { readExpression } from '../evidence/rule/rule-expression.ts';
import { parsePromql, selectorsIn, type Selector } from '../lib/promql/promql-tree.ts';

/** What every scraped process has. */
const ofAnyTarget = /^(?:up$|scrape_|process_|go_|python_|jvm_|ALERTS)/u;
/** What one exporter or product exposes, each under names of its own. */
const makers: readonly RegExp[] = [
  /^node_/u, /^windows_/u, /^kube_/u, /^(?:container|machine|cadvisor)_/u, /^(?:kubelet|prober)_/u,
  /^(?:pg|pgbouncer|postgres)_/u, /^mysql_/u, /^redis_/u, /^mongodb_/u, /^rabbitmq_/u, /^kafka_/u,
  /^(?:elasticsearch|opensearch)_/u, /^haproxy_/u, /^nginx_/u, /^(?:aws|cloudwatch)_/u, /^ipmi_/u,
  /^smart(?:ctl|mon)_/u, /^(?:snmp_|if[A-Z]|sys[A-Z])/u, /^prometheus_/u, /^apiserver_/u, /^etcd_/u,
  /^ceph_/u, /^(?:cilium|hubble)_/u,
];
/** Those that tell of machines and their containers, whose targets no program shares. */
const ofMachines = 5;
const targetLabels: ReadonlySet<string> = new Set(['instance', 'job', 'service', 'endpoint']);

/**
 * Whether a filled test can have an answer: not if each of its selectors asks the target of the
 * rule's series for what another exporter or product exposes. A database has no requests over
 * HTTP by its exporter's job, and the exporter of a cloud no metrics of the machine it runs on.
 */
export function canBeAnswered(
  query: string,
  rule: string | null,
  { target, labels }: AlertPlace,
): boolean {
  const tree = rule === null ? null : parsePromql(query);
  if (rule === null || tree === null) return true;
  const metrics = readExpression(rule).metrics.filter((name) => !ofAnyTarget.test(name));
  if (metrics.length === 0) return true;
  const own = new Set(metrics.map(makerOf));
  const isOfTarget = ({ matchers }: Selector): boolean => matchers.some(({ label, sign, value }) =>
    sign === '=' && targetLabels.has(label) &&
    value === (labelOf(labels, label) ?? labelOf(target, label)));
  const selectors = selectorsIn(tree);
  return selectors.length === 0 || selectors.some((each) => {
    const names = namesIn(each);
    if (names.length === 0 || !isOfTarget(each)) return true;
    return names.some((name) => {
      const maker = makerOf(name);
      // A program may name what it uses as an exporter does, but is no machine's exporter.
      return ofAnyTarget.test(name) || own.has(maker) || (own.has(-1) && maker >= ofMachines);
    });
  });
}

/** The names that a selector may ask for, each as far as a pattern gives it. */
function namesIn({ metric, tokens }: Selector): readonly string[] {
  if (metric !== null) return [metric];
  const read = tokens();
  const at = read.findIndex(({ text }) => text === '__name__');
  const isPattern = read[at + 1]?.text === '=~';
  return isPattern ? (read[at + 2]?.text ?? '').replaceAll(/[()]/gu, '').split('|') : [];
}

/** Which of the makers a metric is of; -1 for any other, such as a program. */
function makerOf(metric: string): number {
  return makers.findIndex((pattern) => pattern.test(metric));
}
