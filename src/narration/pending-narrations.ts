import type { Episode } from '../episodes/episode.ts';
import { isAwaited } from '../report/awaited-narrative.ts';
import type { Report } from '../report/report.ts';

/** Reports that are looked into after a start; older ones say that they were interrupted. */
const readMax = 1_000;

/** The open episodes whose narratives the last process did not come to, the newest first. */
export async function* pendingNarrations(
  book: { readonly open: Iterable<Episode> },
  read: (fingerprint: string, number: number) => Promise<string | null>,
): AsyncIterable<Episode> {
  const reported = [...book.open].filter(({ analysis }) => analysis === 'reported');
  for (const episode of reported.slice(-readMax).reverse()) {
    // One that the disk does not give away says nothing of the others.
    const stored = await read(episode.fingerprint, episode.number).catch(() => null);
    if (stored === null) continue;
    const { narrative } = JSON.parse(stored) as Report;
    if (isAwaited(narrative)) yield episode;
  }
}
