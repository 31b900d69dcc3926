import type { EventFact, MemoryFacts } from '../../evidence/metric-facts.ts';
import { isOfStock } from '../../evidence/rule/exhaustion.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import type { Statement } from '../../report/report.ts';
import { shownClause } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { queryOfItem } from '../situation.ts';
import { explanation, type Explained } from './explanation.ts';
import { isOnPath } from './release-hypothesis.ts';

/** It grew again after the first restart, as a leak does. */
const repeatedMin = 2;

type Ended = EventFact & { readonly memory: MemoryFacts };

/**
 * The memory of the alert's own process, or of one that it calls, grew steadily until the process
 * restarted, and is low again. Likely where that happened more than once, or where the alert is
 * about memory.
 */
export function memoryUsedUp(judged: Judged): Explained[] {
  const ended = (judged.evidence.metrics?.events ?? []).filter((event): event is Ended =>
    event.memory !== undefined && isOnPath(event, judged));
  const last = ended.at(-1);
  if (last === undefined) return [];
  const { subject, memory: { fromBytes, peakBytes, afterBytes, sinceMs }, atMs } = last;
  const bytes = (value: number): string => formatQuantity(value, 'bytes');
  const pace = bytes((peakBytes - fromBytes) / Math.max(1, (atMs - sinceMs) / 1000));
  const at = (ms: number): string => utcText(ms, judged.now, true);
  const cause = `The memory of ${shownClause(subject, 80)} kept growing by ${pace}/s until it ` +
    `ended: from ${bytes(fromBytes)} to ${bytes(peakBytes)} by ${at(atMs)}`;
  const statements = ended.flatMap((each): Statement[] => citing([each.evidence],
    `It restarted at ${at(each.atMs)} with ${bytes(each.memory.peakBytes)} of memory, and had ` +
    `${bytes(each.memory.afterBytes)} after that.`));
  return [{
    ...explanation({ kind: 'memory', about: [subject], cause },
      ended.length >= repeatedMin || isOfStock(judged.evidence.rule?.metrics ?? []) ? 'likely'
        : 'possible', statements),
    mechanism: `What it holds is never released; now it has ${bytes(afterBytes)} again.`,
    test: queryOfItem(last.evidence, judged),
  }];
}
