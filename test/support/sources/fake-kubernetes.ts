/**
 * Answers lists and logs as the Kubernetes API does, from a snapshot of a real cluster: one node of
 * Kubernetes 1.20.2 with two dozen incidents at {@linkcode clusterAt}. `managedFields`, which
 * double the size of objects, are left out. Other requests are refused, so that no test passes with
 * an answer that the API would not give.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from './fake-source.ts';

/** When the snapshot was taken, in wall time. */
export const clusterAt: number = Date.parse('2026-11-22T10:04:56Z');

type Members = Readonly<Record<string, unknown>>;

export interface Cluster {
  /** By the path of their list, without the namespace. */
  readonly objects: Readonly<Record<string, readonly Members[]>>;
  /** By `pod/container/previous`, where `previous` is `true` or `false`. */
  readonly logs: Readonly<Record<string, string>>;
}

const file = join(process.cwd(), 'test/fixtures/cluster/objects-and-logs.json');

export function realCluster(): Cluster {
  return JSON.parse(readFileSync(file, 'utf8')) as Cluster;
}

export function fakeKubernetes(cluster: Cluster): Answer {
  return (response, { method }, { path, parameters }) => {
    const refused = { status: 400, body: failure(400, `not allowed: ${method ?? ''}`) };
    const { status, body } = method === 'GET' ? answerOf(cluster, path, parameters) : refused;
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** The cluster's answer; the body is a string if it is a log, otherwise JSON. */
export function answerOf(
  { objects, logs }: Cluster,
  path: string,
  parameters: URLSearchParams,
): { readonly status: number; readonly body: unknown } {
  const [, before = '', namespace = null, rest = ''] =
    /^(\/api\/v1|\/apis\/[a-z]+\/v1)(?:\/namespaces\/([a-z0-9.-]+))?(\/.+)$/.exec(path) ?? [];
  const log = /^\/pods\/([^/]+)\/log$/.exec(rest);
  if (log !== null) {
    const key = `${log[1] ?? ''}/${parameters.get('container') ?? ''}`;
    const text = logs[`${key}/${parameters.get('previous') ?? 'false'}`];
    const missing = `previous terminated container not found: ${key}`;
    return text === undefined ? { status: 400, body: failure(400, missing) }
      : { status: 200, body: text };
  }
  const list = objects[before + rest];
  const unknown = 'the server could not find the requested resource';
  if (list === undefined) return { status: 404, body: failure(404, unknown) };
  const items = list.filter((item) => {
    return (namespace === null || read(item, 'metadata.namespace') === namespace) &&
      hasLabels(item, parameters.get('labelSelector')) &&
      hasFields(item, parameters.get('fieldSelector'));
  });
  const limit = Number(parameters.get('limit') ?? items.length);
  const metadata = items.length > limit ? { resourceVersion: '1', continue: 'next' }
    : { resourceVersion: '1' };
  const body = { kind: 'List', apiVersion: 'v1', metadata, items: items.slice(0, limit) };
  return { status: 200, body };
}

function failure(code: number, message: string): object {
  const reason = code === 404 ? 'NotFound' : 'BadRequest';
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code };
}

function hasLabels(item: Members, selector: string | null): boolean {
  const labels = read(item, 'metadata.labels') as Members | undefined;
  return partsOf(selector).every((part) => {
    const [name = '', value] = part.split('=');
    return labels?.[name] === value;
  });
}

function hasFields(item: Members, selector: string | null): boolean {
  return partsOf(selector).every((part) => {
    const [, field = '', not, value] = /^([A-Za-z.]+)(!?)=(.*)$/.exec(part) ?? [];
    return (read(item, field) === value) !== (not === '!');
  });
}

function partsOf(selector: string | null): string[] {
  return selector === null ? [] : selector.split(',');
}

function read(item: Members, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    return typeof value === 'object' && value !== null ? (value as Members)[name] : undefined;
  }, item);
}
