/**
 * Objects of a Kubernetes cluster, in what of them tells of trouble (kubernetes/api: core/v1,
 * apps/v1 and batch/v1 types.go). Members that are missing or of another kind become null: an
 * object is never worth less for one of them.
 */
import {
  comparedLabels, labelSet, noLabels, shortened, type LabelSet,
} from '../../alert/labels.ts';
import { parseTime } from '../../alert/timestamp.ts';
import {
  boolean, FormatError, fieldsOf, lenient, listOf, number, plainObject, text, type Parser,
} from '../../lib/parse.ts';
import type { Bounded } from '../alertmanager.ts';
import { JsonReader, valueBytesMax } from '../json-reader.ts';
import { isObjectName } from './object-name.ts';
import { templateParts, type TemplatePart } from './pod-template.ts';

/** What every object has. Times are wall time in milliseconds. */
export interface ClusterObject {
  readonly name: string;
  readonly createdMs: number | null;
  readonly labels: LabelSet;
  /** What manages it. */
  readonly owner: { readonly kind: string; readonly name: string } | null;
}

export interface Condition {
  readonly type: string;
  /** `Unknown` where nobody has heard of the object for some time. */
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly sinceMs: number | null;
}

/** How a container ended. */
export interface Ended {
  readonly reason: string;
  readonly exitCode: number | null;
  readonly message: string;
  readonly atMs: number | null;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly isInit: boolean;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly waiting: { readonly reason: string; readonly message: string } | null;
  /** Set where it is not running any more. */
  readonly ended: Ended | null;
  /** How it ended the last time before it was started again. */
  readonly lastEnded: Ended | null;
  /** As it is written: "256Mi". */
  readonly memoryLimit: string | null;
}

export interface Pod extends ClusterObject {
  readonly node: string | null;
  readonly phase: string;
  /** `Evicted`, `NodeLost`; empty for most. */
  readonly reason: string;
  readonly message: string;
  readonly isBeingDeleted: boolean;
  readonly conditions: readonly Condition[];
  readonly containers: readonly Container[];
}

/** Of a deployment, stateful set, daemon set or job. */
export interface Workload extends ClusterObject {
  readonly wanted: number | null;
  readonly ready: number | null;
  readonly updated: number | null;
  /** The labels its pods have; null where that is told by more than labels. */
  readonly selector: LabelSet | null;
  readonly conditions: readonly Condition[];
}

/** What a workload ran from some time on: a replica set or a controller revision. */
export interface Revision extends ClusterObject {
  readonly number: number | null;
  /** Those it was before it was rolled back to. */
  readonly earlier: readonly number[];
  readonly parts: readonly TemplatePart[];
}

