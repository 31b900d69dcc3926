import { absent, type LiveState, type LiveSubject } from '../../report/live-state.ts';
import type { Progress } from '../../report/report.ts';
import type { EpisodeBook } from '../book/episode-book.ts';
import type { Episode } from '../episode.ts';
import { statusOf } from './report-status.ts';

/** What is shown of an episode but not in the journal. */
interface ShownProgress {
  readonly progressOf: (episode: Episode) => Progress | null;
  readonly narrationRevisionOf: (episode: Episode) => number;
}

/**
 * The current state of the subject; null if it does not exist. Cheap, from memory alone, as it is
 * called for every open page, several times a second while anything changes.
 *
 * Revisions are made from the journal's sequence numbers: these survive a restart, and every record
 * about a fingerprint raises its number.
 */
export function liveState(
  book: EpisodeBook,
  subject: LiveSubject,
  shown: ShownProgress,
): LiveState | null {
  switch (subject.kind) {
    case 'list': return withoutReport(
      `all-${book.revisionOf(null)}-${book.open.suppressionsRevision}`);
    case 'incident': return incidentState(book, subject.id);
    case 'report': {
      const episode = book.find(subject.fingerprint, subject.episode);
      if (episode !== null) return reportState(book, episode, shown);
      return subject.episode === null ? absent : null;
    }
  }
}

function reportState(
  book: EpisodeBook,
  episode: Episode,
  { progressOf, narrationRevisionOf }: ShownProgress,
): LiveState {
  const progress = progressOf(episode);
  const narrated = narrationRevisionOf(episode);
  const { fingerprint, number, incident } = episode;
  const status = statusOf(episode);
  const parts: (string | number)[] = [book.revisionOf(fingerprint), number, status];
  // A report's page lists the other members of its incident.
  if (incident !== null) parts.push(incident.id, book.rankedMembers(incident.id).members.length);
  if (narrated > 0) parts.push(`n${narrated}`);
  const suppression = book.open.suppressionOf(episode);
  if (suppression !== null) parts.push(suppression);
  return { revision: parts.join('-'), episode: number, status, progress };
}

function incidentState(book: EpisodeBook, id: string): LiveState | null {
  const { members } = book.rankedMembers(id);
  const [first] = members;
  if (first === undefined || members.length < 2) return null;
  let newest = -1;
  for (const { fingerprint } of members) newest = Math.max(newest, book.revisionOf(fingerprint));
  return withoutReport([
    first.incident?.id ?? id, members.length, newest, book.open.suppressionsRevision,
  ].join('-'));
}

function withoutReport(revision: string): LiveState {
  return { revision, episode: null, status: null, progress: null };
}
