/** A source that answers as the test says or not at all, and knows which exchanges are open. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setInterval as every } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import type { Cleanup } from '../cleanup.ts';
import { listenLocally } from '../http/local-server.ts';

export type Answer = (
  response: ServerResponse, request: IncomingMessage, asked: SeenRequest,
) => void;

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** From the form if there is one, otherwise from the query string. */
  readonly parameters: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

export interface FakeSource {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Resolves once no exchange is open: each is answered completely, or was aborted. */
  quiet(): Promise<void>;
}

export interface FakeSourceOptions {
  readonly tls?: boolean;
}

/** Gives the answers one after another, and then repeats the last. */
export async function startFakeSource(
  t: Cleanup,
  answers: Answer | readonly Answer[],
  { tls = false }: FakeSourceOptions = {},
): Promise<FakeSource> {
  const script = typeof answers === 'function' ? [answers] : answers;
  const requests: SeenRequest[] = [];
  const open = new Set<Promise<unknown>>();
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const closed = once(response, 'close').finally(() => open.delete(closed));
    open.add(closed);
    response.on('error', () => {}); // Many tests are about clients that hang up.
    void text(request).catch(() => null).then((form) => {
      if (form === null) return;
      const answer = script[Math.min(requests.length, script.length - 1)];
      const asked = seenRequest(request, form);
      requests.push(asked);
      answer?.(response, request, asked);
    });
  };
  const server = tls ? createTlsServer(tlsFiles(), listener) : createServer(listener);
  const origin = await listenLocally(t, server);
  return {
    url: tls ? `https://localhost:${new URL(origin).port}` : origin,
    requests,
    quiet: async () => {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

/** `form` is the request's body; may be empty. */
export function seenRequest(request: IncomingMessage, form: string): SeenRequest {
  const { pathname, search } = new URL(request.url ?? '/', 'http://source');
  const { method = '', headers } = request;
  const parameters = new URLSearchParams(form === '' ? search : form);
  return { method, path: pathname, parameters, headers };
}

const fixtures = join(process.cwd(), 'test/fixtures');

function tlsFiles(): { cert: Buffer; key: Buffer } {
  const file = (name: string): Buffer => readFileSync(join(fixtures, 'tls', name));
  return { cert: file('source.pem'), key: file('source.key') };
}

/** The certificate of the authority that signed that of a fake source with TLS. */
export function testAuthority(): string {
  return readFileSync(join(fixtures, 'tls/authority.pem'), 'utf8');
}

/** A response captured from a real server. */
export function recorded(name: string): Buffer {
  return readFileSync(join(fixtures, 'api', `${name}.json`));
}

export function answering(
  body: string | Buffer,
  { status = 200, type = 'application/json' }: { status?: number; type?: string } = {},
): Answer {
  return (response) => response.writeHead(status, { 'content-type': type }).end(body);
}

const json = { 'content-type': 'application/json' };

/** Faults after the connection is established. */
export const faults: {
  readonly [name in
    | 'silent' | 'headersOnly' | 'drip' | 'endless' | 'reset' | 'cutOff' | 'redirect' | 'bomb'
    | 'notHttp']: Answer
} = {
  silent: () => {},
  headersOnly: (response) => {
    response.writeHead(200, json).flushHeaders();
  },
  drip: (response) => {
    response.writeHead(200, json).flushHeaders();
    void drip(response);
  },
  endless: (response) => endless(response, 200),
  reset: (response) => {
    const { socket } = response;
    if (socket instanceof TLSSocket) socket.destroy();
    else socket?.resetAndDestroy();
  },
  cutOff: (response) => {
    response.writeHead(200, { ...json, 'content-length': '1000' });
    response.write('{"status":', () => response.destroy());
  },
  redirect: (response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/login' }).end();
  },
  bomb: (response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb());
  },
  notHttp: (response) => {
    response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n');
  },
};

export function endless(response: ServerResponse, status: number): void {
  response.writeHead(status, json).write('["');
  const more = (): void => {
    while (!response.destroyed && response.write('a'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
}

async function drip(response: ServerResponse): Promise<void> {
  for await (const _ of every(20, null, { ref: false })) {
    if (response.destroyed) return;
    response.write('1');
  }
}

/** 100 MB of spaces, compressed to about 100 KB. */
function bomb(): Buffer {
  const part = gzipSync(Buffer.alloc(1_000_000, ' '));
  return Buffer.concat(Array.from({ length: 100 }, () => part));
}

/**
 * An address at which connecting never completes: the backlog of the listener is full, and its
 * thread, which is asleep, does not accept.
 */
export async function startBlackHole(t: Cleanup): Promise<string> {
  const worker = new Worker(
    `const { createServer } = require('node:net');
    const { parentPort } = require('node:worker_threads');
    const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
    });`,
    { eval: true },
  );
  const [port] = (await once(worker, 'message')) as [number];
  const fillers: Socket[] = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
  for (const filler of fillers) filler.on('error', () => {});
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, 'connect')));
  t.after(async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  });
  return `http://127.0.0.1:${port}`;
}
