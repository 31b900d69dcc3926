import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { createAnswer, type AnswerOptions } from './answer.ts';
import { connectCode, createConnectionRefusal } from './connection-refusal.ts';
import { Connections } from './connections.ts';
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
  /** A connection was closed because there were too many. */
  readonly onCut: () => void;
}

/** Limits of connections; anything not listed here is Node's default. */
export interface ConnectionLimits {
  /** From the first byte of a request (or the connection) to the end of its header. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** Without any progress of a body or an answer under way. */
  readonly stallTimeoutMs: number;
  /** Between requests. Alertmanager keeps idle connections for five minutes. */
  readonly idleTimeoutMs: number;
  /** How often the first two are checked. */
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

/** As many connections as usual, but at most half of the files that the process may open. */
export function connectionsFor(openFilesMax: number | null): number {
  return Math.min(defaultLimits.connectionsMax, Math.floor((openFilesMax ?? Infinity) / 2));
}

/** Once the port is closed, how long new connections may still take to send a request. */
const newConnectionsMs = 1000;
/** Connections waiting to be accepted; the kernel may have a lower limit. */
const backlogMax = 4096;

const acceptErrorsLoggedEveryMs = 10_000;

/** Where to listen: an address, or a socket that systemd holds. */
type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly fd: number };

interface DrainOptions {
  /** How long to keep accepting, so that clients can move to new connections without an error. */
  readonly graceMs: number;
  /** After that, how long requests under way may take before their connections are closed. */
  readonly timeoutMs: number;
}

/** The HTTP server. Its states: created, listening, draining, closed; in this order, each once. */
export class HttpServer {
  readonly #server: Server | TlsServer;
  readonly #options: HttpServerOptions;
  readonly #connections: Connections;
  #isDraining = false;
  #accepted = 0;
  #isAccepting = false;

  constructor(options: HttpServerOptions) {
    const limits = { ...defaultLimits, ...options.limits };
    const { connectionsMax } = limits;
    this.#options = options;
    this.#connections = new Connections({ connectionsMax, onCut: options.onCut });
    this.#server = createNodeServer(limits, options.tls);
    this.#server.maxConnections = connectionsMax;
    this.#server.maxRequestsPerSocket = limits.requestsPerConnectionMax;
    this.#server.timeout = limits.stallTimeoutMs;
    this.#followConnections();
    this.#answerRequests();
  }

  #followConnections(): void {
    const isTls = this.#options.tls !== null;
    for (const event of ['connection', 'drop']) this.#server.on(event, () => this.#noteAccepted());
    if (isTls) this.#server.on('connection', (socket: Socket) => this.#connections.arrived(socket));
    this.#server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) =>
      this.#connections.opened(socket));
    this.#server.on('drop', this.#options.onCut);
    this.#server.on('tlsClientError', ({ code }: NodeJS.ErrnoException) => {
      this.#options.log.debug('Refused a connection', { code }); // E.g. plain HTTP.
    });
    const refuse = createConnectionRefusal({
      clock: this.#options.clock,
      newRequestId: this.#options.newRequestId,
      latestOf: (socket) => this.#connections.latestOf(socket),
      onRefused: ({ status, requestId, code }) => {
        this.#options.log.debug('Refused a connection', { requestId, status, code });
        this.#options.onDone({ route: null, status, isMisdirected: false });
      },
    });
    this.#server.on('clientError', refuse);
    this.#server.on('connect', (_request, socket) => {
      refuse(Object.assign(new Error('Not a proxy'), { code: connectCode }), socket);
    });
  }

  #noteAccepted(): void {
    this.#isAccepting = true;
    this.#accepted += 1;
    const accepted = this.#accepted;
    const atEndOfNextTurn = (): void => {
      if (this.#accepted === accepted) this.#isAccepting = false;
    };
    setImmediate(() => setImmediate(atEndOfNextTurn));
  }

  #answerRequests(): void {
    const isDraining = (): boolean => this.#isDraining;
    const refusalLog = new RefusalLog(this.#options);
    const answer = createAnswer({ ...this.#options, isDraining, refusalLog });
    const listener = (expects: 'nothing' | 'continue' | 'unknown') =>
      (request: IncomingMessage, response: ServerResponse): void => {
        const { socket } = request;
        if (socket.destroyed) return;
        const before = this.#connections.asked(socket, response);
        response.once('close', () => this.#connections.ended(socket));
        const begin = (): void => {
          if (response.socket === null) return; // The connection ends with the answer before.
          this.#connections.began(socket, response);
          void answer(request, response, expects);
        };
        // Pipelined: one packet may hold two thousand requests, whose answers are sent in order. So
        // each is begun in a turn of its own, after the client has read the answers before it.
        if (before === null) begin();
        else before.once('close', () => setImmediate(begin));
      };
    this.#server.on('request', listener('nothing'));
    // With these listeners Node does not send 100 by itself, so a body can be refused unsent.
    this.#server.on('checkContinue', listener('continue'));
    this.#server.on('checkExpectation', listener('unknown'));
  }

  /**
   * Whether a connection was accepted in this turn of the event loop. Node accepts one in a turn,
   * so others may be waiting. For use in `setImmediate`, where a turn ends.
   */
  get isAccepting(): boolean {
    return this.#isAccepting;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Resolves to what it listens on, an IP address and a port, once connections are accepted. */
  async listen(address: ListenAddress): Promise<{ host: string; port: number }> {
    // As an argument: as an option Node heeds it for a port only, and not for a socket held.
    this.#server.listen(address, backlogMax);
    await once(this.#server, 'listening');
    this.#logAcceptErrors();
    const taken = this.#server.address();
    // Rate limits distinguish clients by address, which a Unix socket does not have.
    if (taken === null || typeof taken === 'string') throw new Error('Not a TCP socket');
    return { host: taken.address, port: taken.port };
  }

  /** Errors of `accept`, e.g. for lack of memory, must not end the service or flood the log. */
  #logAcceptErrors(): void {
    const { clock, log } = this.#options;
    let loggedAt = -Infinity;
    this.#server.on('error', (error) => {
      if (clock.monotonic() - loggedAt < acceptErrorsLoggedEveryMs) return;
      loggedAt = clock.monotonic();
      log.error('Cannot accept a connection', { error });
    });
  }

  /** Uses another pair for new connections. Throws, keeping the old one, if it is not valid. */
  reloadTls(pair: TlsPair): void {
    createSecureContext(pair);
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(pair);
  }

  /**
   * Stops without failing requests: first answers with `Connection: close` while still listening,
   * then stops accepting, waits for requests under way, and cuts those that take too long.
   */
  async drain({ graceMs, timeoutMs }: DrainOptions): Promise<void> {
    this.#isDraining = true;
    if (!this.#server.listening) return;
    await this.#options.clock.sleep(graceMs);
    const closed = once(this.#server, 'close');
    NetServer.prototype.close.call(this.#server); // Node's own would also close connections.
    this.#connections.keepNoneIdle();
    const { clock } = this.#options;
    const finished = new AbortController();
    const after = (ms: number, close: () => void): Promise<void> =>
      clock.sleep(ms, finished.signal).then(close, () => {}); // Aborted: all ended in time.
    const cutOff = [
      after(Math.min(newConnectionsMs, timeoutMs), () => this.#connections.closeNew()),
      after(timeoutMs, () => this.#server.closeAllConnections()),
    ];
    await closed;
    finished.abort();
    await Promise.all(cutOff);
    this.#server.close(); // Stops Node's timer that checks connections.
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
