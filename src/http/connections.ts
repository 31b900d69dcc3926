import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Which connections have a request under way, which had one, and which have sent none yet. Node
 * closes idle connections by itself, but from version 26 on takes new ones for idle, whose request
 * may be on its way: it would be reset.
 */
export class Connections {
  readonly #new = new Set<Socket>();
  readonly #idle = new Set<Socket>();
  /** The number of answers owed: requests may be pipelined. */
  readonly #busy = new Map<Socket, number>();
  #keepsIdle = true;

  opened(socket: Socket): void {
    this.#new.add(socket);
    socket.once('close', () => {
      this.#new.delete(socket);
      this.#idle.delete(socket);
      this.#busy.delete(socket);
    });
  }

  began(socket: Socket, response: ServerResponse): void {
    this.#new.delete(socket);
    this.#idle.delete(socket);
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    response.once('close', () => this.#ended(socket));
  }

  /** Closes what is idle, and from now on whatever becomes so. */
  keepNoneIdle(): void {
    this.#keepsIdle = false;
    for (const socket of this.#idle) socket.destroy();
  }

  closeNew(): void {
    for (const socket of this.#new) socket.destroy();
  }

  #ended(socket: Socket): void {
    const owed = this.#busy.get(socket);
    if (owed === undefined) return; // The connection was closed before its answer.
    if (owed > 1) this.#busy.set(socket, owed - 1);
    else {
      this.#busy.delete(socket);
      this.#idle.add(socket);
      if (!this.#keepsIdle) socket.destroySoon(); // The answer may not have been sent as a whole.
    }
  }
}
