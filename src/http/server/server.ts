import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { createAnswer, type Answer, type AnswerOptions } from './answer.ts';
import { Connections } from './connections.ts';
import {
  connectCode, createConnectionRefusal, type RefuseConnection,
} from './connection-refusal.ts';
import { Places } from './places.ts';
import { RefusalLog } from './refusal-log.ts';

/** Certificate chain and private key, in PEM. */
export interface TlsPair {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

interface HttpServerOptions extends Omit<AnswerOptions, 'isDraining' | 'refusalLog'> {
  /** Null serves plain HTTP. */
  readonly tls: TlsPair | null;
  readonly limits?: Partial<ConnectionLimits>;
  /** A connection was closed as there were too many. */
  readonly onCut: () => void;
}

/** What one connection may take; everything not said here is Node's default. */
export interface ConnectionLimits {
  /** From the first byte of a request (or the connection) to the end of its header. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** An answer under way, or a body, without any progress. */
  readonly stallTimeoutMs: number;
  /** Between requests. Alertmanager keeps idle connections for five minutes. */
  readonly idleTimeoutMs: number;
  /** How often the first two are looked at. */
  readonly checkIntervalMs: number;
  readonly connectionsMax: number;
  readonly requestsPerConnectionMax: number;
}

const defaultLimits: ConnectionLimits = {
  headersTimeoutMs: 5000,
  requestTimeoutMs: 15_000,
  stallTimeoutMs: 30_000,
  idleTimeoutMs: 310_000,
  checkIntervalMs: 1000,
  connectionsMax: 1024,
  requestsPerConnectionMax: 10_000,
};

/** How long a connection that was accepted may take to send its request once the port is closed. */
const newcomersMs = 1000;
/** Connections that wait to be accepted; the kernel may have a lower limit of its own. */
const backlogMax = 4096;

const acceptErrorsToldEveryMs = 10_000;

/** Where to listen: an address, or a socket that systemd holds. */
type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly fd: number };

interface DrainOptions {
  /** How long to go on accepting, so that no client meets a closed port with a request in hand. */
  readonly graceMs: number;
  /** After that, how long requests under way may take before they are cut. */
  readonly timeoutMs: number;
}

/** The listening server: created, listening, draining, closed; in this order, each once. */
export class HttpServer {
  readonly #server: Server | TlsServer;
  readonly #options: HttpServerOptions;
  readonly #connections = new Connections();
  readonly #places: Places;
  #isDraining = false;

  constructor(options: HttpServerOptions) {
    const limits = { ...defaultLimits, ...options.limits };
    const isDraining = (): boolean => this.#isDraining;
    const answer = createAnswer({ ...options, isDraining, refusalLog: new RefusalLog(options) });
    this.#options = options;
    this.#server = createNodeServer(limits, options.tls);
    this.#server.maxConnections = limits.connectionsMax;
    this.#server.maxRequestsPerSocket = limits.requestsPerConnectionMax;
    this.#server.timeout = limits.stallTimeoutMs;
    const refuse = createConnectionRefusal({
      clock: options.clock,
      newRequestId: options.newRequestId,
      latestOf: (socket) => this.#connections.latestOf(socket),
      onRefused: ({ status, requestId, code }) => {
        options.log.debug('Refused a connection', { requestId, status, code });
        options.onDone({ route: null, status });
      },
    });
    this.#server.on('tlsClientError', ({ code }: NodeJS.ErrnoException) => {
      options.log.debug('Refused a connection', { code }); // Plain HTTP, or no trust in ours.
    });
    const places = new Places({ connectionsMax: limits.connectionsMax, onCut: options.onCut });
    this.#places = places;
    this.#server.on('drop', options.onCut);
    const isTls = options.tls !== null;
    if (isTls) this.#server.on('connection', (socket: Socket) => places.arrived(socket));
    this.#server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#connections.opened(socket);
      places.opened(socket);
    });
    connect(this.#server, { answer, refuse, places, connections: this.#connections });
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#places.size;
  }

  /** Resolves to the port taken, once connections are accepted. */
  async listen(address: ListenAddress): Promise<number> {
    this.#server.listen({ ...address, backlog: backlogMax });
    await once(this.#server, 'listening');
    this.#bearAcceptErrors();
    const taken = this.#server.address();
    // Readers are told apart by their address, and a Unix socket's have none.
    if (taken === null || typeof taken === 'string') throw new Error('The socket is not of TCP');
    return taken.port;
  }

  /** What the system cannot accept, as without memory, ends no service; it may come in a flood. */
  #bearAcceptErrors(): void {
    const { clock, log } = this.#options;
    let toldAt = -Infinity;
    this.#server.on('error', (error) => {
      if (clock.monotonic() - toldAt < acceptErrorsToldEveryMs) return;
      toldAt = clock.monotonic();
      log.error('Cannot accept a connection', { error });
    });
  }

  /** Serves new connections with another pair. Throws, keeping the old, when it is no pair. */
  reloadTls(pair: TlsPair): void {
    createSecureContext(pair);
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(pair);
  }

  /**
   * Ends the service without a failed request: first answers with `Connection: close` while still
   * listening, then stops accepting, waits for what is under way, and cuts what takes too long.
   */
  async drain({ graceMs, timeoutMs }: DrainOptions): Promise<void> {
    this.#isDraining = true;
    if (!this.#server.listening) return;
    await this.#options.clock.sleep(graceMs);
    const closed = once(this.#server, 'close');
    NetServer.prototype.close.call(this.#server); // Only the port: Node's own closes too much.
    this.#connections.keepNoneIdle();
    const { clock } = this.#options;
    const finished = new AbortController();
    const after = (ms: number, close: () => void): Promise<void> =>
      clock.sleep(ms, finished.signal).then(close, () => {}); // Aborted: all ended in time.
    const cutOff = [
      after(Math.min(newcomersMs, timeoutMs), () => this.#connections.closeNew()),
      after(timeoutMs, () => this.#server.closeAllConnections()),
    ];
    await closed;
    finished.abort();
    await Promise.all(cutOff);
    this.#server.close(); // Ends what Node looks after connections with.
  }
}

function createNodeServer(limits: ConnectionLimits, tls: TlsPair | null): Server | TlsServer {
  const settings = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    requireHostHeader: false, // Checked with the other fields; Node's refusal has no body.
    insecureHTTPParser: false,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  return tls === null ? createServer(settings) : createTlsServer({
    ...settings, ...tls, handshakeTimeout: limits.headersTimeoutMs,
  });
}

function connect(
  server: Server | TlsServer,
  { answer, refuse, connections, places }: {
    answer: Answer; refuse: RefuseConnection; connections: Connections; places: Places;
  },
): void {
  const listener = (expects: 'nothing' | 'continue' | 'unknown') =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      connections.began(socket, response);
      places.began(request, response);
      response.once('close', () => {
        connections.ended(socket);
        places.ended(socket, response);
      });
      void answer(request, response, expects);
    };
  server.on('request', listener('nothing'));
  // With these listeners Node sends no 100 by itself: a refusal comes before the body is asked for.
  server.on('checkContinue', listener('continue'));
  server.on('checkExpectation', listener('unknown'));
  server.on('clientError', refuse);
  server.on('connect', (_request, socket) => {
    refuse(Object.assign(new Error('No tunnel here'), { code: connectCode }), socket);
  });
}
