import { alertNameOf } from '../../alert/alert.ts';
import type { LabelSet } from '../../alert/labels.ts';
import { parseTime } from '../../alert/timestamp.ts';
import type { CaseFile } from '../../report/case-file.ts';
import type { QueryBudget } from '../../sources/query-budget.ts';
import { startsAtOf } from '../from-alert.ts';
import type { RuleReading } from '../rule/rule-expression.ts';
import type { Times } from './alert-window.ts';
import { alternativesOf, type Alternatives } from './alike.ts';
import type { Asker } from './asking.ts';
import type { TestsFor } from './cause-tests.ts';

/** What every question needs to know. */
export interface Question extends Times {
  readonly asker: Asker;
  readonly budget: Pick<QueryBudget, 'left'>;
  /** The alert's labels. */
  readonly labels: LabelSet;
  /** What it is asked about together with, by the labels that differ. */
  readonly alternatives: Alternatives;
  /** The alert's name. */
  readonly name: string;
  /** The rule from the alert's link; null without one. */
  readonly linked: RuleReading | null;
  readonly testsFor: TestsFor;
}

export function questionOf(
  caseFile: CaseFile,
  given: Pick<Question, 'asker' | 'budget' | 'now' | 'linked' | 'testsFor'>,
): Question {
  const { alert, episode } = caseFile;
  const endsAt = alert.status === 'resolved' ? (episode.endsAt ?? alert.endsAt) : null;
  return {
    ...given, labels: alert.labels, alternatives: alternativesOf(caseFile),
    name: alertNameOf(alert.labels),
    startsAtMs: startsAtOf(caseFile, given.now),
    endsAtMs: endsAt === null ? null : parseTime(endsAt),
  };
}
