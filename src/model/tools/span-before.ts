import { rangeHoursMax } from '../../evidence/rule/query-bounds.ts';
import { minuteMs } from '../../lib/time-units.ts';
import { caseStartOf } from '../../report/new-report.ts';
import type { TimeSpan } from '../../sources/time-grid.ts';
import type { ToolContext } from './tool.ts';

/** From some minutes before the alert began until now; no longer than a day. */
export function spanBefore(
  { caseFile, now }: Pick<ToolContext, 'caseFile' | 'now'>,
  minutes: number,
): TimeSpan {
  const startMs = Math.min(caseStartOf(caseFile), now);
  const earliestMs = now - rangeHoursMax * 60 * minuteMs;
  return { fromMs: Math.max(startMs - minutes * minuteMs, earliestMs), toMs: now };
}
