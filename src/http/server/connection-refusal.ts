import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';
import { isAlertmanager } from '../checks/alertmanager-sender.ts';

interface Refusal {
  readonly status: number;
  readonly detail: string;
}

const malformed: Refusal = { status: 400, detail: 'Bad request' };

/** Error code for CONNECT requests: the service is not a proxy. */
export const connectCode = 'CONNECT';

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Errors for which Node's parser or timers end a connection, by code. */
const refusals: Readonly<Record<string, Refusal>> = {
  [connectCode]: malformed,
  [timeoutCode]: { status: 408, detail: 'Request timeout' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'Request header fields too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'Payload too large' },
};

/** How long a refused client may take to read the answer. */
const lingerMs = 500;
/** Turns of the event loop: enough to read the largest body that has already arrived. */
const lateTurnsMax = 16;

interface ConnectionRefusalOptions {
  readonly clock: Clock;
  readonly newRequestId: () => string;
  /** The response to the latest request of a connection; null if there was none. */
  readonly latestOf: (socket: Duplex) => ServerResponse | null;
  /** `code` is the error's code. */
  readonly onRefused: (refused: { status: number; requestId: string; code: string }) => void;
}

/** Answers a connection error, without disturbing answers under way on that connection. */
export function createConnectionRefusal(
  options: ConnectionRefusalOptions,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const refused = new WeakSet<Duplex>();

  function write(socket: Duplex, refusal: Refusal, code = ''): void {
    if (!socket.writable) return void socket.destroy();
    const requestId = options.newRequestId();
    socket.end(answerText(refusal, requestId, new Date(options.clock.now())));
    options.onRefused({ status: refusal.status, requestId, code });
    void options.clock.sleep(lingerMs).then(() => socket.destroy());
  }

  function refuse(code: string | undefined, socket: Duplex): void {
    const last = options.latestOf(socket);
    const refusal = refusalOf(code, last);
    if (refusal === null) return void socket.destroy();
    const answer = (): void => write(socket, refusal, code);
    if (last === null || last.writableFinished) return answer();
    // The error is behind a request whose answer goes first.
    if (last.req.complete) return void last.once('close', answer);
    // Else it is in the body of the last request, which was refused unread or is being read.
    if (last.headersSent) return void last.once('close', () => socket.destroy());
    if (last.socket !== null) return answer();
    last.once('socket', answer); // That request is behind others, whose answers go first.
  }

  /** After a process was suspended, the rest of a late request may have arrived but be unread. */
  async function refuseLate(socket: Duplex): Promise<void> {
    const before = options.latestOf(socket);
    const wasComplete = before?.req.complete === true; // Then the next request is late.
    for (let turn = 0; turn < lateTurnsMax; turn += 1) {
      await new Promise(setImmediate);
      const last = options.latestOf(socket);
      if (last?.req.complete === true && !(wasComplete && last === before)) {
        refused.delete(socket);
        return;
      }
    }
    refuse(timeoutCode, socket);
  }

  return ({ code }, socket) => {
    if (refused.has(socket)) return; // The parser repeats its error for every further byte.
    refused.add(socket);
    if (code === timeoutCode) void refuseLate(socket);
    else refuse(code, socket);
  };
}

/**
 * Null for a connection that broke or never spoke HTTP. `last` is the response to the latest
 * request of the connection; a late body belongs to that request, a late header to the next one.
 */
function refusalOf(code: string | undefined, last: ServerResponse | null): Refusal | null {
  const refusal = refusals[code ?? ''] ?? (code?.startsWith('HPE_') === true ? malformed : null);
  const isRetriedOn503 =
    code === timeoutCode && last !== null && isAlertmanager(last.req.headers);
  if (refusal === null || !isRetriedOn503) return refusal;
  return { ...refusal, status: 503 };
}

function answerText({ status, detail }: Refusal, requestId: string, now: Date): string {
  const body = JSON.stringify({ detail });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Date: ${now.toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
