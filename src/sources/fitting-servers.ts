import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { contradicting } from './prometheus-config.ts';
import { SourceFailure } from './source-failure.ts';

interface FittingServersOptions {
  readonly clock: Clock;
  /** Asks a server for its external labels; throws SourceFailure and nothing else. */
  readonly ask: (url: string, signal: AbortSignal) => Promise<LabelSet>;
}

/** How long a server's external labels are taken to be unchanged. */
const keptMs = 60_000;
/** A server that is slower counts as one that does not tell. */
const deadlineMs = 1_000;

interface Asked {
  readonly at: number;
  /** Null if it has never told. */
  readonly labels: Promise<LabelSet | null>;
}

/** Finds which of several Prometheus may have sent an alert: by the labels that they add to it. */
export class FittingServers {
  readonly #urls: readonly string[];
  readonly #options: FittingServersOptions;
  readonly #asked = new Map<string, Asked>();

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

  #labelsOf(url: string): Promise<LabelSet | null> {
    const { clock, ask } = this.#options;
    const now = clock.monotonic();
    const last = this.#asked.get(url);
    if (last !== undefined && now - last.at < keptMs) return last.labels;
    const labels = withDeadline({ clock, ms: deadlineMs }, (signal) => ask(url, signal))
      .catch((error: unknown) => {
        if (error instanceof SourceFailure) return last?.labels ?? null;
        throw error;
      });
    this.#asked.set(url, { at: now, labels });
    return labels;
  }
}
