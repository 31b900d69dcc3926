import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Most requests that a connection may have pending; hardly any client sends a second one. */
const pipelinedMax = 100;
/** The share of the limit beyond which each new connection evicts another. */
const evictionShare = 0.9;

interface ConnectionsOptions {
  readonly connectionsMax: number;
  /** A connection was evicted. */
  readonly onCut: () => void;
}

/**
 * The open connections, and what is under way on each.
 *
 * Clients that hold connections and send little or nothing must not lock others out, so near the
 * limit each new connection evicts the one that was opened or last answered longest ago and has not
 * completed a request since, or does not read its answer. A client that sends its request without
 * delay is done before its turn comes; one that waits for an answer is never evicted.
 *
 * Node can close idle connections by itself, but from version 26 on it counts new connections as
 * idle and so would reset one whose first request is about to arrive.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #fullAt: number;
  readonly #connections = new Map<Duplex, Connection>();
  /** With TLS, connections still in their handshake, by address; the oldest first. */
  readonly #handshakes = new Map<string, Socket>();
  #turns = 0;
  #keepsIdle = true;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#fullAt = Math.floor(options.connectionsMax * evictionShare);
  }

  get size(): number {
    return this.#connections.size + this.#handshakes.size;
  }

  /** With TLS, comes before `opened`. The rest of the limit is reserved for handshakes. */
  arrived(socket: Socket): void {
    const address = addressOf(socket);
    this.#handshakes.set(address, socket);
    socket.once('close', () => {
      if (this.#handshakes.get(address) === socket) this.#handshakes.delete(address);
    });
    const isMany = this.#handshakes.size > this.#options.connectionsMax - this.#fullAt;
    if (!isMany || this.size <= this.#fullAt) return;
    const [oldest] = this.#handshakes.values();
    if (oldest !== undefined) this.#cut(oldest);
  }

  opened(socket: Socket): void {
    if (this.#handshakes.size > 0) this.#handshakes.delete(addressOf(socket));
    const turn = this.#nextTurn();
    this.#connections.set(socket, { turn, pending: 0, latest: null, current: null });
    socket.once('close', () => this.#connections.delete(socket));
    if (this.#connections.size > this.#fullAt) this.#evictOldest(socket);
  }

  /**
   * A request has arrived; its body may still be on its way. Returns the response that has to end
   * before this one may begin; null if none is pending.
   */
  asked(socket: Socket, response: ServerResponse): ServerResponse | null {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return null;
    const before = connection.pending > 0 ? connection.latest : null;
    connection.pending += 1;
    connection.latest = response;
    if (connection.pending > pipelinedMax) socket.destroy();
    return before;
  }

  /** The turn of the request has come. */
  began(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (connection !== undefined) connection.current = response;
  }

  /** The answer is finished, which moves the connection to the end of the line for eviction. */
  ended(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return; // Closed before its answer.
    connection.turn = this.#nextTurn();
    connection.pending -= 1;
    connection.current = null;
    // Not `destroy`: part of the answer may still be buffered.
    if (connection.pending === 0 && !this.#keepsIdle) socket.destroySoon();
  }

  /** The response to the latest request of an open connection, finished or not. */
  latestOf(socket: Duplex): ServerResponse | null {
    return this.#connections.get(socket)?.latest ?? null;
  }

  /** Closes idle connections, and from now on each connection that becomes idle. */
  keepNoneIdle(): void {
    this.#keepsIdle = false;
    this.#destroyWhere(({ latest, pending }) => latest !== null && pending === 0);
  }

  /** Closes connections that have sent no request yet, those in their handshake included. */
  closeNew(): void {
    for (const socket of this.#handshakes.values()) socket.destroy();
    this.#destroyWhere(({ latest }) => latest === null);
  }

  #destroyWhere(fits: (connection: Connection) => boolean): void {
    for (const [socket, connection] of this.#connections) {
      if (fits(connection)) socket.destroy();
    }
  }

  #nextTurn(): number {
    this.#turns += 1;
    return this.#turns;
  }

  #evictOldest(newcomer: Socket): void {
    let oldest: { readonly socket: Duplex; readonly turn: number } | null = null;
    for (const [socket, { turn, current }] of this.#connections) {
      if (socket === newcomer || (current !== null && isAwaited(current))) continue;
      if (oldest === null || turn < oldest.turn) oldest = { socket, turn };
    }
    if (oldest === null) return;
    this.#connections.delete(oldest.socket);
    this.#cut(oldest.socket);
  }

  #cut(socket: Duplex): void {
    socket.destroy();
    this.#options.onCut();
  }
}

/** Mutated in place rather than replaced: see `src/http/README.md`. */
interface Connection {
  /** Position in the line for eviction, given on opening and after each answer; lowest first. */
  turn: number;
  /** Number of pending answers: requests may be pipelined. */
  pending: number;
  /** The response to the latest request; null until the first has arrived. */
  latest: ServerResponse | null;
  /** The response under way; null between requests. */
  current: ServerResponse | null;
}

/** Identifies a connection: a TLS socket and the TCP socket under it are different objects. */
function addressOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Whether the client waits for it, also while it is being written, such as a stream of events. */
function isAwaited({ req, writableEnded }: ServerResponse): boolean {
  return req.complete && !writableEnded;
}
