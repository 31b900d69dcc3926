import type { EpisodeKey } from '../alert/episode-key.ts';
import { severityRank } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { EpisodeBook } from '../episodes/book/episode-book.ts';
import { endOf, startOf, type Episode } from '../episodes/episode.ts';
import { incidentOf } from '../episodes/incident-of.ts';
import { summaryOf } from '../episodes/view/list-entry.ts';
import { layerRank } from '../incidents/layer.ts';
import { layerRankOf, newestOfEach } from '../incidents/member.ts';
import { stormMin } from '../incidents/storm.ts';
import type { Clock } from '../lib/clock.ts';
import { minuteMs } from '../lib/time-units.ts';
import { reportedIncident } from '../report/incident.ts';
import type { Report } from '../report/report.ts';
import { reportUrl } from '../report/report-url.ts';
import type { ReportStore } from '../report/store/report-store.ts';
import { storedReport } from '../report/store/stored-report.ts';
import { isFlapping } from '../statistics/recurrence.ts';
import type { Chat } from './chat.ts';
import { ChatNews, type AlertNow, type IncidentNow, type NewsKind } from './chat-news.ts';
import type { Delivery, Receiver } from './deliveries.ts';

interface ChatPorts {
  readonly clock: Clock;
  readonly book: EpisodeBook;
  readonly reports: Pick<ReportStore, 'read'>;
  /** What links to reports begin with; no slash at the end. */
  readonly reportBase: string;
}

/** The news of an incident, and the alert that is the reason for it. */
interface Item {
  readonly alert: AlertNow;
  readonly incident: IncidentNow;
  readonly news: NewsKind;
}

/** Messages about single incidents within a minute; beyond it one covers all that wait. */
const singlesMax = 5;

/** Gets a message where a report is news to the chat. */
export class ChatReceiver implements Receiver {
  readonly pauseMs: number;
  readonly #chat: Chat;
  readonly #ports: ChatPorts;
  readonly #news: ChatNews;
  /** Posts within a minute of `since`, on the monotonic clock. */
  #minute = { since: -minuteMs, posts: 0 };

  constructor(chat: Chat, ports: ChatPorts) {
    this.pauseMs = chat.pauseMs;
    this.#chat = chat;
    this.#ports = ports;
    this.#news = chatNewsOf(ports);
  }

