import { severityRank } from '../alert/severity.ts';
import type { Episode } from '../episodes/episode.ts';
import { isAwaited } from '../report/awaited-narrative.ts';
import type { Report } from '../report/report.ts';

/** Reports that are looked into after a start; the others say that they were interrupted. */
const readMax = 1_000;

/**
 * The open episodes whose narratives the last process did not come to: the gravest first, and
 * of equals the newest.
 */
export async function* pendingNarrations(
  book: { readonly open: Iterable<Episode> },
  read: (fingerprint: string, number: number) => Promise<string | null>,
): AsyncIterable<Episode> {
  const reported = [...book.open].filter(({ analysis }) => analysis === 'reported');
  const gravestFirst = reported.reverse()
    .sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
  for (const episode of gravestFirst.slice(0, readMax)) {
    // One that the disk does not give away says nothing of the others.
    const stored = await read(episode.fingerprint, episode.number).catch(() => null);
    if (stored === null) continue;
    const { narrative } = JSON.parse(stored) as Report;
    if (isAwaited(narrative)) yield episode;
  }
}
