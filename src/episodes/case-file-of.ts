import { emptyAlert } from '../alert/alert.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { firstIndexWhere } from '../lib/binary-search.ts';
import { dayMs } from '../lib/time-units.ts';
import type { CaseFile, KnownFeedback, UnlistedEpisodes } from '../report/case-file.ts';
import { reportUrl } from '../report/report-url.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import { latestFeedback } from './book/feedback-index.ts';
import { identityOf } from './book/open-episodes.ts';
import { thingIn } from './conclusion.ts';
import { startOf, type Episode } from './episode.ts';
import { incidentOf } from './incident-of.ts';
import type { AlertInGroup } from './received-alert.ts';

/** Most earlier episodes in a case file: enough for a month of an alert that fires every hour. */
const earlierMax = 720;
/** Most feedback on the alert's own episodes, and most on others with the same name. */
const feedbackMax = 5;

/** Everything that the service knows about the episode at `now` (ms), for an investigation. */
export function caseFileOf(
  book: EpisodeBook,
  episode: Episode,
  { reportBase, now }: { readonly reportBase: string; readonly now: number },
): CaseFile {
  const { alert, group } = episode.latest?.read() ?? remembered(episode);
  const at = episode.latest?.at ?? startOf(episode);
  const own = upTo(episode, book.episodesOf(episode.fingerprint));
  const earlier = own.slice(-earlierMax - 1, -1).reverse();
  const isOpen = episode.endsAt === null;
  return {
    alert, group,
    receivedAt: new Date(at).toISOString(),
    episode: {
      number: episode.number,
      startsAt: episode.startsAt,
      endsAt: episode.endsAt,
      isEndUnknown: episode.isEndUnknown,
      notifications: episode.notifications,
    },
    reportUrl: reportUrl(reportBase, episode.fingerprint, episode.number),
    reportBase,
    earlier: earlier.map(({ number, startsAt, endsAt, conclusion }) => ({
      number, startsAt, endsAt, classification: conclusion?.classification ?? null,
    })),
    unlisted: unlistedOf(own.slice(0, -earlierMax - 1), now),
    openAlerts: book.open.near(episode),
    // Alerts without a name share none.
    sameNameOpen: labelOf(identityOf(episode)?.labels ?? alert.labels, 'alertname') === null ? 0
      : book.open.countOfName(episode.name) - (isOpen ? 1 : 0),
    attempts: episode.attemptsTotal,
    ...incidentOf(book, episode, reportBase),
    feedback: feedbackFor(book, episode, own, reportBase),
    foundBefore: null,
  };
}

/** The fingerprint's episodes up to this one, oldest first. */
function upTo(episode: Episode, all: readonly Episode[]): readonly Episode[] {
  const end = firstIndexWhere(all, (each) => each.number >= episode.number);
  return all.slice(0, end).concat(episode);
}

/** `episodes` are the oldest first, and each began after the one before it. */
function unlistedOf(episodes: readonly Episode[], now: number): UnlistedEpisodes | null {
  const count = episodes.length;
  if (count === 0) return null;
  const began = (days: number): number => count - firstIndexWhere(episodes, (episode) =>
    startOf(episode) > now - days * dayMs);
  return { count, last24h: began(1), last7d: began(7), last30d: began(30) };
}

/** The thing that it is about, by its report, or else by the labels of the open alert. */
function thingOfEpisode(episode: Episode): string | null {
  const labels = identityOf(episode)?.labels;
  return episode.conclusion?.thing ?? (labels === undefined ? null : thingIn(labels));
}

function feedbackFor(
  book: EpisodeBook,
  episode: Episode,
  own: readonly Episode[],
  reportBase: string,
): KnownFeedback[] {
  const { fingerprint, name } = episode;
  const here = thingOfEpisode(episode);
  const others = latestFeedback(book.feedback.ofName(name), feedbackMax, (other) =>
    other.fingerprint !== fingerprint && here !== null && thingOfEpisode(other) === here);
  return [...latestFeedback(own, feedbackMax), ...others].map(({ episode: of, feedback }) => ({
    fingerprint: of.fingerprint,
    number: of.number,
    startsAt: of.startsAt,
    reportUrl: reportUrl(reportBase, of.fingerprint, of.number),
    ...feedback,
  }));
}

/** What is still known of an alert after its report was written and `latest` was freed. */
export function remembered(episode: Episode): AlertInGroup {
  const labels: LabelSet = episode.identity?.labels ?? {
    alertname: episode.name,
    severity: episode.severity,
    ...(episode.namespace !== null && { namespace: episode.namespace }),
  };
  return {
    alert: {
      ...emptyAlert(episode.fingerprint),
      status: episode.endsAt === null ? 'firing' : 'resolved',
      labels: labelOf(labels, 'alertname') === null ? { alertname: episode.name } : labels,
      startsAt: episode.startsAt,
      endsAt: episode.endsAt,
    },
    group: {
      receiver: '', groupKey: episode.identity?.groupKey ?? '', groupLabels: {},
      externalURL: '', listed: 1, truncated: 0,
    },
  };
}
