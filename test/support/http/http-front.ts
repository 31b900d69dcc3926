import type { TestContext } from 'node:test';
import { Admission, type Readiness } from '../../../src/http/checks/admission.ts';
import { createAccessCheck, type Access } from '../../../src/http/checks/authentication.ts';
import { RateLimits } from '../../../src/http/checks/rate-limits.ts';
import type { RefusalReason } from '../../../src/http/http-errors.ts';
import type { Route } from '../../../src/http/router.ts';
import { createHealthRoute, type Health } from '../../../src/http/routes/health-route.ts';
import { Listeners, type ListenerLimits } from '../../../src/http/routes/listeners.ts';
import { createMetricsRoute } from '../../../src/http/routes/metrics-route.ts';
import { createReportRoutes, type Reports } from '../../../src/http/routes/report-route.ts';
import {
  createWebhookRoutes, type AcceptNotification,
} from '../../../src/http/routes/webhook-route.ts';
import type { Answered } from '../../../src/http/server/answer.ts';
import { createRequestIds } from '../../../src/http/server/request-ids.ts';
import {
  HttpServer, type ConnectionLimits, type TlsPair,
} from '../../../src/http/server/server.ts';
import { systemClock, type Clock } from '../../../src/lib/clock.ts';
import { parseNetworkList } from '../../../src/lib/network-list.ts';
import type { ReceivedNotification } from '../../../src/report/acceptance.ts';
import type { Logger } from '../../../src/telemetry/log.ts';
import { emptyList } from '../samples/report-lists.ts';

export interface FrontOptions {
  readonly tokens?: Access['tokens'];
  readonly perClient?: number;
  readonly total?: number;
  readonly limitStatus?: 'auto' | '429' | '503';
  readonly readersPerClient?: number;
  readonly readersTotal?: number;
  readonly trustedProxies?: readonly string[];
  readonly readiness?: () => Readiness;
  readonly health?: () => Health;
  readonly bodyLimitBytes?: number;
  /** For all bodies being received together. */
  readonly bodiesBytesMax?: number;
  readonly accept?: AcceptNotification;
  readonly reports?: Partial<Reports>;
  readonly readAccess?: Access;
  readonly listeners?: Partial<ListenerLimits>;
  readonly extraRoutes?: readonly Route[];
  /** Matched before all others. */
  readonly firstRoutes?: readonly Route[];
  readonly limits?: Partial<ConnectionLimits>;
  readonly tls?: TlsPair | null;
  /** For rate limits and reports; connections use the system's clock. */
  readonly clock?: Clock;
}

/** The HTTP server on a real port, with fakes behind it and everything it passed to them. */
export interface Front {
  readonly server: HttpServer;
  readonly port: number;
  readonly url: string;
  readonly listeners: Listeners;
  readonly received: ReceivedNotification[];
  readonly done: Answered[];
  readonly webhooks: { code: number; reason: RefusalReason | null }[];
  readonly notifications: { version: string; rejected: number; truncated: number }[];
  readonly logged: { level: string; message: string; fields: unknown }[];
  /** Connections that were closed because there were too many. */
  readonly cuts: () => number;
}

