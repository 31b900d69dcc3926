/** Who gets reports: a webhook all of them, as JSON, and a chat what is news to its readers. */
import type { EpisodeKey } from '../alert/episode-key.ts';
import type { EpisodeBook } from '../episodes/book/episode-book.ts';
import type { Clock } from '../lib/clock.ts';
import type { ReportStore } from '../report/store/report-store.ts';
import type { Logger } from '../telemetry/log.ts';
import type { ServiceMetrics } from '../telemetry/service-metrics.ts';
import type { Chat } from './chat.ts';
import { ChatReceiver } from './chat-receiver.ts';
import { chats } from './chats.ts';
import { Deliveries, type Receiver } from './deliveries.ts';
import { post } from './post.ts';

export interface Receivers {
  /** Called when a report was stored, new or changed. */
  readonly offer: (key: EpisodeKey) => void;
  /** Updates the gauges, before a scrape. */
  readonly measure: () => void;
  /** Ends the posts under way; what still waits is not delivered. */
  readonly stop: () => Promise<void>;
}

/** Where a receiver is. */
export interface Address {
  /** Name of its setting, for the log. */
  readonly setting: string;
  /** The current one: it may change while the service runs. */
  readonly url: () => string;
}

type ReceiverName = 'webhook' | Chat['to'];

interface ReceiversOptions {
  /** Null for a receiver that is not configured. */
  readonly addresses: Readonly<Record<ReceiverName, Address | null>>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<ServiceMetrics, 'deliveries' | 'deliveriesWaiting'>;
  readonly book: EpisodeBook;
  readonly reports: Pick<ReportStore, 'read'>;
  readonly reportBase: string;
}

/** Starts to deliver the reports that are offered; older ones are not delivered. */
export function startReceivers(options: ReceiversOptions): Receivers {
  const { addresses, clock, log, metrics, book, reports, reportBase } = options;
  const kinds: readonly ReceiverKind[] = [
    { to: 'webhook', open: () => webhookReceiver(reports) },
    ...chats.map((chat) => ({
      to: chat.to, open: () => new ChatReceiver(chat, { clock, book, reports, reportBase }),
    })),
  ];
  const started = kinds.flatMap(({ to, open }) => {
    const address = addresses[to];
    if (address === null) return [];
    const deliveries = new Deliveries({
      clock, log,
      receiver: open(),
      setting: address.setting,
      post: (body, signal) => post({ clock, url: address.url(), body, signal }),
      count: (outcome) => metrics.deliveries.inc({ to, outcome }),
    });
    return [{ to, deliveries }];
  });
  return {
    offer(key) {
      for (const { deliveries } of started) deliveries.offer(key);
    },
    measure() {
      for (const { to, deliveries } of started) {
        metrics.deliveriesWaiting.set(deliveries.waiting, { to });
      }
    },
    async stop() {
      await Promise.all(started.map(({ deliveries }) => deliveries.stop()));
    },
  };
}

interface ReceiverKind {
  readonly to: ReceiverName;
  /** Called only if its address is configured. */
  readonly open: () => Receiver;
}

function webhookReceiver(reports: Pick<ReportStore, 'read'>): Receiver {
  return {
    pauseMs: 0,
    rankOf: () => 0,
    async deliveryOf(key) {
      const body = await reports.read(key);
      return body === null ? null : { body };
    },
  };
}
