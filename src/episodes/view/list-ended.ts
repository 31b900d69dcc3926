import { firstIndexWhere } from '../../lib/binary-search.ts';
import { listCursorText, type EndedCursor } from '../../report/list-cursor.ts';
import type { ReportListRow } from '../../report/report-list.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import { endOf, type Episode } from '../episode.ts';

interface EndedOptions {
  readonly after: EndedCursor | null;
  readonly rowsMax: number;
  readonly searchedMax: number;
  /** Episodes searched between two yields. */
  readonly searchedAtOnce: number;
  readonly matches: (episode: Episode) => boolean;
  /** Whether incidents and alerts that are open are listed elsewhere and so left out here. */
  readonly leavesOpen: boolean;
  readonly row: (episodes: readonly Episode[]) => ReportListRow;
}

interface EndedPage {
  readonly rows: readonly ReportListRow[];
  /** Cursor of the next page; null after the last one, and if no row fits on this one. */
  readonly next: string | null;
  /** Whether there are more rows, or more episodes to search, after those listed. */
  readonly hasMore: boolean;
  readonly searched: number;
  /** The end of the last episode searched, if the search was cut short; otherwise null. */
  readonly cutAt: string | null;
}

/** For a page without room for ended episodes, or that leaves them out. */
export const noneEnded: EndedPage = {
  rows: [], next: null, hasMore: false, searched: 0, cutAt: null,
};

/**
 * One page of ended episodes, latest first, within the limits of rows and of episodes searched.
 * Yields where it may be interrupted, also while episodes end or are removed.
 */
export function* listEnded(
  book: EpisodeBook,
  options: EndedOptions,
): Generator<void, EndedPage, void> {
  const { rowsMax, searchedMax, matches, row } = options;
  const representatives = new Representatives(book, options);
  const rows: ReportListRow[] = [];
  let searched = 0;
  let lastShown: Episode | null = null;
  let lastSearched: Episode | null = null;
  for (const episode of closedInSteps(book, options)) {
    if (episode === null) {
      yield;
      continue;
    }
    if (searched === searchedMax) {
      const cutAt = lastSearched?.endsAt ?? null;
      return { rows, next: cursorOf(lastSearched), hasMore: true, searched, cutAt };
    }
    searched += 1;
    lastSearched = episode;
    const episodes = matches(episode) ? representatives.by(episode) : null;
    if (episodes === null) continue;
    if (rows.length === rowsMax) {
      return { rows, next: cursorOf(lastShown), hasMore: true, searched, cutAt: null };
    }
    rows.push(row(episodes));
    lastShown = episode;
  }
  return { rows, next: null, hasMore: false, searched, cutAt: null };
}

function cursorOf(episode: Episode | null): string | null {
  return episode === null ? null : listCursorText(placeOf(episode));
}

function placeOf(ended: Pick<Episode, 'fingerprint' | 'number' | 'endsAt'>): EndedCursor {
  const { fingerprint, number } = ended;
  return { kind: 'ended', endsAt: endOf(ended), fingerprint, number };
}

/** Ended episodes after the cursor; null where episodes may end or be removed meanwhile. */
function* closedInSteps(
  book: EpisodeBook,
  { after, searchedAtOnce }: EndedOptions,
): Generator<Episode | null, void, void> {
  for (let [from, isOver] = [after, false]; !isOver;) {
    const { revision } = book.closed;
    let count = 0;
    isOver = true;
    for (const episode of closedBehind(book, from)) {
      yield episode;
      count += 1;
      if (count % searchedAtOnce !== 0) continue;
      const { fingerprint, number, endsAt } = episode; // It may have no end afterwards.
      yield null;
      if (book.closed.revision === revision) continue;
      from = placeOf({ fingerprint, number, endsAt });
      isOver = false;
      break;
    }
  }
}

/** Episodes after the cursor; if its episode is gone, those that ended before that one did. */
function closedBehind(book: EpisodeBook, after: EndedCursor | null): Iterable<Episode> {
  if (after === null) return book.closed.latestFirst();
  const last = book.find(after.fingerprint, after.number);
  const isKept = last !== null && last.endsAt !== null;
  return isKept ? book.closed.latestFirst(last) : book.closed.endedBefore(after.endsAt);
}

/** An incident's ended episodes that match the filter. */
interface EndedIncident {
  readonly episodes: readonly Episode[];
  /** The episode that the incident is listed by; null when the incident is listed elsewhere. */
  readonly by: Episode | null;
}

/**
 * Decides which episode a row is listed by. An incident has one row, listed by the member that
 * ended last of those that match the filter. So has an alert for all its episodes that were part of
 * no incident, as one that flaps ends often: it is listed by the newest. Both depend only on the
 * episodes, so that no two pages list the same row.
 */
class Representatives {
  readonly #book: EpisodeBook;
  readonly #options: EndedOptions;
  /** By the incident's id; null where only one member is left, which has a row of its own. */
  readonly #known = new Map<string, EndedIncident | null>();

  constructor(book: EpisodeBook, options: EndedOptions) {
    this.#book = book;
    this.#options = options;
  }

  /** The episodes that this one's row stands for; null if it is part of another row. */
  by(episode: Episode): readonly Episode[] | null {
    const incident = this.#incidentOf(episode);
    if (incident !== null) return incident.by === episode ? incident.episodes : null;
    return this.#isListedByAnother(episode) ? null : [episode];
  }

  #incidentOf(episode: Episode): EndedIncident | null {
    const id = this.#book.membershipOf(episode)?.id;
    if (id === undefined) return null;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const incident = this.#incidentIn(this.#book.rankedMembers(id).members);
    this.#known.set(id, incident);
    return incident;
  }

  #incidentIn(all: readonly Episode[]): EndedIncident | null {
    const { matches, leavesOpen } = this.#options;
    if (all.length < 2) return null;
    const matching = all.filter(matches);
    const isOpen = matching.some(({ endsAt }) => endsAt === null);
    if (leavesOpen && isOpen) return { episodes: [], by: null };
    const episodes = matching.filter(({ endsAt }) => endsAt !== null);
    let [by, end]: [Episode | null, number] = [null, -Infinity];
    for (const each of episodes) {
      if (endOf(each) > end) [by, end] = [each, endOf(each)];
    }
    return { episodes, by };
  }

  /**
   * Whether its alert is listed as open, or by a newer episode. All episodes of an alert together
   * look at each of them once at most, since the search ends at the next that is listed.
   */
  #isListedByAnother({ fingerprint, number }: Episode): boolean {
    const { matches, leavesOpen } = this.#options;
    const episodes = this.#book.episodesOf(fingerprint);
    const newest = episodes.at(-1);
    if (leavesOpen && newest?.endsAt === null && matches(newest)) return true;
    for (let at = firstIndexWhere(episodes, (each) => each.number > number); ; at += 1) {
      const each = episodes[at];
      if (each === undefined) return false;
      if (each.endsAt !== null && matches(each) && this.#incidentOf(each) === null) return true;
    }
  }
}