  rankOf({ fingerprint, number }: EpisodeKey): number {
    return severityRank(this.#ports.book.find(fingerprint, number)?.severity ?? 'none');
  }

  async deliveryOf(
    key: EpisodeKey,
    others: () => readonly EpisodeKey[],
  ): Promise<Delivery | null> {
    const single = await this.#newsOf(key);
    if (single === null) return null;
    const { report, news, url } = single;
    const now = this.#ports.clock.monotonic();
    if (now - this.#minute.since >= minuteMs) this.#minute = { since: now, posts: 0 };
    const { since, posts } = this.#minute;
    const isFull = posts >= singlesMax;
    const items = isFull ? this.#itemsIn(single, others()) : [single];
    return {
      body: items.length === 1 ? this.#chat.message(report, { news: news, url })
        : this.#digestOf(items),
      ...(isFull && { pauseMs: Math.max(this.pauseMs, since + minuteMs - now) }),
      onTaken: () => {
        this.#minute.posts += 1;
        for (const item of items) this.#news.announce(item.alert, item.incident, item.news);
      },
    };
  }

  /**
   * What the report of the episode is news of; else what that of the likely origin is, which may
   * have become it after its report was posted. Null for nothing.
   */
  async #newsOf(
    key: EpisodeKey,
  ): Promise<(Item & { readonly report: Report; readonly url: string }) | null> {
    const { book, reports, reportBase } = this.#ports;
    const { fingerprint, number } = key;
    const report = await storedReport(reports, key);
    const episode = book.find(fingerprint, number);
    if (report === null || episode === null) return null;
    const incident = incidentNow(book, episode);
    const { ends_at: endsAt } = report.episode;
    const endedAt = endsAt === null ? null : parseTime(endsAt);
    const alert = { ...alertNow(this.#ports, episode), endedAt, isNarrated: isNarrated(report) };
    const news = this.#news.newsIn(alert, incident);
    if (news === null) {
      const { stormOrigin: origin } = incident;
      return origin === null || origin.key.fingerprint === fingerprint ? null
        : this.#newsOf(origin.key);
    }
    // It has grown since the report was made.
    const now = reportedIncident({ ...incidentOf(book, episode, reportBase), reportBase });
    const explained = news === 'end' ? await explainedIn(this.#ports, episode) : null;
    const shown = explained ?? { key, report };
    const url = reportUrl(reportBase, shown.key.fingerprint, shown.key.number);
    return { alert, incident, news, report: { ...shown.report, incident: now }, url };
  }

  /**
   * The news in all reports that wait, one item for each incident: that of its worst alert. Only
   * the first if there is no other incident, as its report is posted then.
   */
  #itemsIn(first: Item, others: readonly EpisodeKey[]): readonly Item[] {
    const { book } = this.#ports;
    const found = new Map([[first.incident.id, first]]);
    // An incident may have hundreds of members, all of which wait here.
    const incidents = new Map([[first.incident.id, first.incident]]);
    for (const { fingerprint, number } of others) {
      const episode = book.find(fingerprint, number);
      if (episode === null || episode.conclusion === null) continue;
      const id = incidentIdOf(book, episode);
      const incident = incidents.get(id) ?? incidentNow(book, episode);
      incidents.set(id, incident);
      const alert = alertNow(this.#ports, episode);
      const news = this.#news.newsIn(alert, incident);
      const known = found.get(id);
      const rank = known === undefined ? Infinity : severityRank(known.alert.severity);
      if (news !== null && severityRank(alert.severity) < rank) {
        found.set(id, { alert, incident, news });
      }
    }
    return found.size === 1 ? [first] : [...found.values()];
  }

  #digestOf(items: readonly Item[]): string {
    const firing = items.filter(({ news }) => news !== 'end');
    return this.#chat.digest({
      firing: firing.map(({ alert }) => alert.severity),
      ended: items.length - firing.length,
      url: `${this.#ports.reportBase}/`,
    });
  }
}

/**
 * The report to link at the end of an incident, as which alert ended last says nothing: that of
 * its likely origin, or the one with the cause that its page tells; null without them.
 */
async function explainedIn(
  { book, reports }: ChatPorts,
  episode: Episode,
): Promise<{ readonly key: EpisodeKey; readonly report: Report } | null> {
  const ranked = book.rankedMembers(incidentIdOf(book, episode));
  const summary = summaryOf(newestOfEach(ranked.members), ranked);
  const key = ranked.likelyOrigin ?? summary.cause?.episode ?? episode;
  const report = key === episode ? null : await storedReport(reports, key);
  if (report === null) return null;
  if (report.episode.ends_at !== null) return { key, report };
  // It has not been made again since the end, and tells the value as if it lasted.
  const end = { ends_at: key.endsAt, end_unknown: key.isEndUnknown };
  const verdict = { ...report.verdict, gist: '' };
  return { key, report: { ...report, verdict, episode: { ...report.episode, ...end } } };
}

/** Open alerts that have a report count as announced: the last process may have done so. */
function chatNewsOf({ clock, book }: ChatPorts): ChatNews {
  const reported = [...book.open].filter(({ conclusion }) => conclusion !== null);
  return new ChatNews(clock, reported.map((episode) => {
    const id = incidentIdOf(book, episode);
    const isOrigin = book.rankedMembers(id).likelyOrigin === episode;
    const origin = isOrigin ? incidentNow(book, episode).stormOrigin : null;
    return [id, {
      rank: severityRank(episode.severity), startsAt: startOf(episode),
      originLayer: origin?.layer ?? Infinity, isNarrated: true,
    }];
  }));
}

/** Narratives of earlier versions have no separate findings. */
function isNarrated({ narrative }: Report): boolean {
  return narrative.state === 'present' && narrative.asserted !== undefined
    && narrative.claims.length > 0;
}

/** Without its report, which may have a narrative. */
function alertNow({ clock, book }: ChatPorts, episode: Episode): AlertNow {
  const { fingerprint, severity, endsAt } = episode;
  const starts = book.episodesOf(fingerprint).map((each) => ({ start: startOf(each) }));
  return {
    fingerprint, severity,
    startsAt: startOf(episode),
    endedAt: endsAt === null ? null : endOf(episode),
    isFlapping: isFlapping(starts, clock.now()),
    isNarrated: false,
  };
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
    // The service that fires first need not be the one that the other failing ones call.
    stormOrigin: origin === null || layer >= layerRank('service') ? null : { key: origin, layer },
  };
}

/** An episode outside every incident is an incident of its own. */
function incidentIdOf(book: EpisodeBook, episode: Episode): string {
  return book.membershipOf(episode)?.id ?? `${episode.number} ${episode.fingerprint}`;
}
