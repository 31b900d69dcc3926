import { incidentUrl } from '../../report/incident.ts';
import type { IncidentRow, ReportListRow } from '../../report/report-list.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import type { Episode } from '../episode.ts';
import { byUrgency, listEntry, spanOf } from './list-entry.ts';

/** Most alerts listed inside one incident's row, and inside all rows of a page. */
const alertsPerRow = 10;
const alertsPerPage = 60;

/** One more than the page names, so that it can tell that there are others. */
const namespacesMax = 4;

/** By urgency, the worst first. */
type Ordered = readonly [Episode, ...Episode[]];

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
    const [worst, ...others] = byUrgency(episodes);
    if (worst === undefined) throw new Error('A row of the list needs an episode');
    const ordered: Ordered = [worst, ...others];
    const id = this.#book.membershipOf(worst)?.id ?? null;
    if (id !== null && others.length > 0) return this.#incident(id, ordered);
    const members = id === null ? 1 : this.#book.rankedMembers(id).members.length;
    const incident = id === null || members < 2 ? null
      : { url: incidentUrl(this.#reportBase, id), members };
    return { kind: 'alert', ...listEntry(this.#book, worst, this.#reportBase), incident };
  }

  #incident(id: string, ordered: Ordered): IncidentRow {
    const { members, likelyOrigin } = this.#book.rankedMembers(id);
    const open = members.filter(({ endsAt }) => endsAt === null).length;
    const shown = ordered.slice(0, Math.min(alertsPerRow, this.#alertsLeft));
    this.#alertsLeft -= shown.length;
    const { first, last } = spanOf(members);
    const { name, severity, status, classification, certainty, headline, ...told } =
      listEntry(this.#book, leadOf(ordered, likelyOrigin), this.#reportBase);
    return {
      kind: 'incident',
      id,
      url: incidentUrl(this.#reportBase, id),
      name, severity, status, classification, certainty, headline,
      most_likely: told.most_likely,
      do_first: told.do_first,
      said: told.said,
      likely_origin: likelyOrigin && {
        name: likelyOrigin.name, has_ended: likelyOrigin.endsAt !== null,
      },
      namespaces: namespacesOf(ordered).slice(0, namespacesMax),
      starts_at: first,
      ends_at: last,
      members: members.length,
      open,
      matching: ordered.length,
      alerts: shown.map((episode) => listEntry(this.#book, episode, this.#reportBase)),
    };
  }
}

/** The worst alert, as long as it fires; otherwise the likely origin, if there is one. */
function leadOf(ordered: Ordered, likelyOrigin: Episode | null): Episode {
  const [worst] = ordered;
  return worst.endsAt === null ? worst : (likelyOrigin ?? worst);
}

function namespacesOf(episodes: readonly Episode[]): string[] {
  const named = episodes.flatMap(({ namespace }) => (namespace === null ? [] : [namespace]));
  return [...new Set(named)];
}
