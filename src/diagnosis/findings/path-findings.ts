import { besideTexts, innocenceTexts } from '../../report/path-text.ts';
import { enumerated } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { citing } from '../citing.ts';
import type { Situation } from '../situation.ts';

const besideMax = 4;

/**
 * What of the path works, although the alert or a fault beside it suggests otherwise; and what else
 * began to fail at that moment.
 */
export function pathFindings({ evidence: { metrics }, now }: Situation): Statement[] {
  const path = metrics?.path ?? null;
  if (path === null) return [];
  const beside = besideTexts(path, now).slice(0, besideMax);
  return [
    ...innocenceTexts(path).flatMap(({ text, at }) =>
      citing(path.hops[at]?.evidence ?? [], text)),
    ...beside.length === 0 ? []
      : citing((path.beside ?? []).slice(0, besideMax).flatMap(({ evidence }) => evidence),
        `At that moment these began to fail as well: ${enumerated(beside)}.`),
  ];
}
