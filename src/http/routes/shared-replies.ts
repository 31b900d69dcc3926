import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reply } from '../exchange.ts';

/**
 * One answer for all who ask for the same in one turn of the event loop. Open pages are told of a
 * change together and fetch themselves together; a list or an incident of many alerts takes 10 to
 * 20 ms to make, and 200 readers of one kept senders waiting for seconds. What is shared is made
 * after the last of them has asked, so nobody is shown less than a page of his own would show.
 */
export class SharedReplies {
  readonly #coming = new Map<string, Promise<Reply>>();

  /** `key` says all that `make` depends on, but the moment. */
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
    // Else each of those who read slowly would keep a copy.
    const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
    return { ...reply, body };
  }
}
