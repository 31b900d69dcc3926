import { setImmediate as nextTurn } from 'node:timers/promises';
import { Limiter } from '../../lib/limiter.ts';
import type { Reply } from '../exchange.ts';

/** Most answers that are being made at the same time; the others wait. */
const madeAtOnceMax = 2;

/**
 * One answer for all who ask for the same before it is begun, in a turn of the event loop of its
 * own. Open pages are told of a change together and fetch themselves together; a page takes 5 to
 * 20 ms to render, so 200 readers of one, or one reader of 200, would keep senders waiting for
 * seconds. The answer is made after the last of them has asked, so it is as recent as a separate
 * one would be.
 */
export class SharedReplies {
  readonly #coming = new Map<string, Promise<Reply>>();
  readonly #limiter = new Limiter(madeAtOnceMax);

  /** `key` identifies everything that `make` depends on, except the time. */
  reply(key: string, make: () => Reply | Promise<Reply>): Promise<Reply> {
    const coming = this.#coming.get(key);
    if (coming !== undefined) return coming;
    const made = this.#make(key, make);
    this.#coming.set(key, made);
    return made;
  }

  async #make(key: string, make: () => Reply | Promise<Reply>): Promise<Reply> {
    const reply = await this.#limiter.run(async () => {
      await nextTurn();
      this.#coming.delete(key);
      return make();
    });
    // As a string, each slow reader would keep an encoded copy of its own.
    const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
    return { ...reply, body };
  }
}
