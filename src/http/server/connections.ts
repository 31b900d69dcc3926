import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Which connections have a request under way, which had one, and which have sent none yet. Node
 * closes idle connections by itself, but from version 26 on takes new ones for idle, whose request
 * may be on its way: it would be reset.
 */
export class Connections {
  readonly #connections = new Map<Duplex, Connection>();
  #keepsIdle = true;

  opened(socket: Socket): void {
    this.#connections.set(socket, { isNew: true, owed: 0, latest: null });
    socket.once('close', () => this.#connections.delete(socket));
  }

  began(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.isNew = false;
    connection.owed += 1;
    connection.latest = response;
  }

  ended(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return; // It was closed before its answer.
    connection.owed -= 1;
    // The answer may not have been sent as a whole.
    if (connection.owed === 0 && !this.#keepsIdle) socket.destroySoon();
  }

  /** The answer to the latest request of an open connection, whether or not it is written. */
  latestOf(socket: Duplex): ServerResponse | null {
    return this.#connections.get(socket)?.latest ?? null;
  }

  /** Closes what is idle, and from now on whatever becomes so. */
  keepNoneIdle(): void {
    this.#keepsIdle = false;
    this.#destroyWhere(({ isNew, owed }) => !isNew && owed === 0);
  }

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
  /** The number of answers it waits for: requests may be pipelined. */
  owed: number;
  latest: ServerResponse | null;
}
