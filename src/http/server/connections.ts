import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Most requests that a connection may have pending; hardly any client sends a second one. */
const pipelinedMax = 100;

/**
 * Tells connections with a request under way from idle ones and from those that have sent none yet.
 * Node can close idle connections by itself, but from version 26 on it counts new connections as
 * idle and so would reset one whose first request is about to arrive.
 */
export class Connections {
  readonly #connections = new Map<Duplex, Connection>();
  #keepsIdle = true;

  opened(socket: Socket): void {
    this.#connections.set(socket, { isNew: true, owed: 0, latest: null });
    socket.once('close', () => this.#connections.delete(socket));
  }

  /** Returns the response that has to end before this one may begin; null if none is pending. */
  began(socket: Socket, response: ServerResponse): ServerResponse | null {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return null;
    const before = connection.owed > 0 ? connection.latest : null;
    connection.isNew = false;
    connection.owed += 1;
    connection.latest = response;
    if (connection.owed > pipelinedMax) socket.destroy();
    return before;
  }

  ended(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return; // Closed before its answer.
    connection.owed -= 1;
    // Not `destroy`: part of the answer may still be buffered.
    if (connection.owed === 0 && !this.#keepsIdle) socket.destroySoon();
  }

  /** The response to the latest request of an open connection, finished or not. */
  latestOf(socket: Duplex): ServerResponse | null {
    return this.#connections.get(socket)?.latest ?? null;
  }

  /** Closes idle connections, and from now on each connection that becomes idle. */
  keepNoneIdle(): void {
    this.#keepsIdle = false;
    this.#destroyWhere(({ isNew, owed }) => !isNew && owed === 0);
  }

  /** Closes connections that have sent no request yet. */
  closeNew(): void {
    this.#destroyWhere(({ isNew }) => isNew);
  }

  #destroyWhere(fits: (connection: Connection) => boolean): void {
    for (const [socket, connection] of this.#connections) {
      if (fits(connection)) socket.destroy();
    }
  }
}

interface Connection {
  /** Has sent no request yet. */
  isNew: boolean;
  /** Number of pending answers: requests may be pipelined. */
  owed: number;
  latest: ServerResponse | null;
}
