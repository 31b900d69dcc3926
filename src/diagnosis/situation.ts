import type { Evidence } from '../evidence/collect-evidence.ts';
import type { FilledKnowledge } from '../knowledge/knowledge-for.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { RelatedAlert } from '../report/report.ts';

/**
 * The input of every part of the diagnosis. Four moments in it are a beginning of some kind:
 *
 * - `evidence.history.current.start`: the alert began to fire, as its sender says.
 * - `evidence.metrics.window.onMs`: the problem began, which a rule with a `for` tells later; see
 *   `problemStart` for what stands in where there are no metrics.
 * - `evidence.metrics.window.splitMs`: "before" ends. It is earlier by the range of the rule, in
 *   whose averages the problem shows late.
 * - `evidence.metrics.own.overSinceMs`: the value went beyond its threshold for the last time.
 */
export interface Situation {
  readonly caseFile: CaseFile;
  /** Wall time in milliseconds. */
  readonly now: number;
  readonly evidence: Evidence;
  readonly related: readonly RelatedAlert[];
  /** What is known about alerts of this family; null where no family matches. */
  readonly knowledge: FilledKnowledge | null;
}

export function isResolved({ evidence }: Situation): boolean {
  return evidence.history.current.end !== null;
}

const commandMax = 4000;

/** A query or command is never truncated, as part of one does something else: it is dropped. */
export function wholeOrNull(command: string): string | null {
  return command.length > commandMax ? null : command;
}

/** The query behind an item of evidence, ready to run; null where there is none. */
export function queryOfItem(id: string, { evidence }: Situation): string | null {
  const query = evidence.ledger.items.find((item) => item.id === id)?.query?.trim() ?? '';
  return query === '' ? null : wholeOrNull(query);
}
