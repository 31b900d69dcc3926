import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reply } from '../exchange.ts';

/**
 * One answer for all who ask for the same in one turn of the event loop. Open pages are told of a
 * change together and fetch themselves together; a list or incident of many alerts takes 10 to
 * 20 ms to render, so 200 readers of one would keep senders waiting for seconds. The answer is made
 * after the last of them has asked, so it is as recent as a separate one would be.
 */
export class SharedReplies {
  readonly #coming = new Map<string, Promise<Reply>>();

  /** `key` identifies everything that `make` depends on, except the time. */
  reply(key: string, make: () => Reply | Promise<Reply>): Promise<Reply> {
    const coming = this.#coming.get(key);
    if (coming !== undefined) return coming;
    const made = this.#make(key, make);
    this.#coming.set(key, made);
    return made;
  }

  async #make(key: string, make: () => Reply | Promise<Reply>): Promise<Reply> {
    await nextTurn();
    this.#coming.delete(key);
    const reply = await make();
    // As a string, each slow reader would keep an encoded copy of its own.
    const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
    return { ...reply, body };
  }
}