export interface ClusterEvent {
  readonly about: { readonly kind: string; readonly name: string };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

export interface Node extends ClusterObject {
  /** Nothing new is started there. */
  readonly isCordoned: boolean;
  /** Its addresses and host names. */
  readonly addresses: readonly string[];
  readonly conditions: readonly Condition[];
}

export interface Claim extends ClusterObject {
  readonly phase: string;
}

const nameMax = 253;
const messageMax = 1000;
const conditionsMax = 30;
const containersMax = 50;
const addressesMax = 30;
const ownersMax = 30;

/** What has another name is none of its objects: names stand in addresses and in commands. */
const name: Parser<string> = (value, path) => {
  const told = text(value, path);
  if (!isObjectName(told)) throw new FormatError(path, 'the name of an object', value);
  return told;
};
const message = lenient(clipped(messageMax), '');
const word = lenient(clipped(nameMax), '');
/** One word for machines, which stands in sentences without quotes; no sentence of anybody's. */
const reason: Parser<string> = lenient((value, path) => {
  const told = text(value, path);
  return told === '' || /^[A-Za-z][\w.,:-]{0,127}$/.test(told) ? told : 'Unknown';
}, '');
const whole: Parser<number | null> = lenient((value, path) => {
  const told = number(value, path);
  if (!Number.isSafeInteger(told)) throw new FormatError(path, 'a whole number', value);
  return told;
}, null);
const amount: Parser<number | null> = (value, path) => {
  const told = whole(value, path);
  return told === null || told < 0 ? null : told;
};
const time: Parser<number | null> = lenient((value, path) => parseTime(text(value, path)), null);
const labels: Parser<LabelSet> = lenient((value, path) => {
  return comparedLabels(labelSet(value, path));
}, noLabels);
const members: Parser<Readonly<Record<string, unknown>>> = lenient(plainObject, {});

/** The answer to a list: `{items: […], metadata: {continue?}}`. */
export function readList<T>(body: Buffer, item: Parser<T>, itemsMax: number): Bounded<T> {
  const items: T[] = [];
  let seen = 0;
  let omitted = 0;
  let isList = false;
  const reader = new JsonReader(body);
  const readItem = (): void => {
    const span = seen < itemsMax ? reader.span() : null;
    seen += 1;
    const isShort = span !== null && span.length <= valueBytesMax;
    const read = isShort ? lenient(item, null)(JSON.parse(span.toString()), 'items') : null;
    if (read === null) omitted += 1;
    else items.push(read);
  };
  reader.object((member) => {
    if (member === 'items') {
      isList = true;
      reader.arrayOrNull(readItem);
    } else if (member === 'metadata') {
      const { continue: next, remainingItemCount: left } = members(reader.value(), 'metadata');
      if (typeof next === 'string' && next !== '') omitted += typeof left === 'number' ? left : 1;
    }
  });
  reader.end();
  if (!isList) throw new FormatError('items', 'an array', undefined);
  return { items, omitted };
}

function readObject(value: unknown): ClusterObject {
  const metadata = fieldsOf(fieldsOf(value, 'item')('metadata', plainObject), 'metadata');
  const [owner = null] = metadata('ownerReferences', severalOf(controller, ownersMax)).flat();
  return {
    name: metadata('name', name),
    createdMs: metadata('creationTimestamp', time),
    labels: metadata('labels', labels),
    owner,
  };
}

/** Of the owners the one that manages it. */
const controller: Parser<NonNullable<ClusterObject['owner']>[]> = (value, path) => {
  const field = fieldsOf(value, path);
  const isController = field('controller', lenient(boolean, false));
  return isController ? [{ kind: field('kind', word), name: field('name', name) }] : [];
};

export const pod: Parser<Pod> = (value) => {
  const item = fieldsOf(value, 'item');
  const metadata = item('metadata', plainObject);
  const spec = fieldsOf(item('spec', members), 'spec');
  const status = fieldsOf(item('status', members), 'status');
  const limits = new Map([
    ...spec('initContainers', severalOf(memoryLimit, containersMax)),
    ...spec('containers', severalOf(memoryLimit, containersMax)),
  ]);
  const statuses = (member: string, isInit: boolean): Container[] => {
    return status(member, severalOf(container, containersMax))
      .map((each) => ({ ...each, isInit, memoryLimit: limits.get(each.name) ?? null }));
  };
  return {
    ...readObject(value),
    node: spec('nodeName', lenient(name, null)),
    phase: status('phase', reason), reason: status('reason', reason),
    message: status('message', message),
    isBeingDeleted: (metadata['deletionTimestamp'] ?? null) !== null,
    conditions: status('conditions', severalOf(condition, conditionsMax)),
    containers: [
      ...statuses('initContainerStatuses', true), ...statuses('containerStatuses', false),
    ],
  };
};

const memoryLimit: Parser<readonly [string, string | null]> = (value, path) => {
  const field = fieldsOf(value, path);
  const limits = fieldsOf(field('resources', members), path)('limits', members);
  return [field('name', name), fieldsOf(limits, path)('memory', lenient(amountText, null))];
};

/** "64Mi", "1e9", "1.5G" */
const amountText: Parser<string> = (value, path) => {
  const told = text(value, path);
  if (!/^[\w.+-]{1,40}$/.test(told)) throw new FormatError(path, 'an amount', value);
  return told;
};

const container: Parser<Omit<Container, 'isInit' | 'memoryLimit'>> = (value, path) => {
  const field = fieldsOf(value, path);
  const state = fieldsOf(field('state', members), 'state');
  return {
    name: field('name', name), image: field('image', word),
    isReady: field('ready', lenient(boolean, false)), restarts: field('restartCount', amount) ?? 0,
    waiting: state('waiting', lenient(waiting, null)),
    ended: state('terminated', lenient(ended, null)),
    lastEnded: fieldsOf(field('lastState', members), 'state')('terminated', lenient(ended, null)),
  };
};

const waiting: Parser<NonNullable<Container['waiting']>> = (value, path) => {
  const field = fieldsOf(value, path);
  return { reason: field('reason', reason), message: field('message', message) };
};

const ended: Parser<Ended> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    reason: field('reason', reason), exitCode: field('exitCode', whole),
    message: field('message', message), atMs: field('finishedAt', time),
  };
};

const condition: Parser<Condition> = (value, path) => {
  const field = fieldsOf(value, path);
  const status = field('status', word);
  return {
    type: field('type', reason),
    status: status === 'True' || status === 'False' ? status : 'Unknown',
    reason: field('reason', reason), message: field('message', message),
    sinceMs: field('lastTransitionTime', time),
  };
};

