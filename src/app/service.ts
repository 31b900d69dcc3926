/**
 * The composition root: builds every part in dependency order and connects them. One long function
 * on purpose: each step uses what earlier steps made, and registers its own undoing right after.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { HeldSocket } from '../config/held-socket.ts';
import { isLoopback, listeningUrl, reportBaseUrl } from '../config/http-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { Readiness } from '../http/checks/admission.ts';
import { Listeners, listenersFor, type ListenersOptions } from '../http/routes/listeners.ts';
import type { Answered } from '../http/server/answer.ts';
import type { RefusalPages } from '../http/server/refusal-reply.ts';
import { createRequestIds } from '../http/server/request-ids.ts';
import { connectionsFor, HttpServer, type TlsPair } from '../http/server/server.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { lockDirectory } from '../lib/directory-lock.ts';
import { nodeFileSystem } from '../lib/file-system.ts';
import { Shutdown } from '../lib/shutdown.ts';
import { pageSecurityPolicy } from '../report/pages/page.ts';
import { renderRefusalPage } from '../report/pages/render-notice-page.ts';
import type { Logger } from '../telemetry/log.ts';
import { Registry } from '../telemetry/metrics.ts';
import type { MeasuredModel } from '../telemetry/model-metrics.ts';
import { openFilesMax, startProcessMetrics } from '../telemetry/process-metrics.ts';
import { createServiceMetrics, type ServiceMetrics } from '../telemetry/service-metrics.ts';
import { startCore, type Core } from './core.ts';
import type { Foundation } from './foundation.ts';
import type { MaintenancePace } from './maintenance.ts';
import { readPageScripts, type PageScripts } from './page-script.ts';
import { createRoutes } from './routes.ts';

export interface Service {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Reads secrets and certificate again; what cannot be read keeps its old value. Resolves to
   * whether all secrets could be read, and rejects when the certificate could not.
   */
  reload(): Promise<boolean>;
  /** Answers requests under way, requeues running analyses, and closes everything. */
  stop(): Promise<void>;
}

interface ServiceOptions {
  readonly version: string;
  /**
   * Null, the default, listens on the host and port of the settings. A held socket outlives the
   * process: connections made while nobody listens wait in the kernel, so the service listens on it
   * only when it is ready.
   */
  readonly socket?: HeldSocket | null;
  /** How often the data directory is maintained; shorter in tests. */
  readonly pace?: MaintenancePace;
  /** How long a stop goes on accepting connections; shorter in tests. */
  readonly graceMs?: number;
}

/** How long a stop answers with `Connection: close` before it closes the port. */
const graceMsDefault = 300;
/** How long requests under way may take once the port is closed. */
const drainTimeoutMs = 5_000;

/**
 * Starts the service and resolves when it takes alerts. Until then it already listens, unless its
 * socket is held, and answers 503. Rejects, with everything undone, when it cannot start.
 */
