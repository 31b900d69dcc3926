import type { Progress, ReportStatus } from '../../report/report.ts';
import type { Episode } from '../episode.ts';

/** Status of a report whose analysis has not ended; `progress` is null until it begins. */
export function pendingStatus(progress: Progress | null): ReportStatus {
  return progress === null ? 'queued' : 'analysing';
}

/** Status of the episode's report, by the state of its analysis alone. */
export function statusOf({ analysis, endsAt }: Pick<Episode, 'analysis' | 'endsAt'>): ReportStatus {
  if (analysis === 'queued') return 'queued';
  if (analysis === 'running') return 'analysing';
  if (analysis === 'reported') return endsAt === null ? 'ready' : 'final';
  return 'failed';
}
