import { readReport } from '../../report/read-report.ts';
import { isoTime } from '../../report/time-text.ts';
import { recheckNotice } from '../recheck.ts';
import { finishedReport } from '../threads/finished-report.ts';
import type { FinishedReport } from '../threads/worker-messages.ts';

/**
 * The existing report, with a note on why no newer one replaced it. Null if it cannot be kept:
 * there is none, it is itself the report of a failure, or the alert has had news since.
 */
export function keptReport(
  stored: string | null,
  { notifications, endsAt, reason, now }: {
    readonly notifications: number;
    readonly endsAt: string | null;
    /** A sentence. */
    readonly reason: string;
    /** Wall time in ms. */
    readonly now: number;
  },
): FinishedReport | null {
  if (stored === null) return null;
  const report = readReport(stored);
  const { episode, provenance, status } = report;
  const isGood = status === 'ready' || status === 'final';
  const isCurrent = episode.notifications === notifications && episode.ends_at === endsAt;
  if (!isGood || !isCurrent) return null;
  const failed = { name: 'a new analysis', state: 'failed' as const, why: reason };
  const checks = provenance.checks.filter(({ name }) =>
    name !== failed.name && name !== recheckNotice);
  return finishedReport({
    ...report,
    updated_at: isoTime(now),
    unknowns: report.unknowns.filter(({ is_awaited: isAwaited }) => isAwaited !== true),
    provenance: { ...provenance, checks: [...checks, failed] },
  }, null);
}
