import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The share of the limit beyond which each new connection evicts another. */
const evictionShare = 0.9;

interface SlotsOptions {
  readonly connectionsMax: number;
  /** A connection was evicted. */
  readonly onCut: () => void;
}

/**
 * Keeps the service reachable: clients that hold connections and send little or nothing must not
 * lock others out. Near the limit each new connection evicts the one that was opened or last
 * answered longest ago and has not completed a request since, or does not read its answer. A client
 * that sends its request without delay is done before its turn comes; one that waits for an answer
 * is never evicted.
 */
export class ConnectionSlots {
  readonly #options: SlotsOptions;
  readonly #fullAt: number;
  readonly #slots = new Map<Socket, Slot>();
  /** With TLS, connections still in their handshake, by address; the oldest first. */
  readonly #handshakes = new Map<string, Socket>();
  #turns = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#fullAt = Math.floor(options.connectionsMax * evictionShare);
  }

  get size(): number {
    return this.#slots.size + this.#handshakes.size;
  }

  /** With TLS, comes before `opened`. The rest of the limit is reserved for handshakes. */
  arrived(socket: Socket): void {
    const address = addressOf(socket);
    this.#handshakes.set(address, socket);
    socket.once('close', () => {
      if (this.#handshakes.get(address) === socket) this.#handshakes.delete(address);
    });
    const isMany = this.#handshakes.size > this.#options.connectionsMax - this.#fullAt;
    const [oldest] = isMany && this.size > this.#fullAt ? this.#handshakes.values() : [];
    if (oldest !== undefined) this.#cut(oldest);
  }

  opened(socket: Socket): void {
    if (this.#handshakes.size > 0) this.#handshakes.delete(addressOf(socket));
    this.#slots.set(socket, { turn: this.#nextTurn(), exchange: null });
    socket.once('close', () => this.#slots.delete(socket));
    if (this.#slots.size > this.#fullAt) this.#evictOldest(socket);
  }

  /** A request has begun; its body may still be on its way. */
  began(request: IncomingMessage, response: ServerResponse): void {
    const slot = this.#slots.get(request.socket);
    if (slot !== undefined) slot.exchange = { request, response };
  }

  /** The answer is finished, which moves the connection to the end of the line for eviction. */
  ended(socket: Socket, response: ServerResponse): void {
    const slot = this.#slots.get(socket);
    if (slot === undefined) return;
    slot.turn = this.#nextTurn();
    // Otherwise the next request began before this answer was finished.
    if (slot.exchange?.response === response) slot.exchange = null;
  }

  #nextTurn(): number {
    this.#turns += 1;
    return this.#turns;
  }

  #evictOldest(newcomer: Socket): void {
    let oldest: { readonly socket: Socket; readonly turn: number } | null = null;
    for (const [socket, { turn, exchange }] of this.#slots) {
      if (socket === newcomer || (exchange !== null && isAwaitingAnswer(exchange))) continue;
      if (oldest === null || turn < oldest.turn) oldest = { socket, turn };
    }
    if (oldest === null) return;
    this.#slots.delete(oldest.socket);
    this.#cut(oldest.socket);
  }

  #cut(socket: Socket): void {
    socket.destroy();
    this.#options.onCut();
  }
}

/** Identifies a connection: a TLS socket and the TCP socket under it are different objects. */
function addressOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Mutated in place rather than replaced: see the decisions in `src/README.md`. */
interface Slot {
  /** Position in the line for eviction, given on opening and after each answer; lowest first. */
  turn: number;
  /** The latest request that is not answered yet. */
  exchange: UnderWay | null;
}

interface UnderWay {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Also while an answer is being written, such as a stream of events. */
function isAwaitingAnswer({ request, response }: UnderWay): boolean {
  return request.complete && !response.writableEnded;
}
