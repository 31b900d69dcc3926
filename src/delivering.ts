/** Delivery of reports: the receivers, what is posted to each, and the metrics. */
import type { EpisodeKey } from './alert/episode-key.ts';
import { severityRank } from './alert/severity.ts';
import { parseTime } from './alert/timestamp.ts';
import type { Basics } from './basics.ts';
import type { Secret } from './config/secret.ts';
import { ChatNews, type IncidentNow } from './delivery/chat-news.ts';
import { Deliveries, type DeliveryPorts, type Refusal } from './delivery/deliveries.ts';
import { slackMessage } from './delivery/slack-message.ts';
import type { EpisodeBook } from './episodes/book/episode-book.ts';
import type { Episode } from './episodes/episode.ts';
import { withDeadline } from './lib/deadline.ts';
import { retryAfterMs } from './lib/retry-after.ts';
import { reportUrl } from './report/report-url.ts';
import { shownText } from './report/shown-text.ts';
import { storedReport } from './report/store/stored-report.ts';
import { fetchTransport } from './sources/fetch-transport.ts';
import { faultIn } from './sources/read-answer.ts';
import { faultOfError, type FailureReason, type Fault } from './sources/source-failure.ts';
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

/** Long, as some receivers do all their work before they answer, and a timeout posts again. */
const answerTimeoutMs = 30_000;
const detailLengthMax = 200;
/** Slack takes one message a second (https://docs.slack.dev/apis/web-api/rate-limits). */
const slackPauseMs = 1_000;

/** Starts to deliver the reports that are offered; older ones are not delivered. */
export function startDelivering(options: DeliveringOptions): Delivering {
  const { clock, shutdown, metrics, log } = options;
  const started = receivers(options).map(({ to, secret, deliveryOf, pauseMs }) => {
    const deliveries = new Deliveries({
      clock,
      log: log.with({ component: 'delivery' }),
      setting: secret.name,
      deliveryOf,
      post: (body, signal) => post(options, { secret, body, signal }),
      count: (outcome) => metrics.deliveries.inc({ to, outcome }),
      pauseMs,
    });
    return { to, deliveries };
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

interface Receiver {
  readonly to: 'webhook' | 'slack';
  /** Holds the address, which may change while the service runs. */
  readonly secret: Secret;
  readonly deliveryOf: DeliveryPorts['deliveryOf'];
  readonly pauseMs: number;
}

/** Those that are configured. */
function receivers(options: DeliveringOptions): readonly Receiver[] {
  const { webhookUrl, slackUrl } = options.settings.delivery;
  return [
    ...(webhookUrl === null ? [] : [webhookReceiver(webhookUrl, options)]),
    ...(slackUrl === null ? [] : [slackReceiver(slackUrl, options)]),
  ];
}

/** Gets every report, as JSON. */
function webhookReceiver(secret: Secret, { storage: { reports } }: DeliveringOptions): Receiver {
  return {
    to: 'webhook', secret, pauseMs: 0,
    async deliveryOf(key) {
      const body = await reports.read(key);
      return body === null ? null : { body };
    },
  };
}

/** Gets a message where a report is news to the chat. */
function slackReceiver(secret: Secret, options: DeliveringOptions): Receiver {
  const { storage: { book, reports }, reportBase } = options;
  const news = chatNewsOf(options);
  return {
    to: 'slack', secret, pauseMs: slackPauseMs,
    async deliveryOf(key) {
      const { fingerprint, number } = key;
      const report = await storedReport(reports, key);
      const episode = book.find(fingerprint, number);
      if (report === null || episode === null) return null;
      const incident = incidentNow(book, episode);
      const told = news.newsIn(report, incident);
      if (told === null) return null;
      const url = reportUrl(reportBase, fingerprint, number);
      const body = slackMessage(report, { news: told, url });
      return { body, onTaken: () => news.tell(report, incident, told) };
    },
  };
}

/** Open alerts that have a report count as announced: the last process may have done so. */
function chatNewsOf({ clock, storage: { book } }: DeliveringOptions): ChatNews {
  const reported = [...book.open].filter(({ conclusion }) => conclusion !== null);
  return new ChatNews(clock, reported.map((episode) => {
    const { severity, startsAt } = episode;
    const told = { rank: severityRank(severity), startsAt: parseTime(startsAt) ?? 0 };
    return [incidentIdOf(book, episode), told];
  }));
}

function incidentNow(book: EpisodeBook, episode: Episode): IncidentNow {
  const id = incidentIdOf(book, episode);
  const { members } = book.rankedMembers(id);
  const fires = ({ endsAt, severity }: Episode): boolean => endsAt === null && severity !== 'none';
  return {
    id,
    ids: [...new Set([id, ...members.map(({ incident }) => incident?.openedAs ?? id)])],
    isFiring: [episode, ...members].some(fires),
  };
}

/** An episode outside every incident is an incident of its own. */
function incidentIdOf(book: EpisodeBook, episode: Episode): string {
  return book.membershipOf(episode)?.id ?? `${episode.number} ${episode.fingerprint}`;
}

interface Posted {
  readonly secret: Secret;
  readonly body: string;
  readonly signal: AbortSignal;
}

async function post(
  { clock }: DeliveringOptions,
  { secret, body, signal: outer }: Posted,
): Promise<Refusal | null> {
  const [url = ''] = secret.values();
  return withDeadline({ clock, ms: answerTimeoutMs, outer }, async (signal) => {
    try {
      const answer = await fetchTransport({
        url, body, method: 'POST', signal,
        headers: { 'content-type': 'application/json', 'user-agent': 'alert-analyst' },
      });
      const fault = await faultIn(answer);
      return fault && refusalOf(fault, url, retryAfterMs(answer.retryAfter, clock.now()));
    } catch (error) {
      const detail = `no complete answer within ${answerTimeoutMs / 1000} s`;
      const fault: Fault = signal.aborted ? { reason: 'timeout', detail } : faultOfError(error);
      return refusalOf(fault, url, null);
    }
  });
}

/** Failures after which the same report may well be accepted later. */
const transient: ReadonlySet<FailureReason> = new Set([
  'timeout', 'connection', 'tls', 'rate_limited', 'server_error',
]);

function refusalOf(fault: Fault, url: string, waitMs: number | null): Refusal {
  const detail = shownText(withoutPath(fault.detail, url), detailLengthMax);
  return { detail, isTransient: transient.has(fault.reason), retryAfterMs: waitMs };
}

/** Shorter segments are not secrets, and are too common to be redacted. */
const secretLengthMin = 8;

/** Some servers quote the path in an error, and for webhooks the path is the secret. */
function withoutPath(text: string, url: string): string {
  const { pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  return [path, ...path.split(/[/?&=]/)]
    .filter(({ length }) => length >= secretLengthMin)
    .reduce((rest, part) => rest.replaceAll(part, '***'), text);
}
