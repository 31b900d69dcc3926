import type { Report } from '../../report/report.ts';
import { isoTime } from '../../report/time-text.ts';
import { awaitedWhat, secondLookCheck } from '../look-again.ts';
import { finishedReport } from '../threads/finished-report.ts';
import type { FinishedReport } from '../threads/worker-messages.ts';

/**
 * The report that is there, with a word on why no newer one took its place. Null when it must not
 * stay: there is none, it says of itself that it failed, or the alert has had news since.
 */
export function keptReport(
  stored: string | null,
  { notifications, endsAt, reason, now }: {
    readonly notifications: number;
    readonly endsAt: string | null;
    readonly reason: string;
    readonly now: number;
  },
): FinishedReport | null {
  if (stored === null) return null;
  const report = JSON.parse(stored) as Report;
  const { episode, provenance, status } = report;
  const isGood = status === 'ready' || status === 'final';
  const isOfNow = episode.notifications === notifications && episode.ends_at === endsAt;
  if (!isGood || !isOfNow) return null;
  const failed = { name: 'a new analysis', state: 'failed' as const, why: reason };
  const checks = provenance.checks.filter(({ name }) => {
    return name !== failed.name && name !== secondLookCheck;
  });
  return finishedReport({
    ...report,
    updated_at: isoTime(now),
    unknowns: report.unknowns.filter(({ what }) => what !== awaitedWhat),
    provenance: { ...provenance, checks: [...checks, failed] },
  }, null);
}
