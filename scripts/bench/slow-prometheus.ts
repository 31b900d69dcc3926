/**
 * A process that answers like a slow Prometheus with one namespace of many series, so that an
 * investigation takes time and has something to read and rank. Sends its port to the parent, and
 * its counters in reply to any message.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export const slowPrometheusPath: string = fileURLToPath(import.meta.url);

export interface Asked {
  readonly requests: number;
  /** Requests for rules: every investigation sends one. */
  readonly investigations: number;
  /** Requests that are not answered yet. */
  readonly open: number;
  /** Of all answers. */
  readonly bytes: number;
}

const answerAfterMs = 40;
const seriesPerAnswer = 100;
const names = ['errors_total', 'queue_length', 'pool_used_connections', 'heap_used_bytes'];

let requests = 0;
let investigations = 0;
let open = 0;
let bytes = 0;
const answers = new Map<string, string>();

function answerTo(path: string, asked: URLSearchParams): string {
  const [query = '', start, end, step] = ['query', 'start', 'end', 'step'].map((name) =>
    asked.get(name) ?? '');
  if (path.endsWith('/rules')) return success({ groups: [] });
  if (query.includes('ALERTS')) return success({ resultType: 'matrix', result: [] });
  if (path.endsWith('/query')) return success({ resultType: 'vector', result: instant(query) });
  // Building a large answer takes long, so each is built once per window and reused.
  const count = Math.floor((Number(end) - Number(start)) / Number(step)) + 1;
  const key = `${count} ${start} ${step} ${query.includes('__name__')}`;
  const known = answers.get(key);
  if (known !== undefined) return known;
  const grid = { start: Number(start), step: Number(step), count };
  const result = query.includes('__name__')
    ? Array.from({ length: seriesPerAnswer }, (_, index) => series(index, grid))
    : [series(0, grid)];
  if (answers.size > 200) answers.clear();
  const answer = success({ resultType: 'matrix', result });
  answers.set(key, answer);
  return answer;
}

function success(data: unknown): string {
  return JSON.stringify({ status: 'success', data });
}

function instant(query: string): unknown[] {
  const now = Date.now() / 1000;
  if (!query.startsWith('count by (__name__)')) {
    return [{ metric: labelsOf(0), value: [now, '4.2'] }];
  }
  return names.map((name) => ({ metric: { __name__: name }, value: [now, '25'] }));
}

function series(
  index: number,
  { start, step, count }: { start: number; step: number; count: number },
): unknown {
  const values = Array.from({ length: count }, (_, at) => {
    const noise = Math.sin(index * 127.1 + at * 311.7) / 3;
    const isLate = at > count - 8 && index % 9 === 0;
    return [start + at * step, String((isLate ? 40 : 10) + index + noise)];
  });
  return { metric: labelsOf(index), values };
}

function labelsOf(index: number): Record<string, string> {
  const name = names[index % names.length] ?? '';
  return { __name__: name, namespace: 'shop', job: 'api', instance: `pod-${index >> 2}:80` };
}

function serve(): void {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://source');
    requests += 1;
    open += 1;
    if (pathname.endsWith('/rules')) investigations += 1;
    request.resume();
    setTimeout(() => {
      const body = answerTo(pathname, searchParams);
      bytes += body.length;
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      open -= 1;
    }, answerAfterMs);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => process.send?.({ requests, investigations, open, bytes }));
}

if (process.argv[1] === slowPrometheusPath) serve();
