/** Probes a crowded service with requests over new connections, as a newcomer would make them. */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../../../scripts/bench/figures.ts';

export interface ProbeResult {
  readonly count: number;
  /** Answers other than 200, and connections that broke. */
  readonly failures: readonly string[];
  /** Times are of the answers with 200; NaN without any. */
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly maxMs: number;
}

export interface Probed {
  readonly url: string;
  /** Called for each request; without it the request is a GET. */
  readonly body?: () => string;
  readonly headers?: Readonly<Record<string, string>>;
}

const withinMs = 30_000;

/** Sends one request after another, with a pause of `everyMs`, until `signal` is aborted. */
export async function probeUntil(
  signal: AbortSignal,
  everyMs: number,
  { url, body, headers = {} }: Probed,
): Promise<ProbeResult> {
  const latencies: number[] = [];
  const failures: string[] = [];
  while (!signal.aborted) {
    const startedAt = performance.now();
    const outcome = await askOnce(url, body?.() ?? null, headers).catch(
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );
    if (outcome === '200') latencies.push(performance.now() - startedAt);
    else failures.push(outcome);
    await delay(everyMs);
  }
  const at = (share: number): number => quantile(latencies, share);
  return { count: latencies.length, failures, p50Ms: at(0.5), p90Ms: at(0.9), maxMs: at(1) };
}

function askOnce(
  url: string,
  body: string | null,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === null ? 'GET' : 'POST';
    const asking = request(url, {
      method, headers, agent: false, signal: AbortSignal.timeout(withinMs),
    }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(String(answer.statusCode)));
      answer.once('error', reject);
    });
    asking.once('error', reject);
    asking.end(body ?? undefined);
  });
}
