import { labelOf } from '../../alert/labels.ts';
import type { Severity } from '../../alert/severity.ts';
import { escapeRegex } from '../../lib/promql-string.ts';
import { byOpenCursor, listCursorText, type ListCursor } from '../../report/list-cursor.ts';
import {
  listQuery, searchWords, type ListFilter, type ListQuery,
} from '../../report/list-filter.ts';
import type { ReportList, ReportListRow } from '../../report/report-list.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import { endOf, startOf, type Episode } from '../episode.ts';
import { listEnded, noneEnded } from './list-ended.ts';
import { urgencyRank } from './list-entry.ts';
import { RowMaker } from './list-row.ts';

interface ListOptions {
  /** Wall time in ms. */
  readonly now: number;
  readonly reportBase: string;
  readonly limits?: Partial<ListLimits>;
}

/** Limits of one page: the rows that it shows, and the episodes that are searched for it. */
export interface ListLimits {
  readonly rows: number;
  readonly openSearched: number;
  readonly endedSearched: number;
}

const defaultLimits: ListLimits = { rows: 50, openSearched: 25_000, endedSearched: 25_000 };

const namespacesMax = 100;

/** Episodes searched between two yields: about 1 ms with the longest labels and most words. */
export const searchedAtOnce = 64;

/**
 * One page of the list. Yields where it may be interrupted. What happens to episodes meanwhile may
 * or may not be on the page.
 */
export function* listReports(
  book: EpisodeBook,
  { filter, after, ignored }: ListQuery,
  { now, reportBase, limits }: ListOptions,
): Generator<void, ReportList, void> {
  const { rows: rowsMax, openSearched, endedSearched } = { ...defaultLimits, ...limits };
  const match = listMatch(filter, now);
  const rows = new RowMaker(book, reportBase);
  const searched = yield* searchOpen(book, match, openSearched);
  const showsOpen = filter.state !== 'ended' && after?.kind !== 'ended';
  const groups = showsOpen ? behind(searched.groups.sort(byOpenCursor), after) : [];
  const shown = groups.slice(0, rowsMax);
  const open: ReportListRow[] = [];
  for (const { episodes } of shown) {
    yield;
    open.push(rows.row(episodes));
  }
  const hasEnded = filter.state !== 'open' && groups.length <= rowsMax;
  const ended = !hasEnded ? noneEnded : yield* listEnded(book, {
    after: after?.kind === 'ended' ? after : null,
    rowsMax: rowsMax - open.length,
    searchedMax: endedSearched,
    searchedAtOnce,
    matches: match.matches,
    leavesOpen: filter.state === 'all',
    row: (episodes) => rows.row(episodes),
  });
  const last = shown.at(-1);
  const openNext = last === undefined ? null : listCursorText({ ...last, kind: 'open' });
  const hasMore = groups.length > rowsMax || ended.hasMore;
  return {
    schema: 1,
    query: listQuery(filter),
    ignored,
    total: { open: book.open.size, ended: book.closed.size },
    open_by_severity: searched.bySeverity,
    open,
    ended: ended.rows,
    is_continued: after !== null,
    next: hasMore ? ended.next ?? openNext : null,
    searched: {
      open: searched.count,
      ended: ended.searched,
      open_cut: searched.count < book.open.size,
      ended_back_to: ended.cutAt,
    },
    namespaces: searched.namespaces,
  };
}

/** The open episodes of one incident that match the filter, or a single one without incident. */
interface OpenGroup {
  readonly id: string;
  readonly episodes: Episode[];
  /** Rank of the worst of them. */
  rank: number;
  /** Start of the one that began last, in ms. */
  startsAt: number;
}

interface OpenSearch {
  readonly groups: OpenGroup[];
  readonly count: number;
  readonly bySeverity: Record<Severity, number>;
  readonly namespaces: readonly string[];
}

