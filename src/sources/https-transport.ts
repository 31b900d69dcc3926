import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { Transport, WireRequest } from './fetch-transport.ts';

/** Idle connections kept open; more than the gate lets through at once would be of no use. */
const idleSocketsMax = 4;
/** As long as `fetch` keeps an idle connection; many servers never close one themselves. */
const idleMsDefault = 4_000;

/**
 * HTTPS with a private certificate authority, for which `fetch` has no option. `ca` is PEM text and
 * replaces the public authorities. Asks for uncompressed answers. `idleMs` is shorter in tests.
 */
export function createHttpsTransport(ca: string, idleMs: number = idleMsDefault): Transport {
  // Only idle connections are closed by `timeout`: a slow answer is not cut off by it.
  const agent = new Agent({
    ca, keepAlive: true, maxFreeSockets: idleSocketsMax, timeout: idleMs,
  });
  return async (request) => {
    const response = await send(request, agent);
    const { 'content-type': contentType, 'content-length': length } = response.headers;
    const encoding = response.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      response.destroy();
      throw new Error('unexpected content encoding');
    }
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      response.destroy();
      throw new Error('unexpected redirect');
    }
    return {
      status,
      contentType: contentType ?? '',
      contentLength: length === undefined ? null : Number(length),
      retryAfter: response.headers['retry-after'] ?? null,
      body: response,
    };
  };
}

function send(
  { url, method, headers, body, signal }: WireRequest,
  agent: Agent,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = httpsRequest(url, {
      method, agent, signal, headers: { ...headers, ...length, 'accept-encoding': 'identity' },
    });
    // Never removed: a connection that breaks later must not become an uncaught error.
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(body ?? '');
  });
}