export async function startFront(t: TestContext, options: FrontOptions = {}): Promise<Front> {
  const received: ReceivedNotification[] = [];
  const done: Answered[] = [];
  const webhooks: Front['webhooks'] = [];
  const notifications: Front['notifications'] = [];
  const logged: Front['logged'] = [];
  let cuts = 0;
  const log = recordingLogger(logged);
  const clock = options.clock ?? systemClock;
  const accept: AcceptNotification = (notification) => {
    received.push(notification);
    return (options.accept ?? acceptAll)(notification);
  };
  const readiness = options.readiness ?? (() => 'ready');
  const readAccess = options.readAccess ?? { tokens: null, logins: null };
  const webhookLimits = new RateLimits({
    perClient: options.perClient ?? 100, total: options.total ?? 1000, clock,
  });
  const reading = createAccessCheck(readAccess);
  const perClient = options.readersPerClient ?? 600;
  const admission = new Admission({
    access: {
      sending: createAccessCheck({ tokens: options.tokens ?? null, logins: null }),
      writing: reading, reading,
    },
    webhookLimits, limitStatus: options.limitStatus ?? 'auto',
    readLimits: new RateLimits({ perClient, total: options.readersTotal ?? 6000, clock }),
    guessLimits: new RateLimits({ perClient, total: 0, clock }),
    ownHosts: { base: () => 'reports.example:8443', listening: 'listening.example' },
    readiness,
  });
  const live = options.reports?.live ?? (() => null);
  const listeners = new Listeners({
    clock, stateOf: live, ...(options.listeners && { limits: options.listeners }),
  });
  const server: HttpServer = new HttpServer({
    tls: options.tls ?? null,
    refusalPages: {
      renderRefusalPage: ({ status, detail }) => `<p>${status} ${detail}`,
      pageSecurityPolicy: renderers.pageSecurityPolicy,
    },
    ...(options.bodiesBytesMax !== undefined && { bodiesBytesMax: options.bodiesBytesMax }),
    ...(options.limits && { limits: options.limits }),
    trustedProxies: parseNetworkList(options.trustedProxies ?? []),
    newRequestId: createRequestIds('request'),
    clock: systemClock,
    log,
    onDone: (answered) => done.push(answered),
    onCut: () => (cuts += 1),
    routes: [
      ...(options.firstRoutes ?? []),
      ...createWebhookRoutes({
        admission, limits: webhookLimits,
        bodyLimitBytes: options.bodyLimitBytes ?? 1024 * 1024,
        accept,
        clock,
        log,
        observer: {
          onAnswer: ({ code, reason }) => webhooks.push({ code, reason }),
          onNotification: (read) => notifications.push(read),
        },
      }),
      createHealthRoute({ admission, readiness, health: options.health ?? healthy }),
      createMetricsRoute({
        admission, renderMetrics: () => 'up 1\n', isAccepting: () => server.isAccepting,
      }),
      ...createReportRoutes({
        reports: {
          find: () => Promise.resolve(null),
          list: () => Promise.resolve(emptyList),
          incident: () => Promise.resolve(null),
          live,
          recording: () => Promise.resolve(null),
          ...options.reports,
        },
        renderers,
        admission,
        listeners,
        isOpen: readAccess.tokens === null && readAccess.logins === null,
        clock,
        isAccepting: () => server.isAccepting,
      }),
      ...(options.extraRoutes ?? []),
    ],
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => server.drain({ graceMs: 0, timeoutMs: 0 }));
  const url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return {
    server, port, url, listeners, received, done, webhooks, notifications, logged,
    cuts: () => cuts,
  };
}

const healthy = (): Health => ({
  canAccept: true, canAnalyse: true, canStoreReports: true, queueSize: 3,
});

const renderers = {
  renderReportPage: (report: { fingerprint: string }) => `<p>page ${report.fingerprint}`,
  renderMarkdown: (report: { fingerprint: string }) => `# ${report.fingerprint}`,
  renderListPage: () => '<p>list',
  renderIncidentPage: ({ id }: { id: string }) => `<p>incident ${id}`,
  renderWaitingPage: ({ fingerprint }: { fingerprint: string }) => `<p>waiting ${fingerprint}`,
  renderNotFoundPage: ({ fingerprint }: { fingerprint: string | null }) =>
    `<p>not found${fingerprint === null ? '' : `, but ${fingerprint}`}`,
  pageSecurityPolicy: "default-src 'none'",
};

/** Accepts every alert, with a link as the service makes it. */
export const acceptAll: AcceptNotification = ({ notification }) =>
  Promise.resolve({
    kind: 'accepted',
    deduplicated: 0,
    links: notification.alerts.map(({ fingerprint, labels }) => ({
      fingerprint,
      alert_name: labels['alertname'] ?? 'Unknown',
      namespace: labels['namespace'] ?? 'Unknown',
      report_url: `https://reports.example:8443/report/${fingerprint}`,
    })),
  });

export const sampleBody: string = JSON.stringify({
  version: '4',
  status: 'firing',
  alerts: [{
    status: 'firing',
    labels: { alertname: 'DiskFull', namespace: 'shop' },
    annotations: {},
    startsAt: '2026-01-02T03:04:05Z',
    fingerprint: 'aaaaaaaaaaaaaaaa',
  }],
});

export function post(
  url: string,
  body: string | Uint8Array = sampleBody,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/webhook`, { method: 'POST', body, headers });
}

export async function detailOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { detail: unknown }).detail;
}

function recordingLogger(logged: Front['logged']): Logger {
  const record = (level: string) => (message: string, fields: unknown = {}) =>
    void logged.push({ level, message, fields });
  const logger: Logger = {
    debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error'),
    with: () => logger,
  };
  return logger;
}
