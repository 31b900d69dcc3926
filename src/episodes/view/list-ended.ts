import { listCursorText, type EndedCursor } from '../../report/list-cursor.ts';
import type { ReportListRow } from '../../report/report-list.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import { endOf, type Episode } from '../episode.ts';

interface EndedOptions {
  readonly after: EndedCursor | null;
  readonly rowsMax: number;
  readonly searchedMax: number;
  readonly matches: (episode: Episode) => boolean;
  /** Whether incidents with an open member are listed elsewhere and therefore left out here. */
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

/** Of a page on which there is no room for ended episodes, or that leaves them out. */
export const noneEnded: EndedPage = {
  rows: [], next: null, hasMore: false, searched: 0, cutAt: null,
};

/** One page of ended episodes, latest first, within the limits of rows and of episodes searched. */
export function listEnded(book: EpisodeBook, options: EndedOptions): EndedPage {
  const { rowsMax, searchedMax, matches, row } = options;
  const told = new Representatives(book, options);
  const rows: ReportListRow[] = [];
  let searched = 0;
  let lastShown: Episode | null = null;
  let lastSearched: Episode | null = null;
  for (const episode of closedBehind(book, options.after)) {
    if (searched === searchedMax) {
      const cutAt = lastSearched?.endsAt ?? null;
      return { rows, next: cursorOf(lastSearched), hasMore: true, searched, cutAt };
    }
    searched += 1;
    lastSearched = episode;
    const episodes = matches(episode) ? told.by(episode) : null;
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
  if (episode === null) return null;
  const { fingerprint, number } = episode;
  return listCursorText({ kind: 'ended', endsAt: endOf(episode), fingerprint, number });
}

/** Episodes after the cursor; if its episode is gone, those that ended before that one did. */
function closedBehind(book: EpisodeBook, after: EndedCursor | null): Iterable<Episode> {
  if (after === null) return book.closed.latestFirst();
  const last = book.find(after.fingerprint, after.number);
  const isKept = last !== null && last.endsAt !== null;
  return isKept ? book.closed.latestFirst(last) : book.closed.endedBefore(after.endsAt);
}

/** An incident's ended episodes that match the filter. */
interface Told {
  readonly episodes: readonly Episode[];
  /** The episode that the incident is listed by; null when the incident is listed elsewhere. */
  readonly by: Episode | null;
}

/**
 * Decides which episode an incident is listed by: of those that match the filter, the one that
 * ended last. It depends only on the members, so that no two pages list the same incident.
 */
class Representatives {
  readonly #book: EpisodeBook;
  readonly #options: EndedOptions;
  readonly #known = new Map<string, Told>();

  constructor(book: EpisodeBook, options: EndedOptions) {
    this.#book = book;
    this.#options = options;
  }

  /** The episodes that this one's row stands for; null if it is part of another row. */
  by(episode: Episode): readonly Episode[] | null {
    const id = this.#book.membershipOf(episode)?.id;
    if (id === undefined) return [episode];
    const told = this.#known.get(id) ?? this.#toldOf(id, episode);
    this.#known.set(id, told);
    return told.by === episode ? told.episodes : null;
  }

  #toldOf(id: string, episode: Episode): Told {
    const { matches, leavesOpen } = this.#options;
    const all = this.#book.incidentMembers(id);
    if (all.length < 2) return { episodes: [episode], by: episode };
    const matching = all.filter(matches);
    const isOpen = matching.some(({ endsAt }) => endsAt === null);
    if (leavesOpen && isOpen) return { episodes: [], by: null };
    const episodes = matching.filter(({ endsAt }) => endsAt !== null);
    let [by, end] = [episode, -Infinity];
    for (const each of episodes) {
      if (endOf(each) > end) [by, end] = [each, endOf(each)];
    }
    return { episodes, by };
  }
}
