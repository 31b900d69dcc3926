import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The share of the limit from which every newcomer takes somebody's place. */
const giveWayShare = 0.9;

/**
 * Keeps the door open: strangers who hold connections and send nothing, or little, must not keep
 * anybody out. Near the limit every newcomer takes the place of whoever has had his connection, or
 * his last answer, for longest and has sent no whole request since, or does not read the answer.
 * Who says what he has to say is through before it is his turn to go; whoever has said it and is
 * owed an answer never has to.
 */
export class Places {
  readonly #crowd: number;
  /** Each with the answer it waits for; whoever had one, or came, longest ago stands first. */
  readonly #waiting = new Map<Socket, Exchange | null>();

  constructor(connectionsMax: number) {
    this.#crowd = Math.floor(connectionsMax * giveWayShare);
  }

  get size(): number {
    return this.#waiting.size;
  }

  opened(socket: Socket): void {
    this.#waiting.set(socket, null);
    socket.once('close', () => this.#waiting.delete(socket));
    if (this.size > this.#crowd) this.#oldestGivesWay(socket);
  }

  /** A request has begun; its body may still be on its way. */
  began(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (!this.#waiting.has(socket)) return;
    this.#waiting.set(socket, { request, response });
    response.once('finish', () => {
      // To the end of the row: who gets answers is not who is to go.
      if (this.#waiting.delete(socket)) this.#waiting.set(socket, null);
    });
  }

  #oldestGivesWay(newcomer: Socket): void {
    for (const [socket, exchange] of this.#waiting) {
      if (socket === newcomer || (exchange !== null && isOwedAnAnswer(exchange))) continue;
      this.#waiting.delete(socket);
      socket.destroy();
      return;
    }
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** An answer that has begun and goes on, such as a stream of events, is owed as well. */
function isOwedAnAnswer({ request, response }: Exchange): boolean {
  return request.complete && !response.writableEnded;
}
