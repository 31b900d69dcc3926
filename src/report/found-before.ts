import type { FoundBefore } from './case-file.ts';
import { isEstablished } from './certainty.ts';
import { factsOf } from './kinds.ts';
import type { Hypothesis, Report } from './report.ts';

/** A cause with who does it. */
export function withDetail(cause: string, detail: string | undefined): string {
  return detail === undefined ? cause : `${cause}: ${detail}`;
}

function withoutDetail({ cause, detail }: Pick<Hypothesis, 'cause' | 'detail'>): string {
  const end = `: ${detail ?? ''}`;
  return detail !== undefined && cause.endsWith(end) ? cause.slice(0, -end.length) : cause;
}

const statementsMax = 3;

/**
 * What an alert's next report keeps of the one that it replaces: its leading explanation,
 * if that was established or is an alert that was open then; null if it was neither.
 */
export function foundIn(report: Report): FoundBefore | null {
  const [leading] = report.hypotheses;
  if (leading === undefined) return null;
  const cited = report.evidence.filter(({ id }) =>
    leading.for.some(({ evidence }) => evidence.includes(id)));
  // A report on the ended alert has it from the one before.
  const kept = cited.find(({ role }) => role === 'found_before');
  if (kept !== undefined) return kept.data as FoundBefore;
  const isOtherAlert = cited.length > 0 && cited.every(({ kind }) => kind === 'related');
  if (!isEstablished(leading) && !isOtherAlert) return null;
  return {
    ...factsOf(leading), at: report.updated_at, cause: withoutDetail(leading),
    mechanism: leading.mechanism, certainty: leading.certainty,
    statements: leading.for.slice(0, statementsMax).map((statement) => statement.text),
  };
}