/** Searches all open episodes, or, if there are too many, those that opened last. */
function* searchOpen(
  book: EpisodeBook,
  match: ListMatch,
  searchedMax: number,
): Generator<void, OpenSearch, void> {
  const newestFirst = Array.from(book.open).reverse().slice(0, searchedMax);
  const bySeverity = { critical: 0, warning: 0, info: 0, unknown: 0, none: 0 };
  const found: Found[] = [];
  const namespaces = new Set<string>();
  for (const [index, episode] of newestFirst.entries()) {
    if (index % searchedAtOnce === 0) yield;
    if (episode.namespace !== null && namespaces.size < namespacesMax) {
      namespaces.add(episode.namespace);
    }
    if (!match.ofPlaceAndTime(episode)) continue;
    bySeverity[episode.severity] += 1;
    if (!match.ofSeverity(episode)) continue;
    found.push({ episode, rank: urgencyRank(episode), startsAt: startOf(episode) });
  }
  return {
    groups: grouped(found, book),
    count: newestFirst.length,
    bySeverity,
    namespaces: [...namespaces].sort(),
  };
}

interface Found {
  readonly episode: Episode;
  readonly rank: number;
  /** Ms. */
  readonly startsAt: number;
}

/** By the incidents that they are part of now, without those that have ended meanwhile. */
function grouped(found: readonly Found[], book: EpisodeBook): OpenGroup[] {
  const groups = new Map<string, OpenGroup>();
  for (const { episode, rank, startsAt } of found) {
    if (episode.endsAt !== null) continue;
    const id = book.membershipOf(episode)?.id ?? `${episode.number}.${episode.fingerprint}`;
    const group = groups.get(id);
    if (group === undefined) {
      groups.set(id, { id, episodes: [episode], rank, startsAt });
      continue;
    }
    group.episodes.push(episode);
    group.rank = Math.min(group.rank, rank);
    group.startsAt = Math.max(group.startsAt, startsAt);
  }
  return [...groups.values()];
}

function behind(groups: OpenGroup[], after: ListCursor | null): OpenGroup[] {
  if (after?.kind !== 'open') return groups;
  return groups.filter((group) => byOpenCursor(group, after) > 0);
}

interface ListMatch {
  /** Everything but state and severity, which the page lets people choose with counts. */
  readonly ofPlaceAndTime: (episode: Episode) => boolean;
  readonly ofSeverity: (episode: Episode) => boolean;
  /** Everything but the state. */
  readonly matches: (episode: Episode) => boolean;
}

const labelsSearchedMax = 64;

/** The filter as predicates; `now` is in ms. Labels are known only of open, analysed alerts. */
function listMatch(filter: ListFilter, now: number): ListMatch {
  const { severity, namespace, sinceMs, to } = filter;
  const from = sinceMs === null ? filter.from : now - sinceMs;
  // Ignores case without copying the text that is searched.
  const patterns = searchWords(filter).map((word) => new RegExp(escapeRegex(word), 'iu'));
  const ofPlaceAndTime = (episode: Episode): boolean => {
    if (namespace !== null && episode.namespace !== namespace) return false;
    if (from !== null && endOf(episode) < from) return false;
    if (to !== null && startOf(episode) > to) return false;
    return patterns.every((pattern) => mentions(episode, pattern));
  };
  const ofSeverity = (episode: Episode): boolean =>
    severity === null || episode.severity === severity;
  const matches = (episode: Episode): boolean => ofSeverity(episode) && ofPlaceAndTime(episode);
  return { ofPlaceAndTime, ofSeverity, matches };
}

function mentions(episode: Episode, pattern: RegExp): boolean {
  const { name, namespace, conclusion, identity, fingerprint } = episode;
  if (pattern.test(name) || pattern.test(fingerprint)) return true;
  if (namespace !== null && pattern.test(namespace)) return true;
  const { headline = '', cause = null, place = '' } = conclusion ?? {};
  if ([headline, cause ?? '', place].some((text) => pattern.test(text))) return true;
  if (identity === null) return false;
  const names = Object.keys(identity.labels).slice(0, labelsSearchedMax);
  return names.some((label) => pattern.test(labelOf(identity.labels, label) ?? ''));
}
