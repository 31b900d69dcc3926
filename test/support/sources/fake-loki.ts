/**
 * Answers over HTTP as Loki does, in the formats of its documentation and its own tests
 * (grafana/loki: docs/sources/reference/loki-http-api.md, pkg/util/marshal/marshal_test.go). It
 * understands only the LogQL that this service uses, and refuses anything else as Loki would.
 */
import type { Answer } from './fake-source.ts';

export interface LoggedStream {
  readonly labels: Readonly<Record<string, string>>;
  readonly lines: readonly (readonly [atMs: number, text: string])[];
}

interface Matcher {
  readonly name: string;
  readonly fits: (value: string) => boolean;
}

interface LogQuery {
  readonly matchers: readonly Matcher[];
  readonly sieve: RegExp | null;
}

export function fakeLoki(streams: readonly LoggedStream[]): Answer {
  return (response, _request, { path, parameters }) => {
    try {
      const data = dataOf(path, parameters, streams);
      const body = JSON.stringify({ status: 'success', data });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    } catch (error) {
      const text = `parse error : ${error instanceof Error ? error.message : ''}`;
      response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    }
  };
}

function dataOf(path: string, asked: URLSearchParams, streams: readonly LoggedStream[]): unknown {
  const time = (name: string): number => Number(BigInt(asked.get(name) ?? '') / 1_000_000n);
  const [from, to] = [time('start'), time('end')];
  const within = streams.map(({ labels, lines }) => ({
    labels, lines: lines.filter(([at]) => at >= from && at < to),
  })).filter(({ lines }) => lines.length > 0);
  if (path.endsWith('/loki/api/v1/series')) {
    const queries = asked.getAll('match[]').map(readQuery);
    return within.filter(({ labels }) => queries.some((query) => matches(query, labels)))
      .map(({ labels }) => labels);
  }
  if (!path.endsWith('/loki/api/v1/query_range')) throw new Error(`no such path ${path}`);
  const text = asked.get('query') ?? '';
  const [, counted, range = ''] =
    /^sum\(count_over_time\((.*?) ?\[(1m|\d+s)\]\)\)$/.exec(text) ?? [];
  const rangeMs = range === '1m' ? 60_000 : parseInt(range, 10) * 1000;
  if (counted === undefined) return { resultType: 'streams', result: linesOf(asked, within) };
  const query = readQuery(counted);
  const own = streams.filter(({ labels }) => matches(query, labels)).flatMap(({ lines }) => lines);
  const step = Number(asked.get('step')) * 1000;
  const values: [number, string][] = [];
  for (let at = from; at <= to; at += step) {
    const count = own.filter(([when]) => when > at - rangeMs && when <= at).length;
    if (count > 0) values.push([at / 1000, String(count)]);
  }
  return { resultType: 'matrix', result: values.length === 0 ? [] : [{ metric: {}, values }] };
}

function linesOf(asked: URLSearchParams, streams: readonly LoggedStream[]): unknown[] {
  const query = readQuery(asked.get('query') ?? '');
  const found = streams.filter(({ labels }) => matches(query, labels))
    .flatMap(({ labels, lines }) => lines.map(([at, text]) => ({ labels, at, text })))
    .filter(({ text }) => query.sieve === null || query.sieve.test(text))
    .sort((a, b) => b.at - a.at)
    .slice(0, Number(asked.get('limit')));
  return [...grouped(found)].map(([labels, lines]) => ({
    stream: labels, values: lines.map(({ at, text }) => [`${at}000000`, text]),
  }));
}

function grouped<T extends { readonly labels: LoggedStream['labels'] }>(
  lines: readonly T[],
): Map<LoggedStream['labels'], T[]> {
  const groups = new Map<LoggedStream['labels'], T[]>();
  for (const line of lines) groups.set(line.labels, [...(groups.get(line.labels) ?? []), line]);
  return groups;
}

const matcherForm = /([a-zA-Z_][a-zA-Z0-9_]*)(=~|=)("(?:[^"\\]|\\.)*"),?/y;

function readQuery(text: string): LogQuery {
  const matchers: Matcher[] = [];
  let at = text.startsWith('{') ? 1 : -1;
  while (at > 0 && text[at] !== '}') {
    matcherForm.lastIndex = at;
    const [all = '', name = '', op, quoted = '""'] = matcherForm.exec(text) ?? [];
    if (all === '') at = -1;
    else {
      const value = JSON.parse(quoted) as string;
      const form = new RegExp(`^(?:${value})$`);
      matchers.push({ name, fits: (own) => (op === '=' ? own === value : form.test(own)) });
      at += all.length;
    }
  }
  const rest = at < 0 ? null : /^(?: \|~ ("(?:[^"\\]|\\.)*"))?$/.exec(text.slice(at + 1));
  if (rest === null || matchers.length === 0) throw new Error(`unexpected in ${text}`);
  const sieve = rest[1] === undefined ? null : (JSON.parse(rest[1]) as string);
  return { matchers, sieve: sieve === null ? null : new RegExp(sieve.replace('(?i)', ''), 'i') };
}

function matches({ matchers }: LogQuery, labels: LoggedStream['labels']): boolean {
  return matchers.every(({ name, fits }) => fits(labels[name] ?? ''));
}
