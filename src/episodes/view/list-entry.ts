import { severityRank } from '../../alert/severity.ts';
import type { RankedMembers } from '../../incidents/member.ts';
import { placeOf } from '../../report/alert-place.ts';
import { byCertainty } from '../../report/certainty.ts';
import { factsOf, type CauseFacts } from '../../report/kinds.ts';
import type { Certainty, Classification } from '../../report/report.ts';
import type { ReportListEntry } from '../../report/report-list.ts';
import { reportUrl } from '../../report/report-url.ts';
import { isoTime } from '../../report/time-text.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import { endOf, startOf, type Episode } from '../episode.ts';
import { statusOf } from './report-status.ts';

/** Latest episodes of an alert that a list draws. */
const recentMax = 20;

/** The episode for a list, from memory alone, so that a page of them reads no files. */
export function listEntry(
  book: EpisodeBook,
  episode: Episode,
  reportBase: string,
): ReportListEntry {
  const { fingerprint, number, name, severity, namespace, startsAt, endsAt } = episode;
  const { isEndUnknown, notifications, conclusion, identity } = episode;
  return {
    fingerprint, number, name, severity, namespace,
    // What a report says of it is without what only the rule's author calls it.
    place: conclusion?.place || (identity === null ? '' : placeOf(identity.labels)),
    starts_at: startsAt,
    ends_at: endsAt,
    end_unknown: isEndUnknown,
    suppressed: book.open.suppressionOf(episode),
    status: statusOf(episode),
    classification: conclusion?.classification ?? null,
    certainty: conclusion?.certainty ?? null,
    headline: conclusion?.headline ?? null,
    gist: conclusion?.gist ?? conclusion?.headline ?? '',
    most_likely: conclusion?.cause ?? null,
    do_first: conclusion?.firstStep ?? null,
    notifications,
    heard_at: endsAt === null ? isoTime(book.heardAt(fingerprint)) : null,
    said: episode.feedback.at(-1)?.verdict ?? null,
    report_url: reportUrl(reportBase, fingerprint, number),
    recent: book.episodesOf(fingerprint).slice(-recentMax)
      .map(({ startsAt: from, endsAt: to }) => ({ from, to })),
  };
}

const classificationRanks: Readonly<Record<Classification, number>> = {
  actionable: 0, data_problem: 1, inconclusive: 1, informational: 2, recovered: 2, noisy: 3,
};

/** Rank of an episode without a conclusion: it may need action. */
const unknownRank = 1;
const ranksPerSeverity = 10;

/** Lower is more urgent: by severity, then by the report's conclusion. */
export function urgencyRank({ severity, conclusion }: Episode): number {
  const found = conclusion === null ? unknownRank : classificationRanks[conclusion.classification];
  return severityRank(severity) * ranksPerSeverity + found;
}

/** Sorts by urgency, then by the latest start. */
export function byUrgency(episodes: readonly Episode[]): Episode[] {
  const ranked = episodes.map((episode) => (
    { episode, rank: urgencyRank(episode), start: startOf(episode) }));
  ranked.sort((a, b) => a.rank - b.rank || b.start - a.start);
  return ranked.map(({ episode }) => episode);
}

/** The most urgent that fires; if none does, the likely origin or else the most urgent. */
export function leadOf(episodes: readonly Episode[], likelyOrigin: Episode | null): Episode {
  const firing = episodes.filter(({ endsAt }) => endsAt === null);
  const [worst] = byUrgency(firing.length === 0 ? episodes : firing);
  if (worst === undefined) throw new Error('An incident needs an alert');
  const isFromOrigin = likelyOrigin !== null && episodes.includes(likelyOrigin);
  return worst.endsAt !== null && isFromOrigin ? likelyOrigin : worst;
}

interface Cause extends CauseFacts {
  readonly episode: Episode;
  readonly text: string;
  readonly certainty: Certainty;
}

/** What the reports of several episodes tell together, and which of them; null for nothing. */
interface Summary {
  readonly cause: Cause | null;
  readonly first: { episode: Episode; text: string } | null;
}

/**
 * The most certain cause in the reports of what fires, or of all once they have ended: of those
 * first whose investigation reached what fails deepest; of equals a release, then that of the
 * likely origin, then that of the first alert. And a first step: where possible that of the likely
 * origin while it fires, else that of the report with this cause.
 */
export function summaryOf(
  episodes: readonly Episode[],
  { likelyOrigin, origin }: Pick<RankedMembers<Episode>, 'likelyOrigin' | 'origin'>,
): Summary {
  const reaching = new Set(origin?.reachedBy);
  const firing = episodes.filter(({ endsAt }) => endsAt === null);
  const asked = byUrgency(firing.length === 0 ? episodes : firing);
  const isOrigin = ({ fingerprint }: Episode): boolean => fingerprint === likelyOrigin?.fingerprint;
  const all = asked.flatMap((episode) => {
    const { cause: text = null, certainty, ...facts } = episode.conclusion ?? {};
    return text === null || certainty === undefined ? []
      : [{ ...factsOf(facts), episode, text, certainty }];
  });
  const released = new Set(all.filter(isOfRelease).flatMap(({ about = [] }) => about));
  // Reports on the origin itself: that of its own alert, or of those that lead there.
  const reaches = ({ episode, certainty, about }: Cause): number => Number(origin !== null &&
    reaching.has(episode) && certainty !== 'inconclusive' &&
    (origin.at.includes(episode) || about?.includes(origin.found.name) === true));
  const causes = all.sort((a, b) => reaches(b) - reaches(a) ||
    byCertainty(weighed(a, released), weighed(b, released)) ||
    Number(isOfRelease(b)) - Number(isOfRelease(a)) ||
    Number(isOrigin(b.episode)) - Number(isOrigin(a.episode)) ||
    byCertainty(a, b) || startOf(a.episode) - startOf(b.episode));
  const best = causes.slice(0, 1).map(({ episode }) => episode);
  const steps = [...firing.filter(isOrigin), ...best, ...asked].flatMap((episode) => {
    const text = episode.conclusion?.firstStep ?? null;
    return text === null ? [] : [{ episode, text }];
  });
  return { cause: causes[0] ?? null, first: steps[0] ?? null };
}

function isOfRelease({ kind }: CauseFacts): boolean {
  return kind === 'release' || kind === 'config';
}

/**
 * As certain as it counts. A cause that says to look elsewhere tells less of an incident than a
 * release there; `released` are the components that were released.
 */
function weighed(
  { kind, about, certainty }: Cause,
  released: ReadonlySet<string>,
): { readonly certainty: Certainty } {
  const isLess = kind === 'same_problem' ||
    (kind === 'dependency' && (about?.some((name) => released.has(name)) ?? true));
  return { certainty: certainty === 'likely' && isLess ? 'possible' : certainty };
}

/** The first start and the last end of the episodes; `last` is null while one of them is open. */
export function firstAndLast(episodes: readonly Episode[]): { first: string; last: string | null } {
  let [first, last]: [Episode | null, Episode | null] = [null, null];
  for (const episode of episodes) {
    if (first === null || startOf(episode) < startOf(first)) first = episode;
    if (last === null || endOf(episode) > endOf(last)) last = episode;
  }
  return { first: first?.startsAt ?? '', last: last?.endsAt ?? null };
}
