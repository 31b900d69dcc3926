import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { CaseFile } from '../report/case-file.ts';
import { reportUrl } from '../report/report-url.ts';
import type { Episode } from './episode.ts';
import type { EpisodeBook } from './episode-book.ts';
import { incidentOf } from './incident-of.ts';
import type { AlertInGroup } from './received-alert.ts';

/** Earlier episodes handed to an investigation: enough for a month of an hourly alert's rhythm. */
const earlierMax = 720;

/** All that the service knows about the episode, as an investigation is given it. */
export function caseFileOf(book: EpisodeBook, episode: Episode, reportBase: string): CaseFile {
  const { alert, group } = episode.latest?.read() ?? remembered(episode);
  const at = episode.latest?.at ?? (Date.parse(episode.startsAt) || 0);
  const earlier = book
    .episodesOf(episode.fingerprint)
    .filter(({ number }) => number < episode.number)
    .slice(-earlierMax)
    .reverse();
  const isOpen = episode.endsAt === null;
  return {
    alert,
    group,
    receivedAt: new Date(at).toISOString(),
    episode: {
      number: episode.number,
      startsAt: episode.startsAt,
      endsAt: episode.endsAt,
      notifications: episode.notifications,
    },
    reportUrl: reportUrl(reportBase, episode.fingerprint, episode.number),
    reportBase,
    earlier: earlier.map(({ number, startsAt, endsAt, conclusion }) => ({
      number, startsAt, endsAt, classification: conclusion?.classification ?? null,
    })),
    openAlerts: book.open.near(episode),
    sameNameOpen: book.open.countOfName(episode.name) - (isOpen ? 1 : 0),
    attempts: episode.attemptsTotal,
    ...incidentOf(book, episode, reportBase),
  };
}

/** What is left of an alert once its report is written: enough for a report that says so. */
function remembered(episode: Episode): AlertInGroup {
  const labels: LabelSet = episode.identity?.labels ?? {
    alertname: episode.name,
    severity: episode.severity,
    ...(episode.namespace !== null && { namespace: episode.namespace }),
  };
  return {
    alert: {
      status: episode.endsAt === null ? 'firing' : 'resolved',
      labels: labelOf(labels, 'alertname') === null ? { alertname: episode.name } : labels,
      annotations: {},
      startsAt: episode.startsAt,
      endsAt: episode.endsAt,
      generatorURL: '',
      fingerprint: episode.fingerprint,
      values: {},
      dashboardURL: '',
      panelURL: '',
    },
    group: {
      receiver: '', groupKey: episode.identity?.groupKey ?? '', groupLabels: {},
      externalURL: '', listed: 1, truncated: 0,
    },
  };
}
