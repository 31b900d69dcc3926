/** Parsers of Kubernetes objects. An object without a valid name is refused. */
import { comparedLabels, labelSet, noLabels, type LabelSet } from '../../alert/labels.ts';
import { parseTime } from '../../alert/timestamp.ts';
import {
  boolean, FormatError, fieldsOf, lenient, listOf, number, plainObject, text, type Parser,
} from '../../lib/parse.ts';
import { shortened } from '../../lib/shortened.ts';
import type {
  ClusterEvent, ClusterObject, Condition, Container, Ended, KubeNode, Pod, Revision, VolumeClaim,
  Workload,
} from './cluster-objects.ts';
import { isObjectName } from './object-name.ts';
import { templateParts } from './pod-template.ts';

const wordMax = 253;
const messageMax = 1000;
const containersMax = 50;
/** For all other lists within an object. */
const membersMax = 30;
const earlierMax = 20;

type Fields = ReturnType<typeof fieldsOf>;

export const pod: Parser<Pod> = (value) => {
  const item = fieldsOf(value, 'item');
  const spec = fieldsIn(item, 'spec');
  const status = fieldsIn(item, 'status');
  const limits = new Map([
    ...spec('initContainers', severalOf(memoryLimit, containersMax)),
    ...spec('containers', severalOf(memoryLimit, containersMax)),
  ]);
  const sidecars = new Set(spec('initContainers', severalOf(sidecarNames, containersMax)).flat());
  const statuses = (member: string, areInit: boolean): Container[] => {
    return status(member, severalOf(container, containersMax)).map((each) => ({
      ...each, isInit: areInit && !sidecars.has(each.name),
      memoryLimit: limits.get(each.name) ?? null,
    }));
  };
  return {
    ...readObject(item),
    node: spec('nodeName', lenient(name, null)),
    phase: status('phase', reason), reason: status('reason', reason),
    message: status('message', message),
    isBeingDeleted: fieldsIn(item, 'metadata')('deletionTimestamp', isThere),
    conditions: status('conditions', severalOf(condition)),
    containers: [
      ...statuses('initContainerStatuses', true), ...statuses('containerStatuses', false),
    ],
  };
};

const memoryLimit: Parser<readonly [container: string, limit: string | null]> = (value, path) => {
  const field = fieldsOf(value, path);
  const limits = fieldsIn(fieldsIn(field, 'resources'), 'limits');
  return [field('name', name), limits('memory', lenient(quantity, null))];
};

/** Its name, if it is a sidecar: an init container that is restarted like any other container. */
const sidecarNames: Parser<string[]> = (value, path) => {
  const field = fieldsOf(value, path);
  return field('restartPolicy', word) === 'Always' ? [field('name', name)] : [];
};

/** "64Mi", "1e9", "1.5G" */
const quantity: Parser<string> = (value, path) => {
  const read = text(value, path);
  if (!/^[\w.+-]{1,40}$/.test(read)) throw new FormatError(path, 'an amount', value);
  return read;
};