export async function startService(
  settings: Settings,
  log: Logger,
  { version, socket = null, pace, graceMs }: ServiceOptions,
): Promise<Service> {
  const clock = systemClock;
  const shutdown = new Shutdown();
  const nodeVersion = process.versions.node;
  let readiness: Readiness = 'starting';
  try {
    const registry = new Registry();
    const model = await measuredModel(settings);
    const metrics = createServiceMetrics(registry, { ...settings, version, nodeVersion, model });
    shutdown.onStop('process metrics', startProcessMetrics(registry));

    const lock = await lockDirectory(settings.dataDirectory, nodeFileSystem);
    shutdown.onStop('data directory lock', () => lock.release());
    let core: Core | null = null;
    const foundation: Foundation = { settings, clock, log, metrics, shutdown, version };
    followSecrets(foundation, () => core?.renewSources());

    const stateOf: ListenersOptions['stateOf'] = (subject) => core?.reader.live(subject) ?? null;
    const connectionsMax = connectionsFor(openFilesMax());
    const limits = { total: listenersFor(connectionsMax) };
    const listeners = new Listeners({ clock, stateOf, limits });
    let reportBase = '';
    const scripts = readPageScripts(new URL('../browser/', import.meta.url));
    const server = new HttpServer({
      refusalPages: refusalPages(scripts, settings, () => reportBase),
      routes: createRoutes(foundation, {
        listeners,
        readiness: () => readiness, core: () => core,
        renderMetrics: () => renderMetrics(registry, metrics, { core, listeners, server, clock }),
        reportBase: () => reportBase, scripts, isAccepting: () => server.isAccepting,
      }),
      tls: settings.http.tls === null ? null : readTlsPair(settings.http.tls),
      trustedProxies: settings.http.trustedProxies,
      limits: { connectionsMax },
      newRequestId: createRequestIds(randomBytes(6).toString('hex')),
      clock, log: log.with({ component: 'http' }),
      onDone: (answered) => countRequest(metrics, answered),
      onCut: () => metrics.connectionsCut.inc(),
    });
    const where = { settings, socket, log };
    let port = socket === null ? await listen(server, where) : settings.http.port;
    reportBase = reportBaseUrl(settings.http, port);
    shutdown.onStop('http server', () => server.drain({ graceMs: 0, timeoutMs: drainTimeoutMs }));

    core = await startCore(foundation, {
      reportBase, onChange: () => listeners.changed(), pace,
    });
    shutdown.onStop('http server, gently', () => {
      readiness = 'stopping';
      listeners.close();
      return server.drain({ graceMs: graceMs ?? graceMsDefault, timeoutMs: drainTimeoutMs });
    });
    readiness = 'ready';
    metrics.ready.set(1);
    if (socket !== null) port = await listen(server, where);
    logReady(foundation, reportBase);
    probe(foundation);
    return {
      url: listeningUrl(settings.http, port),
      stop: () => shutdown.stop(),
      reload: () => reload(server, settings),
    };
  } catch (error) {
    await stopAfterFailure(shutdown, log);
    throw error;
  }
}

/** Never rejects: the caller has to learn why the start failed, not why this did. */
async function stopAfterFailure(shutdown: Shutdown, log: Logger): Promise<void> {
  try {
    await shutdown.stop();
  } catch (error) {
    log.error('Did not stop cleanly', { error });
  }
}

/** Resolves to the port in use: the one of the settings, unless that is 0 or a socket is held. */
async function listen(
  server: HttpServer,
  { settings: { http }, socket, log }: {
    settings: Settings; socket: HeldSocket | null; log: Logger;
  },
): Promise<number> {
  const taken = await server.listen(socket ?? http).catch((error: Error) => {
    if (socket !== null) throw error;
    throw new Error(`Cannot listen at HOST and PORT: ${error.message}`, { cause: error });
  });
  const { port } = taken;
  const host = socket === null ? http.host : taken.host;
  const url = listeningUrl({ ...http, host }, port);
  const reportBase = reportBaseUrl(http, socket === null ? port : http.port);
  log.info('Listening', { url, reportBase, isHeld: socket !== null });
  if (socket === null) return port;
  if (http.reportBaseUrl === null && port !== http.port) {
    log.warn('Links to reports use PORT, not the port of the held socket: set REPORT_BASE_URL');
  }
  if (isLoopback(http.host) && !isLoopback(host)) {
    log.warn('The held socket is open to other machines, unlike HOST: set HOST to its address');
  }
  return port;
}

/** The last line is for somebody who has just started it and asks what to do now. */
function logReady({ settings: { sources }, log, version }: Foundation, reportBase: string): void {
  log.info('Ready', { version, nodeVersion: process.versions.node });
  const isWithoutSource = Object.values(sources).every((source) => source === null);
  log.info(`Open ${reportBase}/; Alertmanager posts to ${reportBase}/webhook` + (isWithoutSource
    ? '. No source is configured, so reports have only what alerts say: set PROMETHEUS_URL to ' +
      'the address of your Prometheus, and start again'
    : ''));
}

