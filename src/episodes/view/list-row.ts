import { newestOfEach } from '../../incidents/member.ts';
import { incidentUrl } from '../../report/incident.ts';
import type { IncidentRow, ReportListRow } from '../../report/report-list.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import type { Episode } from '../episode.ts';
import { byUrgency, leadOf, listEntry, firstAndLast, summaryOf } from './list-entry.ts';

/** Most alerts listed inside one incident's row, and inside all rows of a page. */
const alertsPerRow = 10;
const alertsPerPage = 60;

/** One more than the page names, so that it can tell that there are others. */
const namespacesMax = 4;

export class RowMaker {
  readonly #book: EpisodeBook;
  readonly #reportBase: string;
  #alertsLeft = alertsPerPage;

  constructor(book: EpisodeBook, reportBase: string) {
    this.#book = book;
    this.#reportBase = reportBase;
  }

  /** `episodes` holds one episode, or several of one incident. */
  row(episodes: readonly Episode[]): ReportListRow {
    const ordered = newestOfEach(byUrgency(episodes));
    const [worst] = ordered;
    if (worst === undefined) throw new Error('A row of the list needs an episode');
    const id = this.#book.membershipOf(worst)?.id ?? null;
    if (id !== null && ordered.length > 1) return this.#incident(id, ordered);
    const members = id === null ? 1 : newestOfEach(this.#book.rankedMembers(id).members).length;
    const incident = id === null || members < 2 ? null
      : { url: incidentUrl(this.#reportBase, id), members };
    return { kind: 'alert', ...listEntry(this.#book, worst, this.#reportBase), incident };
  }

  #incident(id: string, ordered: readonly Episode[]): IncidentRow {
    const ranked = this.#book.rankedMembers(id);
    const { members, likelyOrigin, origin } = ranked;
    const alerts = newestOfEach(members);
    const open = alerts.filter(({ endsAt }) => endsAt === null).length;
    const shown = ordered.slice(0, Math.min(alertsPerRow, this.#alertsLeft));
    this.#alertsLeft -= shown.length;
    const { first, last } = firstAndLast(members);
    const lead = leadOf(ordered, likelyOrigin);
    const {
      name, severity, place, status, classification, headline, gist, said, certainty, recent = [],
    } = listEntry(this.#book, lead, this.#reportBase);
    const { cause, first: step } = summaryOf(ordered, ranked);
    return {
      kind: 'incident',
      id,
      url: incidentUrl(this.#reportBase, id),
      name, severity, place, status, classification, headline, gist, said, recent,
      origin: origin && { name: origin.found.name, text: origin.found.text },
      certainty: cause?.certainty ?? certainty,
      most_likely: cause?.text ?? null,
      cause_from: cause === null || cause.episode === lead ? null : cause.episode.name,
      do_first: step?.text ?? null,
      likely_origin: likelyOrigin && {
        name: likelyOrigin.name, has_ended: likelyOrigin.endsAt !== null,
      },
      namespaces: namespacesOf(ordered).slice(0, namespacesMax),
      starts_at: first,
      ends_at: last,
      members: alerts.length,
      open,
      matching: ordered.length,
      alerts: shown.map((episode) => listEntry(this.#book, episode, this.#reportBase)),
    };
  }
}

function namespacesOf(episodes: readonly Episode[]): string[] {
  const named = episodes.flatMap(({ namespace }) => (namespace === null ? [] : [namespace]));
  return [...new Set(named)];
}
