/**
 * Requests to others, over `node:http`. Not `fetch`: streams inside it, which nobody else reaches,
 * may emit an error that then ends the thread or the process (Node 20, for one header of a peer).
 * Here every stream of an exchange is ours and has a listener.
 */
import {
  Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
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
class RefusedAnswer extends Error {
  override readonly name = 'RefusedAnswer';
  readonly code: 'ERR_REDIRECT' | 'ERR_CONTENT_ENCODING';

  constructor(code: RefusedAnswer['code']) {
    super(code);
    this.code = code;
  }
}

interface Agents {
  readonly http: HttpAgent | undefined;
  readonly https: HttpsAgent | undefined;
}

interface TransportOptions {
  /** PEM text that replaces the public authorities; null keeps these. */
  readonly ca?: string | null;
  /** How long an idle connection is kept; many servers never close one themselves. */
  readonly idleMs?: number;
}

/** Idle connections kept open to one server; more would rarely be of use. */
const idleSocketsMax = 4;
/** Shorter than servers do, or a request may meet a connection that is just being closed. */
const idleMsDefault = 4_000;

/**
 * Keeps its connections to itself. A redirect is an error: it could take our credentials anywhere.
 * The signal's maximum of listeners is the caller's to raise.
 */
export function createTransport(
  { ca = null, idleMs = idleMsDefault }: TransportOptions = {},
): Transport {
  // Only idle connections are closed by `timeout`: a slow answer is not cut off by it.
  const options = { keepAlive: true, maxFreeSockets: idleSocketsMax, timeout: idleMs };
  const https = new HttpsAgent(ca === null ? options : { ...options, ca });
  return transportWith({ http: new HttpAgent(options), https });
}

/** Shares its connections with all who use it in this thread. */
export const sharedTransport: Transport = createTransport();

/** With Node's own agents, which use a proxy where Node was told to. */
export const proxiedTransport: Transport = transportWith({ http: undefined, https: undefined });

function transportWith(agents: Agents): Transport {
  return async (request) => {
    const response = await send(request, agents);
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
  { url, method, headers, body, signal }: HttpRequest, agents: Agents,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const [request, agent] = url.startsWith('https:')
      ? [httpsRequest, agents.https] as const : [httpRequest, agents.http] as const;
    const outgoing = request(url, {
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
