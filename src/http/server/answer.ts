import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import type { NetworkList } from '../../lib/network-list.ts';
import type { Logger } from '../../telemetry/log.ts';
import { isAlertmanager } from '../checks/alertmanager-sender.ts';
import { refuseMalformed } from '../checks/request-checks.ts';
import type { Exchange, HeaderList, Reply } from '../exchange.ts';
import { ClientGoneError, HttpError, refusal } from '../http-errors.ts';
import { createRouter, type Match, type Route, type RouteName } from '../router.ts';
import { BodyRoom, type TrackedBody } from './body-room.ts';
import { clientOf } from './client-address.ts';
import { announcedLength, readBody } from './read-body.ts';
import type { RefusalLog } from './refusal-log.ts';
import { refusalReply, type RefusalPages } from './refusal-reply.ts';
import { streamOutput } from './stream-output.ts';

/** One finished exchange. */
export interface Answered {
  /** Null when no path matches or the request could not be parsed. */
  readonly route: RouteName | null;
  /** 499 when the client left before it had sent its body: nothing was answered. */
  readonly status: number;
  /** Whether Alertmanager posted to a path where nothing takes notifications: this one is lost. */
  readonly isMisdirected: boolean;
}

export interface AnswerOptions {
  readonly routes: readonly Route[];
  readonly refusalPages: RefusalPages;
  readonly trustedProxies: NetworkList;
  readonly newRequestId: () => string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly refusalLog: RefusalLog;
  readonly onDone: (answered: Answered) => void;
  /** While true, every answer closes its connection. */
  readonly isDraining: () => boolean;
  /** Limit for all bodies of unanswered requests together; default 64 MiB. */
  readonly bodiesBytesMax?: number;
}

/** Four bodies of the default limit; parsed, each takes several times its size. */
const bodiesBytesMaxDefault = 64 * 1024 * 1024;

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  expects: Exchange['expects'],
) => Promise<void>;

/** Answers every request, for every route and every failure. Never rejects. */
export function createAnswer(options: AnswerOptions): Answer {
  const { clock, log } = options;
  const match = createRouter(options.routes);
  const room = new BodyRoom(options.bodiesBytesMax ?? bodiesBytesMaxDefault);

  return async (request, response, expects) => {
    const startedAt = clock.monotonic();
    const requestId = options.newRequestId();
    const { method = '', url = '' } = request;
    const path = pathOf(url);
    const matched = match(method, path);
    const route = matched.kind === 'not_found' ? null : matched.route;
    try {
      const body: TrackedBody = { size: 0, evict() {} };
      // No spread: that would make every exchange cost more time and memory.
      const exchange: Exchange = {
        method,
        path,
        query: url.slice(path.length + 1),
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        client: requestClient(request, options.trustedProxies),
        params: matched.kind === 'found' ? matched.params : {},
        requestId,
        expects,
        readBody(limitBytes) {
          const beforeReading = expects === 'continue' ? () => response.writeContinue() : () => {};
          return readBody(request, { limitBytes, room, body, beforeReading });
        },
      };
      let error: unknown = null;
      let reply: Reply;
      try {
        refuseMalformed(request);
        reply = await replyTo(matched, exchange);
      } catch (thrown) {
        error = thrown;
        reply = refusalReply(thrown, exchange, options.refusalPages);
      } finally {
        room.ended(body);
      }
      const headers = route?.observer?.headers(exchange) ?? [];
      const closes = options.isDraining() || (error instanceof HttpError && error.closesConnection);
      if (error instanceof ClientGoneError) response.destroy();
      else send({ request, response, exchange, reply, headers, closes, clock });
      const seconds = (clock.monotonic() - startedAt) / 1000;
      noteAnswer({ exchange, route, status: reply.status, seconds, error }, options);
    } catch (error) {
      log.error('Cannot send an answer', { requestId, route: route?.path, error });
      response.destroy();
    }
  };
}

function replyTo(matched: Match, exchange: Exchange): Reply | Promise<Reply> {
  if (matched.kind === 'not_found') throw refusal('notFound');
  if (matched.kind === 'method_not_allowed') {
    throw refusal('methodNotAllowed', { headers: ['Allow', matched.allowed.join(', ')] });
  }
  return matched.route.handle(exchange);
}

