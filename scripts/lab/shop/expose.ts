/** Writes what an instance did in one step into its metrics, in the style of its service. */
import type { Noise } from './noise.ts';
import type { Instance, Service } from './service.ts';

/** One route of one instance in one step. */
export interface Served {
  readonly route: string;
  /** Requests in this step, and those of them that failed. */
  readonly count: number;
  readonly failed: number;
  readonly code: string;
  readonly seconds: number;
}

export interface Called {
  readonly to: string;
  readonly count: number;
  readonly failed: number;
  readonly seconds: number;
}

export interface Pool {
  readonly used: number;
  readonly size: number;
  readonly waiting: number;
  readonly timedOut: number;
  readonly queries: number;
  readonly secondsPerQuery: number;
}

export function exposeRoute(
  { metrics }: Instance,
  style: 'java' | undefined,
  { route, count, failed, code, seconds }: Served,
): void {
  const [method = '', path = ''] = route.split(' ');
  for (const [status, requests] of [['200', count - failed], [code, failed]] as const) {
    if (style === 'java') {
      const outcome = status === '200' ? 'SUCCESS' : 'SERVER_ERROR';
      const labels = { method, uri: path, status, outcome };
      metrics.observe('http_server_requests_seconds', labels, requests, seconds);
    } else {
      metrics.add('http_requests_total', { method, route: path, code: status }, requests);
    }
  }
  if (style === 'java') return;
  metrics.observe('http_request_duration_seconds', { method, route: path }, count, seconds);
}

export function exposeCalls(
  { metrics }: Instance,
  style: 'java' | undefined,
  { to, count, failed, seconds }: Called,
): void {
  const name = style === 'java' ? 'http_client_requests_seconds' : 'http_client_duration_seconds';
  const peer = style === 'java' ? 'client_name' : 'peer';
  const status = style === 'java' ? 'status' : 'code';
  for (const [code, calls] of [['200', count - failed], ['503', failed]] as const) {
    metrics.summarize(name, { [peer]: to, [status]: code }, calls, seconds);
  }
}

export function exposePool(
  { metrics }: Instance,
  style: 'java' | undefined,
  { used, size, waiting, timedOut, queries, secondsPerQuery }: Pool,
): void {
  if (style === 'java') {
    const pool = { pool: 'main' };
    metrics.set('hikaricp_connections_active', pool, used);
    metrics.set('hikaricp_connections_max', pool, size);
    metrics.set('hikaricp_connections_pending', pool, waiting);
    metrics.add('hikaricp_connections_timeout_total', pool, timedOut);
    metrics.summarize('hikaricp_connections_usage_seconds', pool, queries, secondsPerQuery);
    return;
  }
  metrics.set('db_pool_connections_in_use', {}, used);
  metrics.set('db_pool_connections_max', {}, size);
  metrics.set('db_pool_waiting_requests', {}, waiting);
  metrics.add('db_pool_timeouts_total', {}, timedOut);
  metrics.summarize('db_query_duration_seconds', {}, queries, secondsPerQuery);
}

/** `busy` is the share of one core that it used in the step. */
export function exposeProcess(
  service: Service,
  instance: Instance,
  { busy, dt, noise }: { readonly busy: number; readonly dt: number; readonly noise: Noise },
): void {
  const { metrics, version, startedAt, leakedBytes, name } = instance;
  const { memoryBytes, style } = service.plan;
  const memory = memoryBytes * noise.level(`${name} memory`, 0.03) + leakedBytes;
  metrics.set('process_start_time_seconds', {}, startedAt);
  metrics.set('process_resident_memory_bytes', {}, memory);
  metrics.add('process_cpu_seconds_total', {}, busy * dt);
  metrics.set('process_open_fds', {}, Math.round(30 + 20 * noise.level(`${name} fds`, 0.1)));
  metrics.set(style === 'java' ? 'application_info' : 'app_build_info', { version }, 1);
  if (style !== 'java') return;
  const heap = { area: 'heap', id: 'G1 Old Gen' };
  metrics.set('jvm_memory_used_bytes', heap, memory * 0.6);
  metrics.set('jvm_memory_max_bytes', heap, 1e9);
  const threads = 40 * noise.level(`${name} threads`, 0.05);
  metrics.set('jvm_threads_live_threads', {}, Math.round(threads));
}
