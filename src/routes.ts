/** Every path of the service, connected to its handler. */
import type { Secrets } from './config/secrets.ts';
import type { Settings } from './config/settings.ts';
import type { Core } from './core.ts';
import type { Readiness } from './http/checks/admission.ts';
import {
  createReadCheck, createWriteCheck, type AccessCheck,
} from './http/checks/authentication.ts';
import { RateLimits } from './http/checks/rate-limits.ts';
import { notInitialised } from './http/http-errors.ts';
import type { Route } from './http/router.ts';
import { createHealthRoute } from './http/routes/health-route.ts';
import type { Listeners } from './http/routes/listeners.ts';
import { createMetricsRoute } from './http/routes/metrics-route.ts';
import { createReportRoutes } from './http/routes/report-route.ts';
import { createReportWritingRoutes } from './http/routes/report-writing-route.ts';
import { createWebhookRoutes, type WebhookObserver } from './http/routes/webhook-route.ts';
import type { Clock } from './lib/clock.ts';
import { pageSecurityPolicy } from './report/pages/page.ts';
import { renderIncidentPage } from './report/pages/render-incident-page.ts';
import { renderListPage } from './report/pages/render-list-page.ts';
import { renderNotFoundPage, renderWaitingPage } from './report/pages/render-notice-page.ts';
import { renderReportPage } from './report/pages/render-report-page.ts';
import { reportUrl } from './report/report-url.ts';
import { renderMarkdown } from './report/text/render-markdown.ts';
import type { Logger } from './telemetry/log.ts';
import type { ServiceMetrics } from './telemetry/service-metrics.ts';

interface RoutesOptions {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
  readonly readiness: () => Readiness;
  /** Null until the service has started. */
  readonly core: () => Core | null;
  /** Known once the service listens. */
  readonly reportBase: () => string;
  readonly renderMetrics: () => string;
  readonly listeners: Listeners;
  /** Inlined into every page; empty for none. */
  readonly script: string;
}

export function createRoutes(options: RoutesOptions): Route[] {
  const { readiness, core, renderMetrics } = options;
  const checkAccess = createAccessCheck(options);
  const readLimits = new RateLimits({ ...options.settings.http.readLimits, clock: options.clock });
  return [
    ...createWebhook(options),
    createHealthRoute({
      readiness,
      health() {
        const { storage, pool, queue, narrating } = started(core);
        return {
          canAccept: storage.isAvailable(),
          canAnalyse: pool.isUp && narrating?.narrations.isConnected !== false,
          queueSize: queue.waiting + queue.running,
        };
      },
    }),
    createMetricsRoute({ checkAccess, renderMetrics }),
    ...createReportWriting(options, readLimits),
    ...createReports(options, { checkAccess, limits: readLimits }),
  ];
}

/** Throws HttpError 503 before the start has finished. */
function started(core: RoutesOptions['core']): Core {
  const running = core();
  if (running === null) throw notInitialised();
  return running;
}

function createWebhook(options: RoutesOptions): Route[] {
  const { settings, secrets, clock, log, metrics, readiness, core, reportBase } = options;
  const { http } = settings;
  return createWebhookRoutes({
    limits: new RateLimits({ ...http.webhookLimits, clock }),
    limitStatus: http.webhookLimits.status,
    tokens: () => secrets.valuesOf(http.access.token),
    ownHost: () => new URL(reportBase()).host,
    readiness,
    bodyLimitBytes: http.bodyLimitBytes,
    accept: (received) => started(core).intake.accept(received),
    clock,
    log: log.with({ component: 'intake' }),
    observer: observeWebhook(metrics),
  });
}

function observeWebhook(metrics: ServiceMetrics): WebhookObserver {
  return {
    onAnswer({ code, reason, seconds }) {
      metrics.webhookRequests.inc({ code: String(code) });
      metrics.webhookDuration.observe(seconds);
      if (reason !== null) metrics.webhookErrors.inc({ reason });
    },
    onNotification({ version, rejected, truncated }) {
      metrics.notifications.inc({ version });
      metrics.alerts.inc({ outcome: 'rejected' }, rejected);
      metrics.alertsTruncated.inc({}, truncated);
    },
  };
}

function createReportWriting(options: RoutesOptions, limits: RateLimits): Route[] {
  const { readiness, core, reportBase } = options;
  return createReportWritingRoutes({
    writing: {
      takeFeedback: (fingerprint, number, said) =>
        started(core).feedback.take(fingerprint, number, said),
      analyseAgain: (fingerprint) => started(core).again.ask(fingerprint),
    },
    limits,
    checkAccess: createWritingCheck(options),
    ownHost: () => new URL(reportBase()).host,
    readiness,
  });
}

function createReports(
  options: RoutesOptions,
  { checkAccess, limits }: { readonly checkAccess: AccessCheck; readonly limits: RateLimits },
): Route[] {
  const { settings, clock, core, reportBase, script } = options;
  const { token, login } = settings.http.access;
  const feedbackBy = token !== null && login === null ? 'command' : 'form';
  const { ageMs: keptMs } = settings.retention;
  return createReportRoutes({
    reports: {
      find: (fingerprint, episode) => started(core).reader.find(fingerprint, episode),
      list: (query) => started(core).reader.list(query, reportBase()),
      recording: (fingerprint, episode) =>
        started(core).storage.recordings.read(fingerprint, episode),
      incident: (id) => started(core).reader.incident(id, reportBase()),
      live: (subject) => started(core).reader.live(subject),
    },
    renderers: {
      renderReportPage: (report, shown) =>
        renderReportPage(report, { ...shown, script, feedbackBy }),
      renderMarkdown,
      renderIncidentPage: (incident, shown) => renderIncidentPage(incident, { ...shown, script }),
      renderListPage: (list, shown) => renderListPage(list, {
        ...shown, script, reportBase: reportBase(),
        needsToken: settings.http.access.token !== null,
      }),
      renderWaitingPage: ({ fingerprint }) =>
        renderWaitingPage({ fingerprint, script, reportBase: reportBase(), keptMs }),
      renderNotFoundPage: ({ fingerprint }) => renderNotFoundPage({
        reportBase: reportBase(), keptMs,
        newest: fingerprint === null ? null : reportUrl(reportBase(), fingerprint, null),
      }),
      pageSecurityPolicy: pageSecurityPolicy(script),
    },
    limits,
    checkAccess,
    listeners: options.listeners,
    isOpen: settings.http.access.readAuth === 'open',
    clock,
  });
}

function createAccessCheck({ settings, secrets }: RoutesOptions): AccessCheck {
  const { readAuth, token, login } = settings.http.access;
  if (readAuth === 'open') return createReadCheck({ kind: 'open' });
  if (readAuth === 'token') {
    return createReadCheck({ kind: 'token', tokens: () => secrets.valuesOf(token) });
  }
  return createReadCheck({ kind: 'basic', logins: () => loginsOf(login, secrets) });
}

/** Takes the webhook's token or the readers' login; open when neither is configured. */
function createWritingCheck({ settings, secrets }: RoutesOptions): AccessCheck {
  const { token, login } = settings.http.access;
  return createWriteCheck({
    tokens: token === null ? null : () => secrets.valuesOf(token),
    logins: login === null ? null : () => loginsOf(login, secrets),
  });
}

/** One for each password that is valid now; none without a login. */
function loginsOf(
  login: Settings['http']['access']['login'],
  secrets: Secrets,
): { user: string; password: string }[] {
  if (login === null) return [];
  return secrets.valuesOf(login.password).map((password) => ({ user: login.user, password }));
}
