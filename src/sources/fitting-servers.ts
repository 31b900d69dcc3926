import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { contradicting } from './prometheus-config.ts';

interface FittingServersOptions {
  readonly clock: Clock;
  /** Asks a server for its external labels; rejects if it does not tell. */
  readonly ask: (url: string, signal: AbortSignal) => Promise<LabelSet>;
  /** How many of its labels the alert has had on a server of late; 0 if it was not seen there. */
  readonly seen: (url: string, alert: LabelSet, signal: AbortSignal) => Promise<number>;
}

/** How often a server is asked again, while its last answer goes on being used. */
const againAfterMs = 60_000;
/** A server that is slower counts as one that does not tell. */
const deadlineMs = 1_000;

interface KnownLabels {
  askedAt: number;
  /** Null if it has never answered. */
  labels: Promise<LabelSet | null>;
}

/**
 * Finds which of several Prometheus may have sent an alert: by the labels that they add to it, and
 * where these do not tell, as with VictoriaMetrics, by where the alert has been seen.
 */
export class FittingServers {
  readonly #urls: readonly string[];
  readonly #options: FittingServersOptions;
  readonly #known = new Map<string, KnownLabels>();
  /** Until when, in monotonic ms, a server that did not say what it has seen is not asked again. */
  readonly #unasked = new Map<string, number>();

  constructor(urls: readonly string[], options: FittingServersOptions) {
    this.#urls = urls;
    this.#options = options;
  }

  /**
   * The servers that have an external label of the alert; else, of those that have none that the
   * alert has with another value, or of all, the ones where it has been seen. Never none.
   */
  async of(alert: LabelSet): Promise<readonly string[]> {
    if (this.#urls.length === 1) return this.#urls;
    const servers = await Promise.all(this.#urls.map(async (url) =>
      ({ url, labels: await this.#labelsOf(url) })));
    const open = servers.filter(({ labels }) =>
      labels === null || contradicting(labels, alert).length === 0);
    const own = open.filter(({ labels }) => Object.entries(labels ?? {}).some(([name, value]) =>
      labelOf(alert, name) === value));
    const urlsOf = (some: typeof servers): string[] => some.map(({ url }) => url);
    if (own.length > 0) return urlsOf(own);
    return this.#whereSeen(urlsOf(open.length > 0 ? open : servers), alert);
  }

  /** Those on which the alert has been seen with most of its labels; all if it was on none. */
  async #whereSeen(urls: readonly string[], alert: LabelSet): Promise<readonly string[]> {
    if (urls.length === 1) return urls;
    const counts = await Promise.all(urls.map((url) => this.#seenOn(url, alert)));
    const most = Math.max(...counts);
    return urls.filter((_url, index) => counts[index] === most);
  }

  async #seenOn(url: string, alert: LabelSet): Promise<number> {
    const { clock, seen } = this.#options;
    if (clock.monotonic() < (this.#unasked.get(url) ?? 0)) return 0;
    try {
      return await withDeadline({ clock, ms: deadlineMs }, (signal) => seen(url, alert, signal));
    } catch {
      this.#unasked.set(url, clock.monotonic() + againAfterMs);
      return 0;
    }
  }

  /** Only the first answer is waited for, as a server that hangs must not delay every report. */
  #labelsOf(url: string): Promise<LabelSet | null> {
    const now = this.#options.clock.monotonic();
    const known = this.#known.get(url);
    if (known === undefined) {
      const labels = this.#ask(url, Promise.resolve(null));
      this.#known.set(url, { askedAt: now, labels });
      return labels;
    }
    if (now - known.askedAt >= againAfterMs) {
      known.askedAt = now;
      void this.#ask(url, known.labels).then((labels) => {
        known.labels = Promise.resolve(labels);
      });
    }
    return known.labels;
  }

  /** Resolves to `before` if it does not tell, whatever the reason: the choice costs no report. */
  #ask(url: string, before: Promise<LabelSet | null>): Promise<LabelSet | null> {
    const { clock, ask } = this.#options;
    return withDeadline({ clock, ms: deadlineMs }, (signal) => ask(url, signal))
      .catch(() => before);
  }
}
