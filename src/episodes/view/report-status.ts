import type { ReportStatus } from '../../report/report.ts';
import type { Episode } from '../episode.ts';

/** Status of the episode's report, by the state of its analysis alone. */
export function statusOf({ analysis, endsAt }: Pick<Episode, 'analysis' | 'endsAt'>): ReportStatus {
  if (analysis === 'queued') return 'queued';
  if (analysis === 'running') return 'analysing';
  if (analysis === 'reported') return endsAt === null ? 'ready' : 'final';
  return 'failed';
}
