/** Delivery of reports: who gets them, at which address, and the metrics. */
import type { EpisodeKey } from '../alert/episode-key.ts';
import type { Settings } from '../config/settings.ts';
import type { Chat } from '../delivery/chat.ts';
import { ChatReceiver } from '../delivery/chat-receiver.ts';
import { Deliveries, type Receiver } from '../delivery/deliveries.ts';
import { post } from '../delivery/post.ts';
import { slack } from '../delivery/slack.ts';
import type { Basics } from './basics.ts';
import type { Storage } from './storage.ts';

export interface Delivering {
  /** Called when a report was stored, new or changed. */
  readonly offer: (key: EpisodeKey) => void;
  /** Updates the gauges, before a scrape. */
  readonly measure: () => void;
}

interface DeliveringOptions extends Omit<Basics, 'version'> {
  readonly storage: Pick<Storage, 'book' | 'reports'>;
  readonly reportBase: string;
}

export const chats: readonly Chat[] = [slack];

/** Starts to deliver the reports that are offered; older ones are not delivered. */
export function startDelivering(options: DeliveringOptions): Delivering {
  const { clock, shutdown, metrics, log, settings, storage, reportBase } = options;
  const receivers: readonly ReceiverKind[] = [
    { to: 'webhook', open: () => webhookReceiver(storage.reports) },
    ...chats.map((chat) => ({
      to: chat.to, open: () => new ChatReceiver(chat, { clock, ...storage, reportBase }),
    })),
  ];
  const started = receivers.flatMap(({ to, open }) => {
    const secret = settings.delivery[to];
    if (secret === null) return [];
    const deliveries = new Deliveries({
      clock,
      log: log.with({ component: 'delivery' }),
      receiver: open(),
      setting: secret.name,
      // The address may change while the service runs.
      post: (body, signal) => post({ clock, url: secret.values()[0] ?? '', body, signal }),
      count: (outcome) => metrics.deliveries.inc({ to, outcome }),
    });
    return [{ to, deliveries }];
  });
  shutdown.onStop('deliveries', async () => {
    await Promise.all(started.map(({ deliveries }) => deliveries.stop()));
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
  };
}

interface ReceiverKind {
  readonly to: keyof Settings['delivery'];
  /** Called only if its address is configured. */
  readonly open: () => Receiver;
}

/** Gets every report, as JSON. */
function webhookReceiver(reports: Storage['reports']): Receiver {
  return {
    pauseMs: 0,
    rankOf: () => 0,
    async deliveryOf(key) {
      const body = await reports.read(key);
      return body === null ? null : { body };
    },
  };
}
