import { keepNarrative } from '../model/keep-narrative.ts';
import type { Report } from '../report/report.ts';
import type { ComingNarrative } from './worker-messages.ts';

/** The new report with the narrative of the old one, or a word on whether one comes. */
export function withComingNarrative(
  report: Report,
  { narrative, previous, freshMs }: ComingNarrative,
  now: number,
): Report {
  const replaced = previous === null ? null : (JSON.parse(previous) as Report);
  const kept = replaced === null ? null : keepNarrative(report, replaced, { now, freshMs });
  return kept ?? { ...report, narrative };
}
