import { alertNameOf } from '../../alert/alert.ts';
import type { LabelSet } from '../../alert/labels.ts';
import { parseTime } from '../../alert/timestamp.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { isoTime } from '../../report/time-text.ts';
import type { QueryBudget } from '../../sources/query-budget.ts';
import type { RuleReading } from '../rule/rule-expression.ts';
import type { Asker } from './asking.ts';
import type { TestsFor } from './cause-tests.ts';

/** What every step needs to know. Times are wall time in milliseconds. */
export interface Question {
  readonly asker: Asker;
  readonly budget: Pick<QueryBudget, 'left'>;
  /** The alert's labels. */
  readonly labels: LabelSet;
  /** The alert's name. */
  readonly name: string;
  readonly startsAtMs: number;
  /** Null while the alert fires. */
  readonly endsAtMs: number | null;
  /** What all queries take as now. */
  readonly now: number;
  /** `now` in RFC 3339. */
  readonly fetchedAt: string;
  /** The rule from the alert's link; null without one. */
  readonly linked: RuleReading | null;
  readonly testsFor: TestsFor;
}

export function questionOf(
  { alert, episode, receivedAt }: CaseFile,
  given: Pick<Question, 'asker' | 'budget' | 'now' | 'linked' | 'testsFor'>,
): Question {
  const { now } = given;
  const endsAt = alert.status === 'resolved' ? (episode.endsAt ?? alert.endsAt) : null;
  const startsAtMs = parseTime(alert.startsAt ?? episode.startsAt) ?? parseTime(receivedAt) ?? now;
  return {
    ...given, labels: alert.labels, name: alertNameOf(alert.labels), startsAtMs,
    endsAtMs: endsAt === null ? null : parseTime(endsAt), fetchedAt: isoTime(now),
  };
}