/** Beside everything else: a source that is down is no reason to start later. */
function probe(foundation: Foundation): void {
  const { settings: { sources }, log, shutdown } = foundation;
  if (Object.values(sources).every((source) => source === null)) return;
  const stopped = new AbortController();
  const { signal } = stopped;
  const probed = import('./probing.ts')
    .then(({ probeSources }) => probeSources(foundation, signal))
    .catch((error: unknown) => log.error('Cannot probe the sources', { error }));
  shutdown.onStop('probing', () => {
    stopped.abort();
    return probed;
  });
}

async function reload(
  server: HttpServer, { secrets, http: { tls } }: Settings,
): Promise<boolean> {
  const areRead = await Promise.all(secrets.map((secret) => secret.reload()));
  if (tls !== null) server.reloadTls(readTlsPair(tls));
  return areRead.every((isRead) => isRead);
}

/** `reportBase` is known only once the service listens. */
function refusalPages(
  scripts: PageScripts, { retention: { ageMs: keptMs } }: Settings, reportBase: () => string,
): RefusalPages {
  return {
    renderRefusalPage: (refusal) =>
      renderRefusalPage({ ...refusal, reportBase: reportBase(), keptMs }),
    pageSecurityPolicy: pageSecurityPolicy(Object.values(scripts)),
  };
}

function followSecrets(
  { settings: { secrets }, clock, log, metrics, shutdown }: Foundation, onChange: () => void,
): void {
  const stops = secrets.map((secret) => secret.follow({
    clock,
    onChange({ name }) {
      log.info('Reloaded a secret', { name });
      onChange();
    },
    onFailure({ name, file }, error, isNews) {
      metrics.secretFileFailures.inc();
      if (!isNews) return;
      log.error('Cannot reload a secret; the old value stays in use', { name, file, error });
    },
  }));
  shutdown.onStop('secret files', () => {
    for (const stop of stops) stop();
  });
}

/** Requests to the webhook have metrics of their own. */
function countRequest(
  metrics: ServiceMetrics, { route, status, isMisdirected }: Answered,
): void {
  if (route === 'webhook') return;
  if (isMisdirected) metrics.webhookErrors.inc({ reason: 'wrong_path' });
  const codeClass = `${Math.trunc(status / 100)}xx`;
  metrics.httpRequests.inc({ route: route ?? 'other', code_class: codeClass });
}

function renderMetrics(
  registry: Registry,
  metrics: ServiceMetrics,
  { core, listeners, server, clock }: {
    core: Core | null; listeners: Listeners; server: HttpServer; clock: Clock;
  },
): string {
  metrics.connections.set(server.connections);
  metrics.listeners.set(listeners.size);
  if (core !== null) {
    const { storage, queue, pool } = core;
    const oldest = queue.oldestQueuedAt;
    metrics.queueSize.set(queue.waiting + queue.running);
    metrics.queueOldestAge.set(oldest === null ? 0 : (clock.monotonic() - oldest) / 1000);
    metrics.journalAvailable.set(storage.isAvailable() ? 1 : 0);
    metrics.reportsStorable.set(core.canStoreReports() ? 1 : 0);
    metrics.storedBytes.set(storage.journalBytes(), { part: 'journal' });
    metrics.storedBytes.set(storage.reports.bytes, { part: 'reports' });
    metrics.storedBytes.set(storage.recordings.bytes, { part: 'recordings' });
    metrics.reports.set(storage.book.total);
    metrics.episodesOpen.set(storage.book.open.size);
    metrics.workerMemory.set(pool.memoryBytes, { work: 'analysis' });
    core.narrator?.measure();
    core.receivers?.measure();
  }
  return registry.render();
}

/** The modules that talk to a model are loaded only where one is configured. */
async function measuredModel({ model }: Settings): Promise<MeasuredModel | null> {
  if (model === null) return null;
  const { providerNameOf } = await import('../model/client/model-access.ts');
  const { toolNames } = await import('../model/tools/toolbox.ts');
  const { name, prices } = model;
  return { provider: providerNameOf(model), name, tools: toolNames, prices };
}

function readTlsPair(tls: { certFile: string; keyFile: string }): TlsPair {
  return { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
}
