import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { contradicting } from './prometheus-config.ts';

interface FittingServersOptions {
  readonly clock: Clock;
  /** Asks a server for its external labels; rejects if it does not tell. */
  readonly ask: (url: string, signal: AbortSignal) => Promise<LabelSet>;
}

/** How often a server is asked again, while what it told before goes on being used. */
const againAfterMs = 60_000;
/** A server that is slower counts as one that does not tell. */
const deadlineMs = 1_000;

interface Told {
  askedAt: number;
  /** Null if it has never told. */
  labels: Promise<LabelSet | null>;
}

/** Finds which of several Prometheus may have sent an alert: by the labels that they add to it. */
export class FittingServers {
  readonly #urls: readonly string[];
  readonly #options: FittingServersOptions;
  readonly #told = new Map<string, Told>();

  constructor(urls: readonly string[], options: FittingServersOptions) {
    this.#urls = urls;
    this.#options = options;
  }

  /**
   * The servers that have an external label of the alert, else those that have none that the alert
   * has with another value, else all: never none.
   */
  async of(alert: LabelSet): Promise<readonly string[]> {
    if (this.#urls.length === 1) return this.#urls;
    const servers = await Promise.all(this.#urls.map(async (url) =>
      ({ url, labels: await this.#labelsOf(url) })));
    const open = servers.filter(({ labels }) =>
      labels === null || contradicting(labels, alert).length === 0);
    const own = open.filter(({ labels }) => Object.entries(labels ?? {}).some(([name, value]) =>
      labelOf(alert, name) === value));
    const fitting = [own, open, servers].find(({ length }) => length > 0) ?? servers;
    return fitting.map(({ url }) => url);
  }

  /** Only the first answer is waited for, as a server that hangs must not delay every report. */
  #labelsOf(url: string): Promise<LabelSet | null> {
    const now = this.#options.clock.monotonic();
    const told = this.#told.get(url);
    if (told === undefined) {
      const labels = this.#ask(url, Promise.resolve(null));
      this.#told.set(url, { askedAt: now, labels });
      return labels;
    }
    if (now - told.askedAt >= againAfterMs) {
      told.askedAt = now;
      void this.#ask(url, told.labels).then((labels) => {
        told.labels = Promise.resolve(labels);
      });
    }
    return told.labels;
  }

  /** Resolves to `before` if it does not tell, whatever the reason: the choice costs no report. */
  #ask(url: string, before: Promise<LabelSet | null>): Promise<LabelSet | null> {
    const { clock, ask } = this.#options;
    return withDeadline({ clock, ms: deadlineMs }, (signal) => ask(url, signal))
      .catch(() => before);
  }
}