function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

function requestClient({ headers, socket }: IncomingMessage, trustedProxies: NetworkList): string {
  const forwardedFor = headers['x-forwarded-for'];
  const forwarded = typeof forwardedFor === 'string' ? forwardedFor : undefined;
  return clientOf(socket.remoteAddress ?? '', forwarded, trustedProxies);
}

interface Ended {
  readonly exchange: Exchange;
  readonly route: Route | null;
  readonly status: number;
  readonly seconds: number;
  /** What was thrown; null if nothing was. */
  readonly error: unknown;
}

/** Tells the metrics, and the log if the request was refused. */
function noteAnswer(
  { exchange, route, status, seconds, error }: Ended,
  { refusalLog, onDone }: AnswerOptions,
): void {
  const { requestId, client } = exchange;
  const observer = route?.observer ?? null;
  observer?.done({ status, seconds, error });
  const isMisdirected = error !== null && observer === null && isNotification(exchange);
  if (error !== null) {
    const isWarning = isMisdirected || observer?.warnsOfRefusals === true;
    refusalLog.refused({
      requestId, route: route?.path, status, client, error, isMisdirected, isWarning,
    });
  }
  onDone({ route: route?.name ?? null, status, isMisdirected });
}

function isNotification({ method, headers }: Exchange): boolean {
  return method === 'POST' && isAlertmanager(headers);
}

interface Sending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly exchange: Exchange;
  readonly reply: Reply;
  /** Added to those of the reply. */
  readonly headers: HeaderList;
  readonly closes: boolean;
  readonly clock: Clock;
}

/** An unread body up to this length is received and discarded, to keep the connection open. */
const discardedBytesMax = 64 * 1024;
/** How long a closing connection still reads what the client sends. */
const lingerMs = 500;

function send(sending: Sending): void {
  if (sending.reply.stream !== undefined) return sendStream(sending, sending.reply.stream);
  const { request, response, exchange, reply, headers, closes } = sending;
  const isUnread = hasUnreadBody(request);
  const isLast = closes || (isUnread && !canBeDiscarded(request, exchange.expects));
  const fields = ['Content-Type', reply.contentType];
  fields.push('Content-Length', String(Buffer.byteLength(reply.body)));
  fields.push('X-Request-Id', exchange.requestId, ...headers, ...reply.headers);
  if (isLast) fields.push('Connection', 'close');
  response.writeHead(reply.status, fields);
  const body = request.method === 'HEAD' ? '' : reply.body;
  if (isLast && isUnread) linger(sending, body);
  else response.end(body);
}

/** Without a length: over HTTP/1.0 the end of the connection ends the answer. */
function sendStream(sending: Sending, stream: NonNullable<Reply['stream']>): void {
  const { request, response, exchange, reply, headers } = sending;
  const fields = ['Content-Type', reply.contentType, 'X-Request-Id', exchange.requestId];
  const isLast = sending.closes || hasUnreadBody(request);
  if (isLast) fields.push('Connection', 'close');
  response.writeHead(reply.status, [...fields, ...headers, ...reply.headers]);
  if (request.method === 'HEAD') return void response.end();
  response.flushHeaders();
  stream(streamOutput(response));
}

/** Whether the unread rest of the body is small enough to be received and discarded. */
function canBeDiscarded(request: IncomingMessage, expects: Exchange['expects']): boolean {
  return expects === 'nothing' && !request.headers['transfer-encoding'] &&
    announcedLength(request) <= discardedBytesMax;
}

/** Whether part of the body may still arrive. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  return announcedLength(request) > 0 || request.headers['transfer-encoding'] !== undefined;
}

/**
 * Sends the complete answer, but closes the connection only when the client has stopped sending:
 * closing with unread data resets the connection, and the reset can overtake the answer.
 */
function linger({ request, response, clock }: Sending, body: string | Uint8Array): void {
  if (body.length === 0) response.flushHeaders();
  else response.write(body);
  const finished = new AbortController();
  const finish = (): void => {
    finished.abort();
    if (!response.writableEnded) response.end();
  };
  request.once('end', finish).once('close', finish).once('error', finish);
  request.resume();
  clock.sleep(lingerMs, finished.signal).then(finish, () => {}); // Aborted: already finished.
}