/** Each kind tells its replicas in words of its own. */
export const workload: Parser<Workload> = (value) => {
  const item = fieldsOf(value, 'item');
  const spec = fieldsOf(item('spec', members), 'spec');
  const status = fieldsOf(item('status', members), 'status');
  const firstOf = (field: typeof spec, ...names: string[]): number | null => {
    return names.map((each) => field(each, amount)).find((told) => told !== null) ?? null;
  };
  const wanted = firstOf(spec, 'replicas', 'completions') ??
    firstOf(status, 'desiredNumberScheduled');
  return {
    ...readObject(value), wanted,
    // What is nought is left out.
    ready: firstOf(status, 'readyReplicas', 'numberReady', 'succeeded') ?? 0,
    updated: firstOf(status, 'updatedReplicas', 'updatedNumberScheduled'),
    selector: spec('selector', lenient(selector, null)),
    conditions: status('conditions', severalOf(condition, conditionsMax)),
  };
};

const selector: Parser<LabelSet | null> = (value, path) => {
  const field = fieldsOf(value, path);
  const isMore = field('matchExpressions', lenient(listOf(plainObject), [])).length > 0;
  const own = field('matchLabels', lenient(labelSet, noLabels));
  const labels = Object.entries(own);
  const isPlain = labels.every((label) => label.every((each) => /^[\w./-]{0,317}$/.test(each)));
  return isMore || labels.length === 0 || !isPlain ? null : own;
};

const revisionOf = 'deployment.kubernetes.io/revision';
const historyOf = 'deployment.kubernetes.io/revision-history';
const earlierMax = 20;

export const replicaSet: Parser<Revision> = (value) => {
  const item = fieldsOf(value, 'item');
  const annotations = fieldsOf(item('metadata', plainObject), 'metadata')('annotations', members);
  const numbersOf = (annotation: string): number[] => {
    const told = annotations[annotation];
    return typeof told !== 'string' ? []
      : told.split(',').filter((each) => /^\d{1,9}$/.test(each)).map(Number);
  };
  return {
    ...readObject(value),
    number: numbersOf(revisionOf)[0] ?? null,
    earlier: numbersOf(historyOf).slice(-earlierMax),
    parts: templateParts(item('spec', members)['template']),
  };
};

export const controllerRevision: Parser<Revision> = (value) => {
  const item = fieldsOf(value, 'item');
  const spec = fieldsOf(item('data', members), 'data')('spec', members);
  return {
    ...readObject(value), number: item('revision', amount), earlier: [],
    parts: templateParts(spec['template']),
  };
};

export const clusterEvent: Parser<ClusterEvent> = (value) => {
  const item = fieldsOf(value, 'item');
  const about = fieldsOf(item('involvedObject', members), 'involvedObject');
  const series = fieldsOf(item('series', members), 'series');
  const createdMs = fieldsOf(item('metadata', members), 'metadata')('creationTimestamp', time);
  // Those of the newer events API have no first and last time.
  const at = item('eventTime', time) ?? createdMs;
  return {
    about: { kind: about('kind', reason), name: about('name', word) },
    type: item('type', word), reason: item('reason', reason), message: item('message', message),
    count: Math.max(1, item('count', amount) ?? series('count', amount) ?? 1),
    firstMs: item('firstTimestamp', time) ?? at,
    lastMs: item('lastTimestamp', time) ?? series('lastObservedTime', time) ?? at,
  };
};

const address: Parser<string> = (value, path) => fieldsOf(value, path)('address', word);

export const node: Parser<Node> = (value) => {
  const item = fieldsOf(value, 'item');
  const status = fieldsOf(item('status', members), 'status');
  return {
    ...readObject(value),
    isCordoned: item('spec', members)['unschedulable'] === true,
    addresses: status('addresses', severalOf(address, addressesMax)),
    conditions: status('conditions', severalOf(condition, conditionsMax)),
  };
};

export const claim: Parser<Claim> = (value) => {
  const status = fieldsOf(fieldsOf(value, 'item')('status', members), 'status');
  return { ...readObject(value), phase: status('phase', reason) };
};

/** The first of a list, without those that the parser refuses: each costs itself alone. */
function severalOf<T>(item: Parser<T>, max: number): Parser<T[]> {
  const kept = lenient<T[], T[]>((value, path) => [item(value, path)], []);
  return (value, path) => {
    return Array.isArray(value) ? value.slice(0, max).flatMap((each) => kept(each, path)) : [];
  };
}

function clipped(lengthMax: number): Parser<string> {
  return (value, path) => shortened(text(value, path), lengthMax);
}