const container: Parser<Omit<Container, 'isInit' | 'memoryLimit'>> = (value, path) => {
  const field = fieldsOf(value, path);
  const state = fieldsIn(field, 'state');
  return {
    name: field('name', name), image: field('image', word),
    isReady: field('ready', lenient(boolean, false)), restarts: field('restartCount', amount) ?? 0,
    waiting: state('waiting', lenient(waiting, null)),
    runningSinceMs: fieldsIn(state, 'running')('startedAt', time),
    ended: state('terminated', lenient(ended, null)),
    lastEnded: fieldsIn(field, 'lastState')('terminated', lenient(ended, null)),
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

export const node: Parser<KubeNode> = (value) => {
  const item = fieldsOf(value, 'item');
  const status = fieldsIn(item, 'status');
  return {
    ...readObject(item),
    isCordoned: fieldsIn(item, 'spec')('unschedulable', lenient(boolean, false)),
    addresses: status('addresses', severalOf(address)),
    conditions: status('conditions', severalOf(condition)),
  };
};

const address: Parser<string> = (value, path) => fieldsOf(value, path)('address', word);

export const claim: Parser<VolumeClaim> = (value) => {
  const item = fieldsOf(value, 'item');
  return { ...readObject(item), phase: fieldsIn(item, 'status')('phase', reason) };
};

/** Each kind has its own member for how many pods it wants. */
export const workload: Parser<Workload> = (value) => {
  const item = fieldsOf(value, 'item');
  const spec = fieldsIn(item, 'spec');
  const status = fieldsIn(item, 'status');
  return {
    ...readObject(item),
    wanted: spec('replicas', amount) ?? spec('completions', amount) ??
      status('desiredNumberScheduled', amount),
    selector: spec('selector', lenient(selector, null)),
    conditions: status('conditions', severalOf(condition)),
  };
};

const selector: Parser<LabelSet | null> = (value, path) => {
  const field = fieldsOf(value, path);
  const isMore = field('matchExpressions', lenient(listOf(plainObject), [])).length > 0;
  const own = field('matchLabels', lenient(labelSet, noLabels));
  const texts = Object.entries(own).flat();
  const isPlain = texts.every((each) => /^[\w./-]{0,317}$/.test(each));
  return isMore || texts.length === 0 || !isPlain ? null : own;
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

export const replicaSet: Parser<Revision> = (value) => {
  const item = fieldsOf(value, 'item');
  const annotations = fieldsIn(fieldsIn(item, 'metadata'), 'annotations');
  return {
    ...readObject(item),
    number: annotations('deployment.kubernetes.io/revision', numbers)[0] ?? null,
    earlier: annotations('deployment.kubernetes.io/revision-history', numbers).slice(-earlierMax),
    parts: templateParts(item('spec', members)['template']),
  };
};

/** "1,3,5" */
const numbers: Parser<number[]> = lenient((value, path) => {
  return text(value, path).split(',').filter((each) => /^\d{1,9}$/.test(each)).map(Number);
}, []);

export const controllerRevision: Parser<Revision> = (value) => {
  const item = fieldsOf(value, 'item');
  const spec = fieldsIn(item, 'data')('spec', members);
  return {
    ...readObject(item), number: item('revision', amount), earlier: [],
    parts: templateParts(spec['template']),
  };
};

export const clusterEvent: Parser<ClusterEvent> = (value) => {
  const item = fieldsOf(value, 'item');
  const about = fieldsIn(item, 'involvedObject');
  const series = fieldsIn(item, 'series');
  // Events of the newer API have no first and last time.
  const at = item('eventTime', time) ?? fieldsIn(item, 'metadata')('creationTimestamp', time);
  return {
    about: { kind: about('kind', reason), name: about('name', word) },
    type: item('type', word), reason: item('reason', reason), message: item('message', message),
    count: Math.max(1, item('count', amount) ?? series('count', amount) ?? 1),
    firstMs: item('firstTimestamp', time) ?? at,
    lastMs: item('lastTimestamp', time) ?? series('lastObservedTime', time) ?? at,
  };
};

function readObject(item: Fields): ClusterObject {
  const metadata = fieldsIn(item, 'metadata');
  const [owner = null] = metadata('ownerReferences', severalOf(controllers)).flat();
  return {
    name: metadata('name', name), createdMs: metadata('creationTimestamp', time),
    labels: metadata('labels', labels), owner,
  };
}

/** The owner, if it is the controller; owners of other kinds are left out. */
const controllers: Parser<NonNullable<ClusterObject['owner']>[]> = (value, path) => {
  const field = fieldsOf(value, path);
  const isController = field('controller', lenient(boolean, false));
  return isController ? [{ kind: field('kind', word), name: field('name', name) }] : [];
};

/** The fields of a member that is an object; no fields if it is not one. */
function fieldsIn(field: Fields, member: string): Fields {
  return fieldsOf(field(member, members), member);
}

/** The first elements of a list, without those that the parser refuses. */
function severalOf<T>(item: Parser<T>, max: number = membersMax): Parser<T[]> {
  const kept = lenient<T[], T[]>((value, path) => [item(value, path)], []);
  return (value, path) =>
    Array.isArray(value) ? value.slice(0, max).flatMap((each) => kept(each, path)) : [];
}

/** Names end up in URLs and in commands, so an object with another name is refused. */
const name: Parser<string> = (value, path) => {
  const read = text(value, path);
  if (!isObjectName(read)) throw new FormatError(path, 'the name of an object', value);
  return read;
};
const message = clipped(messageMax);
const word = clipped(wordMax);
/** A machine-readable word, shown in sentences without quotes, so free text is not accepted. */
const reason: Parser<string> = lenient((value, path) => {
  const read = text(value, path);
  return read === '' || /^[A-Za-z][\w.,:-]{0,127}$/.test(read) ? read : 'Unknown';
}, '');
const whole: Parser<number | null> = lenient((value, path) => {
  const read = number(value, path);
  if (!Number.isSafeInteger(read)) throw new FormatError(path, 'a whole number', value);
  return read;
}, null);
const amount: Parser<number | null> = (value, path) => {
  const read = whole(value, path);
  return read === null || read < 0 ? null : read;
};
const time: Parser<number | null> = lenient((value, path) => parseTime(text(value, path)), null);
const labels: Parser<LabelSet> = lenient((value, path) => {
  return comparedLabels(labelSet(value, path));
}, noLabels);
const members: Parser<Readonly<Record<string, unknown>>> = lenient(plainObject, {});
const isThere: Parser<boolean> = (value) => value !== undefined && value !== null;

function clipped(lengthMax: number): Parser<string> {
  return lenient((value, path) => shortened(text(value, path), lengthMax), '');
}
