import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The share of the limit from which every newcomer takes somebody's place. */
const giveWayShare = 0.9;

interface PlacesOptions {
  readonly connectionsMax: number;
  /** Somebody had to go. */
  readonly onCut: () => void;
}

/**
 * Keeps the door open: strangers who hold connections and send nothing, or little, must not keep
 * anybody out. Near the limit every newcomer takes the place of whoever has had his connection, or
 * his last answer, for longest and has sent no whole request since, or does not read the answer.
 * Who says what he has to say is through before it is his turn to go; whoever has said it and is
 * owed an answer never has to.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #crowd: number;
  readonly #places = new Map<Socket, Place>();
  /** Over TLS, connections whose handshake is not over; the oldest first. */
  readonly #handshakes = new Map<string, Socket>();
  #turns = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#crowd = Math.floor(options.connectionsMax * giveWayShare);
  }

  get size(): number {
    return this.#places.size + this.#handshakes.size;
  }

  /** Over TLS, before `opened`. Handshakes are short: the rest of the limit is for them to end. */
  arrived(socket: Socket): void {
    const address = addressOf(socket);
    this.#handshakes.set(address, socket);
    socket.once('close', () => {
      if (this.#handshakes.get(address) === socket) this.#handshakes.delete(address);
    });
    const isMany = this.#handshakes.size > this.#options.connectionsMax - this.#crowd;
    const [oldest] = isMany && this.size > this.#crowd ? this.#handshakes.values() : [];
    if (oldest !== undefined) this.#cut(oldest);
  }

  opened(socket: Socket): void {
    if (this.#handshakes.size > 0) this.#handshakes.delete(addressOf(socket));
    this.#places.set(socket, { turn: this.#nextTurn(), exchange: null });
    socket.once('close', () => this.#places.delete(socket));
    if (this.#places.size > this.#crowd) this.#oldestGivesWay(socket);
  }

  /** A request has begun; its body may still be on its way. */
  began(request: IncomingMessage, response: ServerResponse): void {
    const place = this.#places.get(request.socket);
    if (place !== undefined) place.exchange = { request, response };
  }

  /** The answer is written. To the end of the row: who gets answers is not who is to go. */
  ended(socket: Socket, response: ServerResponse): void {
    const place = this.#places.get(socket);
    if (place === undefined) return;
    place.turn = this.#nextTurn();
    // Else the next request came before this answer was written.
    if (place.exchange?.response === response) place.exchange = null;
  }

  #nextTurn(): number {
    this.#turns += 1;
    return this.#turns;
  }

  #oldestGivesWay(newcomer: Socket): void {
    let oldest: { readonly socket: Socket; readonly turn: number } | null = null;
    for (const [socket, { turn, exchange }] of this.#places) {
      if (socket === newcomer || (exchange !== null && isOwedAnAnswer(exchange))) continue;
      if (oldest === null || turn < oldest.turn) oldest = { socket, turn };
    }
    if (oldest === null) return;
    this.#places.delete(oldest.socket);
    this.#cut(oldest.socket);
  }

  #cut(socket: Socket): void {
    socket.destroy();
    this.#options.onCut();
  }
}

/** The same for a connection and for what TLS makes of it, which is another object. */
function addressOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Altered in place: see the decisions in `src/README.md`. */
interface Place {
  /** Of the last answer, or of its coming; the least gives way first. */
  turn: number;
  /** What it waits for. */
  exchange: UnderWay | null;
}

interface UnderWay {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** An answer that has begun and goes on, such as a stream of events, is owed as well. */
function isOwedAnAnswer({ request, response }: UnderWay): boolean {
  return request.complete && !response.writableEnded;
}
