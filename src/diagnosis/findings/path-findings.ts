import { innocenceTexts } from '../../report/path-text.ts';
import type { Statement } from '../../report/report.ts';
import { citing } from '../citing.ts';
import type { Situation } from '../situation.ts';

/** What of the path works, although the alert or a fault beside it suggests otherwise. */
export function pathFindings({ evidence: { metrics } }: Situation): Statement[] {
  const path = metrics?.path ?? null;
  return path === null ? [] : innocenceTexts(path).flatMap(({ text, at }) =>
    citing(path.hops[at]?.evidence ?? [], text));
}
