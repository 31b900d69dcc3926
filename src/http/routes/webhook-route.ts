import { parseNotification, type Notification } from '../../alert/notification.ts';
import type { Clock } from '../../lib/clock.ts';
import { FormatError } from '../../lib/parse.ts';
import type { AcceptResult, ReceivedNotification, ReportLink } from '../../report/acceptance.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Admission } from '../checks/admission.ts';
import type { RateLimits } from '../checks/rate-limits.ts';
import { jsonText, type Exchange, type Reply } from '../exchange.ts';
import { reasonOf, refusal, type RefusalReason } from '../http-errors.ts';
import { route, type Route, type RouteObserver } from '../router.ts';
import { parseJson, textIn, withoutMark } from './json-body.ts';

/** Resolves to `accepted` only once every alert is on disk. */
export type AcceptNotification = (received: ReceivedNotification) => Promise<AcceptResult>;

/** `truncated` is the number of alerts that the sender left out. */
interface ReadNotification {
  readonly version: Notification['version'];
  readonly rejected: number;
  readonly truncated: number;
}

/** Where the route reports what happened. Its values are bounded, so they can be labels. */
export interface WebhookObserver {
  /** Called for every answer of the path. `code` 499: the client left before there was one. */
  onAnswer(answered: { code: number; reason: RefusalReason | null; seconds: number }): void;
  /** Called for every notification that could be parsed, accepted or not. */
  onNotification(read: ReadNotification): void;
}

interface WebhookOptions {
  readonly admission: Admission;
  /** Every answer has their state in its X-RateLimit headers. */
  readonly limits: RateLimits;
  readonly bodyLimitBytes: number;
  readonly accept: AcceptNotification;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: WebhookObserver;
}

/** POST, and PUT for Grafana; with and without a final slash, since nothing here redirects. */
export function createWebhookRoutes(options: WebhookOptions): Route[] {
  const receive = createReceiver(options);
  const observer: RouteObserver = {
    headers: ({ client }) => options.limits.headers(client),
    done({ status, seconds, error }) {
      const reason = error === null ? null : reasonOf(error);
      options.observer.onAnswer({ code: status, reason, seconds });
    },
    warnsOfRefusals: true,
  };
  const paths = ['/webhook', '/webhook/'] as const;
  const methods = ['POST', 'PUT'] as const;
  return paths.flatMap((path) =>
    methods.map((method) => ({ ...route('webhook', method, path, receive), observer })),
  );
}

function createReceiver(options: WebhookOptions): (exchange: Exchange) => Promise<Reply> {
  return async (exchange) => {
    const sent = await options.admission.sender(exchange, options.bodyLimitBytes);
    // What is stored is read again without this.
    const body = withoutMark(sent);
    const receivedAt = options.clock.now();
    const { text, notification } = readNotification(body, receivedAt, options);
    const { requestId } = exchange;
    if (notification.rejected.length > 0) logRejected(notification, requestId, options.log);
    const result = await options.accept({ notification, body, text, receivedAt });
    return replyFor(result, notification.rejected.length);
  };
}

function readNotification(
  body: Buffer,
  receivedAt: number,
  { observer }: WebhookOptions,
): Pick<ReceivedNotification, 'text' | 'notification'> {
  const text = textIn(body, 'invalidAlertFormat');
  const value = parseJson(text, 'invalidAlertFormat');
  let notification: Notification;
  try {
    notification = parseNotification(value, receivedAt);
  } catch (error) {
    throw error instanceof FormatError ? invalid(error.message) : error;
  }
  const { version, alerts, rejected, group } = notification;
  const { truncated } = group;
  observer.onNotification({ version, rejected: rejected.length, truncated });
  if (alerts.length === 0 && rejected.length > 0) {
    throw invalid(`No alert is valid; the first: ${rejected[0]?.reason ?? ''}`);
  }
  return { text, notification };
}

function invalid(why: string): Error {
  return refusal('invalidAlertFormat', { why });
}

const rejectedShown = 3;

function logRejected({ group, rejected }: Notification, requestId: string, log: Logger): void {
  log.warn('Rejected alerts of a notification', {
    requestId,
    rejected: rejected.length,
    listed: group.listed,
    first: rejected.slice(0, rejectedShown),
  });
}

function replyFor(result: AcceptResult, rejected: number): Reply {
  if (result.kind === 'queue_full') throw refusal('queueIsFull');
  if (result.kind === 'storage_unavailable') throw refusal('storageUnavailable');
  const headers: string[] = [];
  if (rejected > 0) headers.push('X-Alerts-Rejected', String(rejected));
  if (result.deduplicated > 0) headers.push('X-Alerts-Deduplicated', String(result.deduplicated));
  return jsonText(acceptedText(result.links), headers);
}

/** Concatenated, which takes a third of the time of `JSON.stringify` for the whole object. */
function acceptedText(links: readonly ReportLink[]): string {
  const listed = links.map(({ fingerprint, alert_name, namespace, report_url }) =>
    `{"fingerprint":${quoted(fingerprint)},"alert_name":${quoted(alert_name)},` +
    `"namespace":${quoted(namespace)},"report_url":${quoted(report_url)}}`);
  return '{"status":"success","message":"Alerts queued for analysis",' +
    `"report_urls":[${listed.join(',')}]}`;
}

/** Text without a character that JSON escapes, as nearly all names are. */
const plainText = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function quoted(value: string): string {
  return plainText.test(value) ? `"${value}"` : JSON.stringify(value);
}
