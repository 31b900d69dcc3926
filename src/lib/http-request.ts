/** Requests to others: what one is, and how it is made where `fetch` cannot make it. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

interface HttpRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Aborts the exchange at any stage and closes its connection. */
  readonly signal: AbortSignal;
}

/** An answer whose body is still arriving. Leaving the iteration early closes the connection. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed. The iteration throws if the body breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Rejects with whatever `faultOfHttp` can name, and with nothing else. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

/** An answer that is refused as soon as its headers are read. */
export class RefusedAnswer extends Error {
  override readonly name = 'RefusedAnswer';
  readonly code: 'ERR_REDIRECT' | 'ERR_CONTENT_ENCODING';

  constructor(code: RefusedAnswer['code']) {
    super(code);
    this.code = code;
  }
}

/** Idle connections kept open to one server; more would rarely be of use. */
const idleSocketsMax = 4;
/** Shorter than servers do, or a request may meet a connection that is just being closed. */
const idleMsDefault = 4_000;

/**
 * HTTPS with a private certificate authority, for which `fetch` has no option. `ca` is PEM text and
 * replaces the public authorities. A redirect is an error: it could take our credentials anywhere.
 * The signal's maximum of listeners is the caller's to raise. `idleMs` is shorter in tests.
 */
export function createHttpsTransport(ca: string, idleMs: number = idleMsDefault): Transport {
  // Only idle connections are closed by `timeout`: a slow answer is not cut off by it.
  const agent = new Agent({
    ca, keepAlive: true, maxFreeSockets: idleSocketsMax, timeout: idleMs,
  });
  return async (request) => {
    const response = await send(request, agent);
    // From here on its errors are thrown by the iteration, and if there is none, are nobody's.
    response.on('error', ignore);
    const { statusCode: status = 0, headers } = response;
    const refusal = refusalOf(status, headers);
    if (refusal === null) return { status, headers, body: decoded(response, request.signal) };
    response.destroy();
    throw new RefusedAnswer(refusal);
  };
}

function send(
  { url, method, headers, body, signal }: HttpRequest, agent: Agent,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = httpsRequest(url, {
      method, agent, signal, headers: { ...headers, ...length, 'accept-encoding': 'gzip' },
    });
    // Never removed: a connection that breaks later must not become an uncaught error.
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    // Without either of these where the server wants another protocol.
    outgoing.on('close', () => reject(new Error('Closed without an answer')));
    outgoing.end(body ?? '');
  });
}

function refusalOf(status: number, headers: IncomingHttpHeaders): RefusedAnswer['code'] | null {
  if (status >= 300 && status < 400 && headers.location !== undefined) return 'ERR_REDIRECT';
  return isGzip(headers) || encodingOf(headers) === 'identity' ? null : 'ERR_CONTENT_ENCODING';
}

function isGzip(headers: IncomingHttpHeaders): boolean {
  return /^(?:x-)?gzip$/.test(encodingOf(headers));
}

function encodingOf(headers: IncomingHttpHeaders): string {
  return headers['content-encoding']?.trim().toLowerCase() || 'identity';
}

function decoded(response: IncomingMessage, signal: AbortSignal): Readable {
  if (!isGzip(response.headers)) return addAbortSignal(signal, response);
  const body = pipeline(response, createGunzip(), ignore);
  body.on('error', ignore);
  return addAbortSignal(signal, body);
}

function ignore(): void {}
