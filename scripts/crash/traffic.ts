import { letRun, type Program } from '../../test/support/programs/programs.ts';
import { pickInteger, type Random } from '../random.ts';
import type { Ledger, Post } from './ledger.ts';

const posters = 8;
/** A notification with at least this many alerts counts as a storm. */
const stormFrom = 100;

/** Sends notifications and feedback, and counts the answers over all processes. */
export class Traffic {
  readonly #random: Random;
  #notes = 0;
  refused = 0;
  unanswered = 0;
  answered = 0;
  /** Notifications in flight. */
  posts = 0;
  storms = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Posts `count` notifications, and feedback in between, until the program exits. */
  async post(count: number, to: { url: string; program: Program; ledger: Ledger }): Promise<void> {
    const { url, program, ledger } = to;
    let left = count;
    const work = async (): Promise<void> => {
      while (left > 0 && !program.hasExited()) {
        left -= 1;
        await this.deliver(ledger.next(), url, ledger);
        if (this.#random() < 0.5) await this.#giveFeedback(url, ledger);
        if (this.#random() < 0.2) await letRun(pickInteger(this.#random, 1, 10));
      }
    };
    await Promise.all(Array.from({ length: posters }, work));
  }

  async deliver(post: Post, url: string, ledger: Ledger): Promise<void> {
    const isStorm = post.items.length >= stormFrom;
    this.posts += 1;
    if (isStorm) this.storms += 1;
    const answer = await fetch(`${url}/webhook`, { method: 'POST', body: post.body }).then(
      async (response) => ({ status: response.status, body: await response.json() }),
      () => null,
    ).catch(() => null); // Killed during the answer.
    this.posts -= 1;
    if (isStorm) this.storms -= 1;
    if (answer !== null) this.answered += 1;
    if (answer?.status === 200) {
      checkLinks(post, answer.body as Answer);
      ledger.acknowledge(post);
      return;
    }
    if (answer === null) this.unanswered += 1;
    else if (answer.status === 503) this.refused += 1;
    else throw new Error(`POST /webhook answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    ledger.leaveUnanswered(post);
  }

  /** Feedback without an answer is not sent again: it may or may not have been accepted. */
  async #giveFeedback(url: string, ledger: Ledger): Promise<void> {
    const alert = ledger.nextForFeedback();
    if (alert === null) return;
    const { fingerprint, episodes: number } = alert;
    this.#notes += 1;
    const note = `Note ${this.#notes}`;
    const noisy = this.#notes % 2 === 0;
    const status = await fetch(`${url}/report/${fingerprint}/${number}/feedback`, {
      method: 'POST',
      body: JSON.stringify({ verdict: 'partly', cause: 'a kill', note, noisy }),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => null,
    ).catch(() => null);
    if (status === 201) ledger.acknowledgeNote(alert, number, note);
    else if (status === null) this.unanswered += 1;
    else if (status === 503 || status === 409) this.refused += 1;
    else if (status !== 404 || !ledger.expectationOf(alert).mayBeForgotten) {
      throw new Error(`POST feedback on ${fingerprint}/${number} answered ${status}`);
    }
  }
}

interface Answer {
  readonly report_urls: readonly { readonly fingerprint: string }[];
}

function checkLinks({ items }: Post, { report_urls: links }: Answer): void {
  const sent = items.map(({ alert }) => alert.fingerprint).join();
  if (links.map(({ fingerprint }) => fingerprint).join() === sent) return;
  throw new Error(`The links of the answer do not match the notification: ${sent}`);
}
