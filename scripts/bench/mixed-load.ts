/**
 * Mixed load on one service, at a fixed rate: single alerts, groups, storms, repeats, resolves,
 * readers of every page from many addresses, feedback, and live pages that disconnect without
 * notice.
 */
import { Agent, request } from 'node:http';
import { createRandom } from '../random.ts';
import { quantile } from './figures.ts';

export interface MixedLoadOptions {
  readonly url: string;
  /**
   * Notifications; on average 1.4 new alerts each, and as many that resolve. For every two of them
   * there is about one request of a reader.
   */
  readonly perSecond: number;
}

export interface LoadSample {
  readonly posts: number;
  /** Answers other than 2xx and 3xx, by status; 0 for a connection that broke. */
  readonly failures: Readonly<Record<string, number>>;
  /** Until the whole answer of the webhook had arrived; NaN without any. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The same of reports and lists. */
  readonly pageP99Ms: number;
}

interface SentAlert {
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: string;
}

const remembered = 2_000;
/** How many alerts fire at the same time before the oldest are resolved. */
const firingKept = 200;
const tickMs = 100;
const listenMs = 5_000;
const readerAddresses = 2_000;

export class MixedLoad {
  readonly #options: MixedLoadOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  /** The same in every run. */
  readonly #random = createRandom(1);
  readonly #sent: SentAlert[] = [];
  /** The oldest first. */
  readonly #firing: SentAlert[] = [];
  readonly #run = Date.now().toString(36);
  #latencies: number[] = [];
  #pageLatencies: number[] = [];
  #failures: Record<string, number> = {};
  #next = 0;
  #due = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: MixedLoadOptions) {
    this.#options = options;
  }

  start(): void {
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#due += ((now - last) / 1000) * this.#options.perSecond;
      last = now;
      for (; this.#due >= 1; this.#due -= 1) this.#step();
    }, tickMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#agent.destroy();
  }

  /** What happened since the previous sample. */
  sample(): LoadSample {
    const posts = this.#latencies;
    const pages = this.#pageLatencies;
    const failures = this.#failures;
    this.#latencies = [];
    this.#pageLatencies = [];
    this.#failures = {};
    return {
      posts: posts.length, failures,
      p50Ms: quantile(posts, 0.5), p99Ms: quantile(posts, 0.99),
      pageP99Ms: quantile(pages, 0.99),
    };
  }

  /** One notification of many new alerts. */
  storm(alerts: number): void {
    const group = `storm-${this.#next}`;
    this.#post(Array.from({ length: alerts }, () => this.#newAlert(group)), 'firing');
  }

  #step(): void {
    const chance = this.#random();
    const old = this.#oneOf(this.#sent) ?? this.#newAlert();
    if (chance < 0.4) this.#post([this.#newAlert()], 'firing');
    else if (chance < 0.5) this.storm(10);
    else if (chance < 0.7) this.#post([this.#oneOf(this.#firing) ?? old], 'firing');
    else {
      const ends = Math.max(1, this.#firing.length - firingKept);
      const ended = this.#firing.splice(0, ends);
      this.#post(ended.length > 0 ? ended : [old], 'resolved');
    }
    if (chance < 0.5) this.#read(chance * 2, old.fingerprint);
  }

  #oneOf(alerts: readonly SentAlert[]): SentAlert | undefined {
    return alerts[Math.floor(this.#random() * alerts.length)];
  }

  /** Any of 127.0.0.0/8 is this machine on Linux. */
  #readerAddress(): string {
    const number = Math.floor(this.#random() * readerAddresses);
    return `127.1.${number >> 8}.${number & 255}`;
  }

  #newAlert(group = `single-${this.#next}`): SentAlert {
    this.#next += 1;
    const alert = {
      fingerprint: `${this.#run}${this.#next.toString(16).padStart(8, '0')}`,
      labels: {
        alertname: `Soak${this.#next % 40}`,
        severity: this.#next % 3 === 0 ? 'critical' : 'warning',
        namespace: `shop-${this.#next % 12}`, job: 'soak', instance: group,
        pod: `pod-${this.#next}`,
      },
      startsAt: new Date().toISOString(),
    };
    if (this.#sent.length < remembered) this.#sent.push(alert);
    else this.#sent[this.#next % remembered] = alert;
    this.#firing.push(alert);
    return alert;
  }

  #post(alerts: readonly SentAlert[], status: 'firing' | 'resolved'): void {
    const endsAt = status === 'firing' ? '0001-01-01T00:00:00Z' : new Date().toISOString();
    const body = JSON.stringify({
      version: '4', status, receiver: 'soak', groupKey: `{}:{job="soak"}`,
      groupLabels: {}, commonLabels: {}, commonAnnotations: {}, truncatedAlerts: 0,
      externalURL: 'http://alertmanager.example.com:9093',
      alerts: alerts.map((alert) => ({
        ...alert, status, endsAt,
        annotations: { summary: 'Something is slower than 1 s: 2.4 s' },
        generatorURL: 'http://prometheus.example.com/graph?g0.expr=errors_total+%3E+1',
      })),
    });
    this.#ask('/webhook', { body, onMs: (ms) => this.#latencies.push(ms) });
  }

  #read(chance: number, fingerprint: string): void {
    const page = { onMs: (ms: number) => this.#pageLatencies.push(ms) };
    if (chance < 0.2) this.#ask('/', page);
    else if (chance < 0.3) this.#ask('/?severity=critical&text=soak7&since=1h', page);
    else if (chance < 0.6) this.#ask(`/report/${fingerprint}`, page);
    else if (chance < 0.75) this.#ask(`/report/${fingerprint}.json`, page);
    else if (chance < 0.85) this.#ask(`/report/${fingerprint}.md`, page);
    else if (chance < 0.95) this.#ask(`/report/${fingerprint}/events`, { endsAfterMs: listenMs });
    else {
      const body = JSON.stringify({ verdict: 'partly', note: 'said by the soak' });
      this.#ask(`/report/${fingerprint}/1/feedback`, { body });
    }
  }

  #ask(path: string, { body, onMs, endsAfterMs }: {
    readonly body?: string;
    readonly onMs?: (ms: number) => void;
    /** The reader disconnects then. */
    readonly endsAfterMs?: number;
  }): void {
    const startedAt = performance.now();
    const failed = (status: number): void => {
      this.#failures[status] = (this.#failures[status] ?? 0) + 1;
    };
    let hasLeft = false;
    const broke = (): void => {
      if (!hasLeft) failed(0);
    };
    const isSender = path === '/webhook';
    const asking = request(`${this.#options.url}${path}`, {
      agent: isSender ? this.#agent : false,
      ...(!isSender && { localAddress: this.#readerAddress() }),
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/json' },
    }, (answer) => {
      const status = answer.statusCode ?? 0;
      // A report may be unknown or forgotten (404), or hold as much feedback as it keeps (409).
      if (status >= 400 && status !== 404 && status !== 409) failed(status);
      answer.resume();
      answer.on('error', broke);
      answer.once('end', () => onMs?.(performance.now() - startedAt));
      if (endsAfterMs === undefined) return;
      setTimeout(() => {
        hasLeft = true;
        asking.destroy();
      }, endsAfterMs);
    });
    asking.on('error', broke);
    asking.end(body);
  }
}
