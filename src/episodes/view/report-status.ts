import type { Progress, ReportStatus } from '../../report/report.ts';
import type { Episode } from '../episode.ts';

/** Of a report whose analysis has still to end; `progress` is null until it begins. */
export function pendingStatus(progress: Progress | null): ReportStatus {
  return progress === null ? 'queued' : 'analysing';
}

/** Of the episode's report, by the state of its analysis alone. */
export function statusOf({ analysis, endsAt }: Pick<Episode, 'analysis' | 'endsAt'>): ReportStatus {
  if (analysis === 'queued') return 'queued';
  if (analysis === 'running') return 'analysing';
  if (analysis === 'reported') return endsAt === null ? 'ready' : 'final';
  return 'failed';
}
