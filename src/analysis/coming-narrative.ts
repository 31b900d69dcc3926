import { keepNarrative } from '../model/keep-narrative.ts';
import type { Report } from '../report/report.ts';
import type { ComingNarrative } from './worker-messages.ts';

/** The new report with the narrative of the previous one, or a word on whether one comes. */
export function withComingNarrative(
  report: Report,
  previous: Report,
  { narrative, freshMs, now }: Omit<ComingNarrative, 'hasPrevious'> & { readonly now: number },
): Report {
  return keepNarrative(report, previous, { now, freshMs }) ?? { ...report, narrative };
}
