import { clusterLabels, labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { monitoring } from '../search/observers.ts';

/** What is scraped under one name in one environment. */
export interface Thing {
  /** Tells it from all others. */
  readonly key: string;
  /** Its job, or what a label calls it where a job scrapes several. */
  readonly name: string;
  /** The labels that select its series; the job is one of them. */
  readonly selects: readonly string[];
  /** What all its targets have in common, with the job. */
  readonly labels: LabelSet;
  /** Where it is: its labels that distinguish environments. */
  readonly world: LabelSet;
  /** Labels of each target. */
  readonly targets: readonly { readonly labels: LabelSet; readonly isUp: boolean }[];
  /** An exporter measures something else; monitoring and probers call what they watch. */
  readonly role: 'app' | 'exporter' | 'prober' | 'monitoring';
  /** What its metrics call what it is or measures: `pg`, `rabbitmq`, `postgres_exporter`. */
  readonly programs: readonly string[];
  /** Whether its exporter reaches it (`pg_up`); null if nothing says so. */
  readonly isReached: boolean | null;
}

/** A sample of an instant query. */
interface Sample {
  readonly labels: LabelSet;
  readonly value: number;
}

/** Labels by whose values the same names occur once in each environment. */
const worldLabels: readonly string[] = [
  ...clusterLabels, 'namespace', 'exported_namespace', 'env', 'environment', 'stage', 'region',
  'datacenter', 'dc', 'site', 'tenant',
];
/** Labels that differ between the targets of one thing, so that they name no environment. */
const machineLabels: ReadonlySet<string> = new Set([
  'instance', 'pod', 'pod_name', 'container', 'container_id', 'endpoint', 'node', 'nodename',
  'host', 'hostname', 'zone', 'rack', 'uid', 'ip', 'address', 'version', 'revision', 'shard',
]);
/** Labels that name what a target belongs to, where a job scrapes several. */
const nameLabels: readonly string[] = [
  'service', 'app', 'application', 'app_kubernetes_io_name', 'service_name', 'workload',
  'deployment', 'component', 'container',
];

/** The labels that distinguish environments: the usual ones, and any that splits jobs alike. */
export function worldLabelsIn(targets: readonly LabelSet[]): readonly string[] {
  const others = new Set(targets.flatMap((labels) => Object.keys(labels)));
  const fixed = new Set<string>(['job', ...worldLabels, ...nameLabels, ...machineLabels]);
  const splitting = [...others].filter((name) => !fixed.has(name) && splitsAlike(name, targets));
  return [...worldLabels.filter((name) => others.has(name)), ...splitting.sort()];
}

/** Two or more jobs occur once for each of the same values. */
function splitsAlike(name: string, targets: readonly LabelSet[]): boolean {
  const byJob = groupBy(targets.filter((labels) => labelOf(labels, name) !== null),
    (labels) => labelOf(labels, 'job') ?? '');
  const splits = [...byJob.values()]
    .map((each) => [...new Set(each.map((labels) => labels[name] ?? ''))].sort())
    .filter((values) => values.length > 1)
    .map((values) => JSON.stringify(values));
  return new Set(splits).size < splits.length;
}

/** What OpenTelemetry says of a service: its labels, and those of the instance. */
const toldServices = 'target_info';
/** The labels by which a collector tells apart the services that it passes on. */
const passedOn = ['exported_job', 'exported_instance'] as const;

/**
 * The things among the targets (`up`), with what their exporters and programs say of themselves
 * (`<word>_up`, `<program>_build_info`, `probe_success`), by job; and the services that push what
 * they measure to a collector (`target_info`), which have no target of their own.
 */
export function thingsOf(up: readonly Sample[], said: readonly Sample[]): Thing[] {
  const [told, gauges] = [true, false].map((isTold) =>
    said.filter(({ labels }) => (labels['__name__'] === toldServices) === isTold));
  const targets = up.map(({ labels: { __name__: _, ...labels }, value }) =>
    ({ labels, isUp: value === 1 }));
  const pushing = pushersIn(told ?? [], targets);
  const all = [...targets, ...pushing];
  const worlds = worldLabelsIn(targets.map(({ labels }) => labels));
  const gaugesOf = groupBy(gauges ?? [], ({ labels }) =>
    labelOf(labels, 'exported_job') ?? labelOf(labels, 'job') ?? '');
  // A label that names what a job's targets belong to does so in all environments.
  const apartIn = new Map([...groupBy(all, ({ labels }) => labelOf(labels, 'job') ?? '')]
    .map(([job, ofJob]) => [job, nameLabels.find((name) =>
      new Set(ofJob.map(({ labels }) => labelOf(labels, name))).size > 1)] as const));
  const groups = groupBy(all, ({ labels }) => {
    const apart = apartIn.get(labelOf(labels, 'job') ?? '');
    const names = ['job', 'exported_job', ...(apart === undefined ? [] : [apart]), ...worlds];
    return JSON.stringify(names.map((name) => labelOf(labels, name)));
  });
  return [...groups.values()].map((group) => thingOf(group, {
    apart: apartIn.get(labelOf(group[0].labels, 'job') ?? ''), worlds, saidOf: gaugesOf,
  }));
}

/** The instances that no target is of, by what `target_info` says of them. */
function pushersIn(told: readonly Sample[], targets: Thing['targets']): Thing['targets'] {
  const keyOf = (labels: LabelSet): string =>
    JSON.stringify(['job', 'instance'].map((name) => labelOf(labels, name)));
  const scraped = new Map(targets.map(({ labels }) => [keyOf(labels), labels]));
  return told.flatMap(({ labels }) => {
    const by = scraped.get(keyOf(labels));
    const isPassedOn = labelOf(labels, 'exported_job') !== null;
    if (by !== undefined && !isPassedOn) return [];
    const own = ['job', 'instance', ...passedOn].flatMap((name) => {
      const value = labelOf(labels, name);
      return value === null ? [] : [[name, value] as const];
    });
    return [{ labels: { ...by, ...Object.fromEntries(own) }, isUp: true }];
  });
}

/** `ranker` of `discovery/ranker`, as OpenTelemetry and operators write a namespace before it. */
export function serviceIn(job: string): string {
  return job.slice(job.lastIndexOf('/') + 1);
}

function thingOf(
  targets: Thing['targets'],
  { apart, worlds, saidOf: gaugesOf }: {
    readonly apart: string | undefined; readonly worlds: readonly string[];
    readonly saidOf: ReadonlyMap<string, readonly Sample[]>;
  },
): Thing {
  const [first] = targets;
  const labels = Object.fromEntries(Object.entries(first?.labels ?? {}).filter(([name, value]) =>
    targets.every((each) => labelOf(each.labels, name) === value)));
  const job = labelOf(labels, 'job') ?? '';
  const passed = labelOf(labels, 'exported_job');
  const name = passed === null
    ? (apart === undefined ? null : labelOf(labels, apart)) ?? serviceIn(job) : serviceIn(passed);
  const ofJob = (gaugesOf.get(passed ?? job) ?? [])
    .map(({ labels: { __name__: metric = '' }, value }) => ({ metric, value }));
  const metrics = ofJob.map(({ metric }) => metric);
  const reached = ofJob.filter(({ metric }) => metric.endsWith('_up'));
  const programs = [...new Set(metrics.map((metric) =>
    metric.replace(/_(?:build_info|up)$/u, '')))];
  return {
    key: JSON.stringify([name, ...['job', ...worlds].map((each) => labelOf(labels, each))]),
    name, labels, targets, programs,
    selects: ['job', 'exported_job', ...(apart === undefined ? [] : [apart]), ...worlds]
      .filter((each) => labelOf(labels, each) !== null),
    isReached: reached.length === 0 ? null : reached.every(({ value }) => value === 1),
    world: Object.fromEntries(worlds.flatMap((each) => {
      const value = labelOf(labels, each);
      return value === null ? [] : [[each, value]];
    })),
    role: roleOf(metrics, programs),
  };
}

function roleOf(metrics: readonly string[], programs: readonly string[]): Thing['role'] {
  if (metrics.includes('probe_success')) return 'prober';
  if (programs.some((program) => monitoring.includes(program))) return 'monitoring';
  const isExporter = metrics.some((metric) => metric.endsWith('_up')) ||
    programs.some((program) => program.endsWith('_exporter'));
  return isExporter ? 'exporter' : 'app';
}

/** Whether nothing tells that two things are of different environments. */
export function isSameWorld(one: Thing, other: Thing): boolean {
  return Object.entries(one.world).every(([name, value]) =>
    isNamespace(name) || (labelOf(other.world, name) ?? value) === value);
}

export function isNamespace(name: string): boolean {
  return name === 'namespace' || name === 'exported_namespace';
}
