/** Every path of the service, connected to its handler. */
import type { Settings } from '../config/settings.ts';
import { Admission, type Readiness } from '../http/checks/admission.ts';
import { createAccessCheck, type AccessCheck } from '../http/checks/authentication.ts';
import { RateLimits } from '../http/checks/rate-limits.ts';
import { refusal } from '../http/http-errors.ts';
import type { Route } from '../http/router.ts';
import { createHealthRoute } from '../http/routes/health-route.ts';
import type { Listeners } from '../http/routes/listeners.ts';
import { createMetricsRoute } from '../http/routes/metrics-route.ts';
import { createReportRoutes } from '../http/routes/report-route.ts';
import { createReportWritingRoutes } from '../http/routes/report-writing-route.ts';
import { createWebhookRoutes, type WebhookObserver } from '../http/routes/webhook-route.ts';
import { pageSecurityPolicy } from '../report/pages/page.ts';
import { renderIncidentPage } from '../report/pages/render-incident-page.ts';
import { renderListPage } from '../report/pages/render-list-page.ts';
import { renderNotFoundPage, renderWaitingPage } from '../report/pages/render-notice-page.ts';
import { renderReportPage } from '../report/pages/render-report-page.ts';
import { reportUrl } from '../report/report-url.ts';
import { renderMarkdown } from '../report/text/render-markdown.ts';
import type { ServiceMetrics } from '../telemetry/service-metrics.ts';
import type { Core } from './core.ts';
import type { Foundation } from './foundation.ts';
import type { PageScripts } from './page-script.ts';

interface RoutesOptions {
  readonly readiness: () => Readiness;
  /** Null until the service has started. */
  readonly core: () => Core | null;
  /** Known once the service listens. */
  readonly reportBase: () => string;
  readonly renderMetrics: () => string;
  /** Whether a connection was accepted in this turn of the event loop. */
  readonly isAccepting: () => boolean;
  readonly listeners: Listeners;
  readonly scripts: PageScripts;
}

export function createRoutes(foundation: Foundation, options: RoutesOptions): Route[] {
  const { settings: { http }, clock, log } = foundation;
  const { readiness, core, reportBase, renderMetrics, isAccepting } = options;
  const webhookLimits = new RateLimits({ ...http.webhookLimits, clock });
  const admission = new Admission({
    access: accessChecks(http.access),
    webhookLimits, limitStatus: http.webhookLimits.status,
    readLimits: new RateLimits({ ...http.readLimits, clock }),
    guessLimits: new RateLimits({ ...http.readLimits, total: 0, clock }),
    ownHosts: { base: () => new URL(reportBase()).host, listening: http.host },
    readiness,
  });
  return [
    ...createWebhook(foundation, core, { admission, limits: webhookLimits }),
    createHealthRoute({
      admission, readiness,
      health() {
        const { storage, pool, queue, narrator, canStoreReports } = started(core);
        return {
          canAccept: storage.isAvailable(),
          canAnalyse: pool.isUp && narrator?.narrations.isConnected !== false,
          canStoreReports: canStoreReports(),
          queueSize: queue.waiting + queue.running,
        };
      },
    }),
    createMetricsRoute({ admission, renderMetrics, isAccepting }),
    ...createReportWritingRoutes({
      admission, log: log.with({ component: 'feedback' }),
      writing: {
        takeFeedback: (fingerprint, number, feedback) =>
          started(core).feedback.take(fingerprint, number, feedback),
        analyseAgain: (fingerprint) => started(core).again.ask(fingerprint),
        ask: async (fingerprint, number, question) =>
          started(core).narrator?.questions.ask(fingerprint, number, question)
            ?? { kind: 'no_model' },
      },
    }),
    ...createReports(foundation, options, admission),
  ];
}

/** Throws HttpError 503 before the start has finished. */
function started(core: RoutesOptions['core']): Core {
  const running = core();
  if (running === null) throw refusal('notInitialised');
  return running;
}

function createWebhook(
  { settings, clock, log, metrics }: Foundation,
  core: RoutesOptions['core'],
  checks: { readonly admission: Admission; readonly limits: RateLimits },
): Route[] {
  return createWebhookRoutes({
    ...checks,
    bodyLimitBytes: settings.http.bodyLimitBytes,
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

function createReports(
  { settings, clock }: Foundation,
  { core, reportBase, scripts, listeners, isAccepting }: RoutesOptions,
  admission: Admission,
): Route[] {
  const { token, login } = settings.http.access;
  const feedbackBy = token !== null && login === null ? 'command' : 'form';
  const { ageMs: keptMs } = settings.retention;
  const reader = async (): Promise<Core['reader']> => {
    const { storage, reader: found } = started(core);
    await storage.assignIncidents(); // What was just acknowledged is already in its incident.
    return found;
  };
  return createReportRoutes({
    reports: {
      find: async (fingerprint, episode) => (await reader()).find(fingerprint, episode),
      list: async (query) => (await reader()).list(query, reportBase()),
      recording: (key) => started(core).storage.recordings.read(key),
      incident: async (id) => (await reader()).incident(id, reportBase()),
      live: (subject) => started(core).reader.live(subject),
    },
    renderers: {
      renderReportPage: (report, shown) =>
        renderReportPage(report, {
          ...shown, script: scripts.report, feedbackBy, takesQuestions: settings.model !== null,
        }),
      renderMarkdown,
      renderIncidentPage: (incident, shown) =>
        renderIncidentPage(incident, { ...shown, script: scripts.all }),
      renderListPage: (list, shown) => renderListPage(list, {
        ...shown, script: scripts.all, reportBase: reportBase(),
        needsToken: settings.http.access.token !== null,
      }),
      renderWaitingPage: ({ fingerprint }) =>
        renderWaitingPage({
          fingerprint, script: scripts.report, reportBase: reportBase(), keptMs,
        }),
      renderNotFoundPage: ({ fingerprint }) => renderNotFoundPage({
        reportBase: reportBase(), keptMs,
        newest: fingerprint === null ? null : reportUrl(reportBase(), fingerprint, null),
      }),
      pageSecurityPolicy: pageSecurityPolicy(Object.values(scripts)),
    },
    admission, listeners, clock, isAccepting,
    isOpen: settings.http.access.readAuth === 'open',
  });
}

/** Senders need the token, writing readers the token or the login, others what READ_AUTH says. */
function accessChecks(
  { readAuth, token, login }: Settings['http']['access'],
): Readonly<Record<'sending' | 'writing' | 'reading', AccessCheck>> {
  const tokens = token && (() => token.values());
  const logins = login && (() => login.password.values()
    .map((password) => ({ user: login.user, password })));
  const none = (): [] => [];
  return {
    sending: createAccessCheck({ tokens, logins: null }),
    writing: createAccessCheck({ tokens, logins }),
    reading: createAccessCheck({
      tokens: readAuth === 'token' ? tokens ?? none : null,
      logins: readAuth === 'basic' ? logins ?? none : null,
    }),
  };
}
