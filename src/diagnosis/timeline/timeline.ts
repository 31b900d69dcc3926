import { quotedPattern } from '../../evidence/logs/log-facts.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { dayMs } from '../../lib/time-units.ts';
import { capital } from '../../report/plain-text.ts';
import type { RelatedAlert, TimelineEntry } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime, momentOf } from '../../report/time-text.ts';
import { secondsOf, type Interval } from '../../statistics/interval.ts';
import type { Judged } from '../judged.ts';
import { isCutOff, quotedNews } from '../log-words.ts';
import { openAlertOf, relatedMax } from '../related.ts';
import { signText } from '../sign-text.ts';
import type { Situation } from '../situation.ts';
import { metricMoments } from './metric-moments.ts';
import type { Moment } from './moment.ts';

const relatedLinesMax = 10;
const textMax = 400;
/** Alerts of one name that begin this close to each other are listed together. */
const togetherMs = 5 * 60_000;
const episodesMax = 5;

/** What happened when, oldest first: this episode, what began around it, and the day before. */
export function timelineOf(situation: Judged): TimelineEntry[] {
  const { start } = situation.evidence.history.current;
  const entries = [
    ...earlierEpisodes(situation),
    ...relatedBeginnings(situation),
    ...thisEpisode(situation),
    ...metricMoments(situation),
    ...kubernetesMoments(situation),
    ...logMoments(situation),
  ];
  return entries
    .map((entry) => ({
      at: isoTime(entry.at),
      offset_seconds: Math.round(entry.at - start) / 1000,
      kind: entry.kind, ...(entry.change !== undefined && { change: entry.change }),
      text: shownText(entry.text, textMax), evidence: [entry.evidence],
    }))
    .sort((a, b) => a.offset_seconds - b.offset_seconds);
}

function thisEpisode({ caseFile, evidence }: Situation): Moment[] {
  const { current } = evidence.history;
  const { labels, group } = evidence.ids;
  const received = momentOf(caseFile.receivedAt, current.start);
  const { notifications } = caseFile.episode;
  return [
    { at: current.start, kind: 'started', text: 'The alert starts firing.', evidence: labels },
    {
      at: received,
      kind: 'received',
      text: notifications > 1
        ? `The latest of ${notifications} notifications arrives.`
        : 'The notification arrives.',
      evidence: group,
    },
    ...(current.end === null ? [] : [{
      at: current.end, kind: 'resolved' as const, evidence: labels,
      text: caseFile.episode.isEndUnknown
        ? 'Alertmanager is found not to have the alert any more.' : 'The alert is resolved.',
    }]),
  ];
}

/** Alerts of one name that begin within minutes of each other share a line. */
function relatedBeginnings({ caseFile, related, evidence }: Situation): Moment[] {
  const { start } = evidence.history.current;
  const begun = related.flatMap((alert) => {
    const other = openAlertOf(caseFile, alert);
    return other === undefined ? [] : [{ alert, at: momentOf(other.startsAt, start) }];
  });
  const least = related.length < relatedMax ? '' : 'At least ';
  return groupedBeginnings(begun).slice(0, relatedLinesMax).map((group) => {
    const [{ alert, at }] = group;
    const lastAt = Math.max(...group.map((each) => each.at));
    const within = lastAt === at ? '' : ` within ${formatDuration((lastAt - at) / 1000)}`;
    const what = group.length === 1 ? `${alert.name} begins.`
      : `${least}${group.length} ${alert.name} alerts begin${within}.`;
    return { at, kind: 'related', text: `${what} ${alert.why}`, evidence: evidence.ids.open };
  });
}

interface Beginning {
  readonly alert: RelatedAlert;
  readonly at: number;
}

/** In the order of their closest members; each group has its earliest member first. */
function groupedBeginnings(begun: readonly Beginning[]): [Beginning, ...Beginning[]][] {
  const groups: [Beginning, ...Beginning[]][] = [];
  for (const beginning of begun) {
    const group = groups.find((each) => each.some(({ alert, at }) =>
      alert.name === beginning.alert.name && Math.abs(at - beginning.at) <= togetherMs));
    if (group === undefined) groups.push([beginning]);
    else if (beginning.at < group[0].at) group.unshift(beginning);
    else group.push(beginning);
  }
  return groups;
}

function earlierEpisodes({ evidence, now }: Situation): Moment[] {
  const { earlier, current } = evidence.history;
  const recent = earlier.filter(({ start }) => start > current.start - dayMs);
  return recent.slice(0, episodesMax).map((episode) => ({
    at: episode.start,
    kind: 'episode' as const,
    text: `An earlier episode begins${lengthOf(episode, now)}.`,
    evidence: episode.isStored ? evidence.ids.history
      : (evidence.metrics?.fired?.evidence ?? evidence.ids.history),
  }));
}

function lengthOf(episode: Interval, now: number): string {
  return episode.end === null ? '' : ` and lasts ${formatDuration(secondsOf(episode, now))}`;
}

const newsMax = 3;

/** When the logs of the alert's object first said something new, or went silent. */
function logMoments({ evidence: { logs } }: Situation): Moment[] {
  const { trouble = null, rate = null } = logs ?? {};
  const moments: Moment[] = [];
  if (logs !== null && trouble !== null && !isCutOff(trouble, logs)) {
    for (const change of trouble.news.filter(({ kind }) => kind !== 'more').slice(0, newsMax)) {
      if (change.firstAtMs === null) continue;
      const text = `The log of ${trouble.owner} begins to say ${quotedNews(change)}.`;
      moments.push({ at: change.firstAtMs, kind: 'change', text, evidence: trouble.evidence });
    }
  }
  if (rate !== null && rate.silentSinceMs !== null) {
    const text = `The log of ${rate.owner} stops in Loki.`;
    moments.push({ at: rate.silentSinceMs, kind: 'change', text, evidence: rate.evidence });
  }
  return moments;
}

const signsMax = 6;

/** When each thing that Kubernetes reports began, or last happened. */
function kubernetesMoments({ evidence, now }: Situation): Moment[] {
  const { kubernetes, metrics } = evidence;
  if (kubernetes === null) return [];
  const { signs, lastWords, rollouts } = kubernetes;
  const moments = signs.slice(0, signsMax).map((sign) => ({
    at: sign.sinceMs ?? sign.lastMs, text: signText(sign, now), evidence: sign.evidence,
  }));
  if (lastWords !== null && lastWords.line !== null) {
    const text = `${capital(lastWords.who)} logs ${quotedPattern(lastWords.line)}.`;
    moments.push({ at: lastWords.atMs, text, evidence: lastWords.evidence });
  }
  // With metrics, rollouts are among the changes, which the timeline lists already.
  for (const { atMs, text, evidence: cited } of metrics === null ? rollouts : []) {
    moments.push({ at: atMs, text: `${text}.`, evidence: cited });
  }
  return moments.flatMap(({ at, ...moment }): Moment[] =>
    at === null ? [] : [{ at, kind: 'change', ...moment }]);
}
