import { severityRank } from '../alert/severity.ts';
import type { Episode } from '../episodes/episode.ts';
import { isAwaited } from '../report/awaited-narrative.ts';
import type { ReportStore } from '../report/store/report-store.ts';
import { storedReport } from '../report/store/stored-report.ts';

/** Reports read after a start; pending ones beyond that say that they were interrupted. */
const readMax = 1_000;

/** The open episodes whose narratives were pending at the last stop: by severity, then newest. */
export async function* pendingNarrations(
  book: { readonly open: Iterable<Episode> },
  reports: Pick<ReportStore, 'read'>,
): AsyncIterable<Episode> {
  const reported = [...book.open].filter(({ analysis }) => analysis === 'reported');
  const worstFirst = reported.reverse()
    .sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
  for (const episode of worstFirst.slice(0, readMax)) {
    // One unreadable report must not keep the others from being found.
    const report = await storedReport(reports, episode).catch(() => null);
    if (report !== null && isAwaited(report.narrative)) yield episode;
  }
}
