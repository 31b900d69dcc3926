/**
 * Asks every server of every source one small question when the service has started. A wrong
 * address or credential is then in the log before a report lacks its evidence.
 */
import type { Clock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { createAlertmanager } from '../sources/alertmanager.ts';
import { askedSources, identities, type AskedSource } from '../sources/asked-source.ts';
import { createKubernetes, pods } from '../sources/kubernetes/kubernetes.ts';
import { createLoki, streamSelector } from '../sources/loki.ts';
import { createPrometheus } from '../sources/prometheus.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import { SourceClient, type RequestOutcome } from '../sources/source-client.ts';
import { SourceFailure, type FailureReason } from '../sources/source-failure.ts';
import type { Logger } from '../telemetry/log.ts';
import { countQuery, type QueryMetrics } from '../telemetry/service-metrics.ts';
import { sourceAccesses } from './connections.ts';
import type { Foundation } from './foundation.ts';

interface ProbingOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: QueryMetrics;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

/** A question with a short answer, which only this kind of server gives. Throws SourceFailure. */
type Probe = (client: SourceClient, now: number, signal: AbortSignal) => Promise<unknown>;

/** Nothing has this name, so answers are empty. */
const unusedName = 'alert-analyst-probe';

const probes: Readonly<Record<AskedSource, Probe>> = {
  prometheus: (client, now, signal) => createPrometheus(client, signal).query('1', now),
  kubernetes: (client, _now, signal) => createKubernetes(client, signal)
    .list(pods, { namespace: 'default', fields: [`metadata.name=${unusedName}`] }),
  loki: (client, now, signal) => createLoki(client, signal)
    .streams([streamSelector([{ name: 'job', op: '=', value: unusedName }])], {
      fromMs: now - 60_000, toMs: now,
    }),
  alertmanager: (client, _now, signal) => createAlertmanager(client, signal)
    .alerts([{ name: 'alertname', op: '=', value: unusedName }]),
};

const timeoutMsMax = 10_000;
/** Failures that say nothing about what kind of server it is. */
const sameForAll: ReadonlySet<FailureReason> = new Set([
  'timeout', 'connection', 'tls', 'unauthorized', 'rate_limited', 'server_error', 'cancelled',
]);

/** Resolves once every server has answered or failed and is logged. Rejects only with a bug. */
export async function probeSources(
  { settings, clock, log, metrics }: Pick<Foundation, 'settings' | 'clock' | 'log' | 'metrics'>,
  signal: AbortSignal,
): Promise<void> {
  const accesses = sourceAccesses(settings.sources);
  const options = { clock, metrics, signal, log: log.with({ component: 'sources' }) };
  await Promise.all(askedSources.flatMap((source) => serversOf(accesses[source])
    .map((server) => probeServer(source, server, options))));
}

/** How to reach each server on its own. */
function serversOf(access: SourceAccess | null): readonly SourceAccess[] {
  if (access === null) return [];
  const timeoutMs = Math.min(access.timeoutMs, timeoutMsMax);
  return access.urls.map((url) => ({ ...access, urls: [url], timeoutMs }));
}

async function probeServer(
  source: AskedSource, server: SourceAccess, options: ProbingOptions,
): Promise<void> {
  const { log, metrics, signal } = options;
  const [url] = server.urls;
  const onOutcome = (outcome: RequestOutcome): void => countQuery(metrics, { source, ...outcome });
  const failure = await failureOf(source, server, options, onOutcome);
  if (failure === null) return log.info('A source answers', { source, server: url });
  const other = sameForAll.has(failure.reason) ? null : await kindOf(source, server, options);
  if (signal.aborted) return;
  const { title, prefix } = identities[source];
  log.warn('A source is unavailable', {
    source, server: url, outcome: failure.reason, detail: failure.detail,
    hint: other === null ? failure.hint
      : `${other} answers there: set ${prefix}_URL to the address of ${title}.`,
  });
}

/** Null if the server answered as this source does. */
async function failureOf(
  source: AskedSource,
  server: SourceAccess,
  { clock, signal }: ProbingOptions,
  onOutcome: (outcome: RequestOutcome) => void = () => {},
): Promise<SourceFailure | null> {
  const client = new SourceClient(identities[source], server, {
    clock, random: systemRandom, onOutcome,
  });
  try {
    await probes[source](client, clock.now(), signal);
    return null;
  } catch (error) {
    if (error instanceof SourceFailure) return error;
    throw error;
  }
}

/** Which other kind of source answers there; null if none does. */
async function kindOf(
  source: AskedSource, server: SourceAccess, options: ProbingOptions,
): Promise<string | null> {
  for (const other of askedSources) {
    if (other === source) continue;
    if (await failureOf(other, server, options) === null) return identities[other].title;
  }
  return null;
}
