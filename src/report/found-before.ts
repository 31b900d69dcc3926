import type { FoundBefore } from './case-file.ts';
import { isEstablished, type Report } from './report.ts';

/** Title of the evidence item that holds it. */
export const foundBeforeTitle = 'What explained the alert while it fired';

const statementsMax = 3;

/**
 * What an ended alert's next report is told of the one that it replaces: its leading explanation,
 * if that was established; null if it was not.
 */
export function foundIn(report: Report): FoundBefore | null {
  const [leading] = report.hypotheses;
  if (leading === undefined || !isEstablished(leading)) return null;
  // A report on the ended alert has it from the one before.
  const kept = report.evidence.find(({ id, title }) =>
    title === foundBeforeTitle && leading.for.some(({ evidence }) => evidence.includes(id)));
  if (kept !== undefined) return kept.data as FoundBefore;
  return {
    at: report.updated_at, cause: leading.cause, mechanism: leading.mechanism,
    certainty: leading.certainty,
    statements: leading.for.slice(0, statementsMax).map((statement) => statement.text),
  };
}
