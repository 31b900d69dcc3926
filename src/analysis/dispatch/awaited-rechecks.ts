import { parseTime } from '../../alert/timestamp.ts';
import type { EpisodeBook } from '../../episodes/book/episode-book.ts';
import { endOf, startOf, type Episode } from '../../episodes/episode.ts';
import type { Report } from '../../report/report.ts';
import type { ReportStore } from '../../report/store/report-store.ts';
import { storedReport } from '../../report/store/stored-report.ts';
import { failedChecksOf, lastAlertOf, type LastAlert } from '../last-alert.ts';
import { lastRecheckAt, nextRecheckAt, recheckNotice, type FiringSpan } from '../recheck.ts';
import { rechecksMax } from './rechecks.ts';

/** Looks whose last was due longer ago than this, while the service was down, are skipped. */
const missedMsMax = 60 * 60_000;

interface AwaitedRecheck {
  readonly episode: Episode;
  readonly lastAlert: LastAlert;
  /** When it is due: wall time in ms, in the past if it was missed. */
  readonly at: number;
}

interface Kept {
  readonly book: Pick<EpisodeBook, 'open' | 'closed'>;
  readonly reports: Pick<ReportStore, 'read'>;
}

/**
 * The rechecks that the last process did not get to: of episodes that began or ended recently,
 * and whose report says that one is due. `now` is wall time in ms.
 */
export async function* awaitedRechecks(
  { book, reports }: Kept,
  now: number,
): AsyncIterable<AwaitedRecheck> {
  for (const episode of recentlyReported(book, now - missedMsMax)) {
    // One unreadable report must not stop the others.
    const report = await storedReport(reports, episode).catch(() => null);
    if (report === null || !isAwaited(report)) continue;
    yield { episode, lastAlert: lastAlertOf(report), at: dueAt(episode, report) };
  }
}

/**
 * Reported episodes whose last look is or was due after `fromMs`, at most `waitingMax`: of those
 * that fire the youngest, whose next looks are due first.
 */
function recentlyReported(book: Kept['book'], fromMs: number): Episode[] {
  const recent = [...book.open]
    .filter((episode) => episode.analysis === 'reported' && lastRecheckAt(spanOf(episode)) > fromMs)
    .sort((a, b) => startOf(b) - startOf(a))
    .slice(0, rechecksMax);
  for (const episode of book.closed.latestFirst()) {
    if (lastRecheckAt(spanOf(episode)) <= fromMs || recent.length >= rechecksMax) return recent;
    if (episode.analysis === 'reported') recent.push(episode);
  }
  return recent;
}

function spanOf(episode: Episode): FiringSpan {
  return { startMs: startOf(episode), endMs: episode.endsAt === null ? null : endOf(episode) };
}

function dueAt(episode: Episode, { provenance, updated_at: updatedAt }: Report): number {
  const span = spanOf(episode);
  return nextRecheckAt(span, {
    madeAt: parseTime(provenance.finished_at ?? updatedAt) ?? 0,
    isUnanswered: failedChecksOf(provenance) > 0, isEarly: false,
  }) ?? lastRecheckAt(span);
}

function isAwaited({ provenance }: Report): boolean {
  return provenance.checks.some(({ name, state }) =>
    name === recheckNotice && state === 'skipped');
}
