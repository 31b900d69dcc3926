import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, gzipSync } from 'node:zlib';
import { Limiter } from '../../lib/limiter.ts';
import type { Reply } from '../exchange.ts';

/** Most answers that are being made at the same time; the others wait. */
const madeAtOnceMax = 2;

/** Most turns of the event loop for which an answer lets new connections go first. */
const turnsWaitedMax = 256;

/**
 * One answer for all who ask for the same before it is begun, in a turn of the event loop of its
 * own. Open pages hear of a change together and fetch themselves together; a page takes 5 to
 * 20 ms to render, so 200 readers of one, or one reader of 200, would keep senders waiting for
 * seconds. The answer is made after the last of them has asked, so it is as recent as a separate
 * one would be.
 *
 * Node accepts one connection in a turn. So that those who come with an alert do not wait for the
 * pages of all readers before them, an answer is made in a turn in which nobody came.
 */
export class SharedReplies {
  readonly #coming = new Map<string, Promise<Reply>>();
  readonly #limiter = new Limiter(madeAtOnceMax);
  readonly #isAccepting: () => boolean;

  /** `isAccepting` tells whether a connection was accepted in this turn of the event loop. */
  constructor(isAccepting: () => boolean) {
    this.#isAccepting = isAccepting;
  }

  /**
   * `key` identifies everything that `make` depends on, except the time. Do not gzip an answer that
   * repeats part of its request: whoever can both choose that part and observe the length of the
   * answer can learn the rest of it, guess by guess (BREACH, 2013).
   */
  reply(
    { key, isGzipped }: { readonly key: string; readonly isGzipped: boolean },
    make: () => Reply | Promise<Reply>,
  ): Promise<Reply> {
    const wholeKey = `${isGzipped} ${key}`;
    const coming = this.#coming.get(wholeKey);
    if (coming !== undefined) return coming;
    const made = this.#limiter.run(async () => {
      await this.#quietTurn();
      this.#coming.delete(wholeKey);
      return encoded(await make(), isGzipped);
    });
    this.#coming.set(wholeKey, made);
    return made;
  }

  async #quietTurn(): Promise<void> {
    for (let left = turnsWaitedMax; left > 0; left -= 1) {
      await nextTurn();
      if (!this.#isAccepting()) return;
    }
  }
}

/**
 * A page of 100 KB takes 0.7 ms to gzip and shrinks to a quarter. It is done here, not in Node's
 * thread pool, which a hanging disk can occupy.
 */
function encoded(reply: Reply, isGzipped: boolean): Reply {
  const { headers } = reply;
  if (isGzipped) {
    const body = gzipSync(reply.body, { level: constants.Z_BEST_SPEED });
    return { ...reply, body, headers: [...headers, 'Content-Encoding', 'gzip'] };
  }
  // As a string, each slow reader would keep an encoded copy of its own.
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
  return { ...reply, body };
}
