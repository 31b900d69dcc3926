/** Delivery of reports: the receivers, what is posted to each, and the metrics. */
import type { EpisodeKey } from './alert/episode-key.ts';
import { severityRank } from './alert/severity.ts';
import { parseTime } from './alert/timestamp.ts';
import type { Basics } from './basics.ts';
import type { Secret } from './config/secret.ts';
import { ChatNews, type AlertNow, type IncidentNow, type News } from './delivery/chat-news.ts';
import { Deliveries, type DeliveryPorts, type Refusal } from './delivery/deliveries.ts';
import { slackDigest, slackMessage } from './delivery/slack-message.ts';
import type { EpisodeBook } from './episodes/book/episode-book.ts';
import { endOf, startOf, type Episode } from './episodes/episode.ts';
import { incidentOf } from './episodes/incident-of.ts';
import { toldBy } from './episodes/view/list-entry.ts';
import { layerRank } from './incidents/layer.ts';
import { layerRankOf, newestOfEach } from './incidents/member.ts';
import { stormMin } from './incidents/storm.ts';
import { withDeadline } from './lib/deadline.ts';
import { retryAfterMs } from './lib/retry-after.ts';
import { reportedIncident } from './report/incident.ts';
import type { Report } from './report/report.ts';
import { reportUrl } from './report/report-url.ts';
import { shownText } from './report/shown-text.ts';
import { storedReport } from './report/store/stored-report.ts';
import { fetchTransport } from './sources/fetch-transport.ts';
import { faultIn } from './sources/read-answer.ts';
import { faultOfError, type FailureReason, type Fault } from './sources/source-failure.ts';
import { isFlapping } from './statistics/recurrence.ts';
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
  const started = receivers(options).map(({ to, secret, rankOf, deliveryOf, pauseMs }) => {
    const deliveries = new Deliveries({
      clock,
      log: log.with({ component: 'delivery' }),
      setting: secret.name,
      rankOf,
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
  readonly rankOf: DeliveryPorts['rankOf'];
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
    rankOf: () => 0,
    async deliveryOf(key) {
      const body = await reports.read(key);
      return body === null ? null : { body };
    },
  };
}

/** Messages about single incidents within a minute; beyond it one tells of all that wait. */
const singlesMax = 5;
const minuteMs = 60_000;

/** Gets a message where a report is news to the chat. */
function slackReceiver(secret: Secret, options: DeliveringOptions): Receiver {
  const { clock, storage: { book }, reportBase } = options;
  const news = chatNewsOf(options);
  /** Posts within a minute of `since`, on the monotonic clock. */
  let minute = { since: -minuteMs, posts: 0 };
  return {
    to: 'slack', secret, pauseMs: slackPauseMs,
    rankOf: ({ fingerprint, number }) =>
      severityRank(book.find(fingerprint, number)?.severity ?? 'none'),
    async deliveryOf(key, others) {
      const single = await newsOf(options, news, key);
      if (single === null) return null;
      const { report, told, url } = single;
      const now = clock.monotonic();
      if (now - minute.since >= minuteMs) minute = { since: now, posts: 0 };
      const isFull = minute.posts >= singlesMax;
      const items = isFull ? itemsIn(options, { news, first: single, others: others() }) : [single];
      return {
        body: items.length === 1 ? slackMessage(report, { news: told, url })
          : digestOf(items, reportBase),
        ...(isFull && { pauseMs: Math.max(slackPauseMs, minute.since + minuteMs - now) }),
        onTaken() {
          minute.posts += 1;
          for (const item of items) news.tell(item.alert, item.incident, item.told);
        },
      };
    },
  };
}

/**
 * What the report of the episode is news of; else what that of the likely origin is, which may have
 * become it after its report was posted. Null for nothing.
 */
async function newsOf(
  options: DeliveringOptions,
  news: ChatNews,
  key: EpisodeKey,
): Promise<(Item & { readonly report: Report; readonly url: string }) | null> {
  const { storage: { book, reports }, reportBase } = options;
  const { fingerprint, number } = key;
  const report = await storedReport(reports, key);
  const episode = book.find(fingerprint, number);
  if (report === null || episode === null) return null;
  const incident = incidentNow(book, episode);
  const { ends_at: endsAt } = report.episode;
  const endedAt = endsAt === null ? null : parseTime(endsAt);
  const alert = { ...alertNow(options, episode), endedAt };
  const told = news.newsIn(alert, incident);
  if (told === null) {
    const { stormOrigin: origin } = incident;
    return origin === null || origin.key.fingerprint === fingerprint ? null
      : newsOf(options, news, origin.key);
  }
  // It has grown since the report was made.
  const now = reportedIncident({ ...incidentOf(book, episode, reportBase), reportBase });
  const shown = (told === 'end' ? await explainedIn(options, episode) : null) ?? { key, report };
  const url = reportUrl(reportBase, shown.key.fingerprint, shown.key.number);
  return { alert, incident, told, report: { ...shown.report, incident: now }, url };
}

/**
 * The report that tells of the end of an incident, as which alert ended last says nothing: that of
 * its likely origin, or the one with the cause that its page tells; null without them.
 */
async function explainedIn(
  { storage: { book, reports } }: DeliveringOptions,
  episode: Episode,
): Promise<{ readonly key: EpisodeKey; readonly report: Report } | null> {
  const { members, likelyOrigin } = book.rankedMembers(incidentIdOf(book, episode));
  const key = likelyOrigin ?? toldBy(newestOfEach(members), null).cause?.episode ?? episode;
  const report = key === episode ? null : await storedReport(reports, key);
  if (report === null) return null;
  // It may not have been made again since the end.
  const end = { ends_at: key.endsAt, end_unknown: key.isEndUnknown };
  return { key, report: { ...report, episode: { ...report.episode, ...end } } };
}

/** What the chat is to be told of an incident, and because of which alert. */
interface Item {
  readonly alert: AlertNow;
  readonly incident: IncidentNow;
  readonly told: News;
}

interface Waiting {
  readonly news: ChatNews;
  readonly first: Item;
  readonly others: readonly EpisodeKey[];
}

/**
 * The news in all reports that wait, one item for each incident: that of its worst alert. Only the
 * first if there is no other incident, as its report is posted then.
 */
function itemsIn(options: DeliveringOptions, { news, first, others }: Waiting): readonly Item[] {
  const { book } = options.storage;
  const found = new Map([[first.incident.id, first]]);
  // An incident may have hundreds of members, all of which wait here.
  const incidents = new Map([[first.incident.id, first.incident]]);
  for (const { fingerprint, number } of others) {
    const episode = book.find(fingerprint, number);
    if (episode === null || episode.conclusion === null) continue;
    const id = incidentIdOf(book, episode);
    const incident = incidents.get(id) ?? incidentNow(book, episode);
    incidents.set(id, incident);
    const alert = alertNow(options, episode);
    const told = news.newsIn(alert, incident);
    const known = found.get(incident.id);
    const rank = known === undefined ? Infinity : severityRank(known.alert.severity);
    if (told !== null && severityRank(alert.severity) < rank) {
      found.set(incident.id, { alert, incident, told });
    }
  }
  return found.size === 1 ? [first] : [...found.values()];
}

function digestOf(items: readonly Item[], reportBase: string): string {
  const firing = items.filter(({ told }) => told !== 'end');
  return slackDigest({
    firing: firing.map(({ alert }) => alert.severity),
    ended: items.length - firing.length,
    url: `${reportBase}/`,
  });
}

function alertNow({ clock, storage: { book } }: DeliveringOptions, episode: Episode): AlertNow {
  const { fingerprint, severity, endsAt } = episode;
  const starts = book.episodesOf(fingerprint).map((each) => ({ start: startOf(each) }));
  return {
    fingerprint, severity,
    startsAt: startOf(episode),
    endedAt: endsAt === null ? null : endOf(episode),
    isFlapping: isFlapping(starts, clock.now()),
  };
}

/** Open alerts that have a report count as announced: the last process may have done so. */
function chatNewsOf({ clock, storage: { book } }: DeliveringOptions): ChatNews {
  const reported = [...book.open].filter(({ conclusion }) => conclusion !== null);
  return new ChatNews(clock, reported.map((episode) => {
    return [incidentIdOf(book, episode), {
      rank: severityRank(episode.severity), startsAt: startOf(episode),
      originLayer: layerRankOf(episode),
    }];
  }));
}

function incidentNow(book: EpisodeBook, episode: Episode): IncidentNow {
  const id = incidentIdOf(book, episode);
  const { members, likelyOrigin } = book.rankedMembers(id);
  const origin = newestOfEach(members).length > stormMin ? likelyOrigin : null;
  const layer = origin === null ? Infinity : layerRankOf(origin);
  const fires = ({ endsAt, severity }: Episode): boolean => endsAt === null && severity !== 'none';
  return {
    id,
    ids: [...new Set([id, ...members.map(({ incident }) => incident?.openedAs ?? id)])],
    isFiring: [episode, ...members].some(fires),
    // Of services that fail, the one that fires first need not be the one that others call.
    stormOrigin: origin === null || layer >= layerRank('service') ? null : { key: origin, layer },
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

/** Resolves to null once the receiver has accepted it; never rejects. */
export async function post(
  { clock }: Pick<DeliveringOptions, 'clock'>,
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
