import { labelOf } from '../../../alert/labels.ts';
import { compareText } from '../../../lib/compare-text.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { RangeSeries } from '../../../sources/prometheus-answers.ts';
import { valueChanges } from '../../../statistics/value-changes.ts';
import type { NameCount } from '../search/search-scope.ts';
import {
  eventOf, objectIn, timeGivenBy, togetherMs, type EventContext, type FoundEvent,
} from './found-event.ts';
import { joinReleases } from './join-releases.ts';
import { restartEvents, showsRestarts } from './restart-events.ts';
import { versionEvents, versionNames } from './version-events.ts';

const settingNames = new RegExp(
  '^kube_(deployment|statefulset|daemonset|replicaset)_(status_observed_generation|' +
  'metadata_generation|spec_replicas)$|^kube_configmap_metadata_resource_version$|' +
  '_config_last_reload_success_timestamp_seconds$|_config_hash$',
);
const seriesMax = 600;
/** What changes more often is no setting, but kept up to date by a program. */
const settingChangesMax = 20;

/** Whether a metric is read for events, so that its changes are told as these. */
export function showsEvents(name: string): boolean {
  return showsRestarts(name) || settingNames.test(name) || versionNames.test(name);
}

/** The metrics of a scope that show events, except those with too many series. */
export function eventNames(counts: readonly NameCount[]): NameCount[] {
  return counts
    .filter(({ name, count }) => count <= seriesMax && showsEvents(name))
    .sort((a, b) => compareText(a.name, b.name));
}

const eventsMax = 8;
/** What happened farther from the problem makes room for what is nearer, whatever it is. */
const nearMs = 30 * 60_000;

/** Events of the window as single series show them, before any are joined. */
export function sightingsIn(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  return [
    ...restartEvents(series, context), ...versionEvents(series, context),
    ...settingEvents(series, context),
  ];
}

/** At most 8 events of the window, those nearest to the start of the problem, by time. */
export function findEvents(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  const all = merged(joinReleases(sightingsIn(series, context)));
  const distance = ({ atMs }: FoundEvent): number => Math.abs(atMs - context.onMs);
  const weight = { version: 0, config: 1, restart: 1, event: 1 } as const;
  const far = (event: FoundEvent): number => Number(distance(event) > nearMs);
  return all
    .sort((a, b) => far(a) - far(b) || weight[a.kind] - weight[b.kind] ||
      distance(a) - distance(b) || compareText(a.text, b.text))
    .slice(0, eventsMax)
    .sort((a, b) => a.atMs - b.atMs || compareText(a.text, b.text));
}

/** Without generations that are new only because an object was scaled, which is listed as well. */
function settingEvents(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  const events = series.flatMap((each) => changesOfSetting(each, context));
  const nameOf = ({ labels }: FoundEvent): string => labels['__name__'] ?? '';
  const keyOf = ({ labels }: FoundEvent): string =>
    `${labelOf(labels, 'namespace') ?? ''}\u0000${objectIn(labels) ?? ''}`;
  const scaled = groupBy(events.filter((each) => nameOf(each).endsWith('_spec_replicas')), keyOf);
  return events.filter((event) => {
    const isNext = nameOf(event).endsWith('_generation') &&
      Number(event.after) - Number(event.before) === 1;
    const own = isNext ? (scaled.get(keyOf(event)) ?? []) : [];
    return own.every(({ atMs }) => Math.abs(event.atMs - atMs) > context.grid.stepMs);
  });
}

function changesOfSetting(
  { labels, values }: RangeSeries,
  context: EventContext,
): FoundEvent[] {
  const name = labels['__name__'] ?? '';
  const changes = settingNames.test(name) ? valueChanges(values) : [];
  if (changes.length > settingChangesMax) return [];
  const isTime = /_seconds$|_hash$|_version$/.test(name);
  const component = context.componentOf(labels);
  const object = objectIn(labels) ?? component?.value ?? name;
  return changes.map((change) => {
    const { from, to } = change;
    const event = eventOf('config', labels, {
      component, ...timeGivenBy(labels, change, context),
    });
    if (isTime) {
      const subject = reloadedBy(name, object);
      const text = `The configuration of ${subject} was reloaded`;
      return { ...event, subject, verb: 'reloaded', text };
    }
    const did = settingChange(name, object, from, to);
    return { ...event, ...did, subject: object, before: String(from), after: String(to) };
  });
}

/** With the program that the metric names, unless the object is called like it. */
function reloadedBy(metric: string, object: string): string {
  const program = metric.replace(/_config_.*$/u, '').replaceAll('_', '-');
  return object.includes(program) ? object : `${program} on ${object}`;
}

function settingChange(
  name: string,
  object: string,
  from: number,
  to: number,
): Pick<FoundEvent, 'verb' | 'text'> {
  const change = `from ${from} to ${to}`;
  if (name.endsWith('_spec_replicas')) {
    return { verb: 'scaled', text: `${object} was scaled ${change} replicas` };
  }
  if (name.endsWith('_generation')) {
    return { verb: 'changed', text: `${object} was changed (generation ${from} to ${to})` };
  }
  return { verb: 'setting_changed', text: `The configuration of ${object} changed ${change}` };
}

interface Group {
  readonly first: FoundEvent;
  readonly objects: Set<string>;
  lastMs: number;
}

/**
 * Merges the same event of many replicas or several metrics into one, at its first time. A version
 * that came back in between makes the next change to it another one.
 */
function merged(events: readonly FoundEvent[]): FoundEvent[] {
  const groups: Group[] = [];
  const latest = new Map<string, Group>();
  const versions = new Map<string, string>();
  const ordered = events.toSorted((a, b) =>
    a.atMs - b.atMs || compareText(a.text, b.text) || compareText(a.query, b.query));
  for (const event of ordered) {
    const { targets = [event.labels['pod'] ?? event.labels['instance'] ?? ''] } = event;
    const whose = event.component?.value ?? targets[0] ?? '';
    const isBack = event.kind === 'version' && versions.get(whose) !== event.text;
    if (event.kind === 'version') versions.set(whose, event.text);
    const group = isBack ? undefined : latest.get(event.text);
    if (group !== undefined && event.atMs - group.lastMs <= togetherMs) {
      group.lastMs = event.atMs;
      for (const each of targets) group.objects.add(each);
    } else {
      const next = { first: event, objects: new Set(targets), lastMs: event.atMs };
      groups.push(next);
      latest.set(event.text, next);
    }
  }
  return groups.map(({ first, objects }) => {
    const count = Math.max(first.count, objects.size);
    const isMany = (first.kind === 'restart' || first.kind === 'event') && count > 1;
    const { owners = 0 } = first;
    const [object = ''] = objects;
    const some = objects.size >= owners || object === '' ? ''
      : objects.size === 1 ? ` on ${object} alone`
        : ` on ${objects.size} of ${owners} instances`;
    return {
      ...first, count, ...(first.release !== undefined && {
        release: { ...first.release, on: objects.size, of: Math.max(owners, objects.size) },
      }),
      text: isMany ? `${first.text} (${count} instances)` : `${first.text}${some}`,
    };
  });
}
