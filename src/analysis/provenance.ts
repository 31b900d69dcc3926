import { isResolved, type Situation } from '../diagnosis/situation.ts';
import { outsideSources } from '../evidence/missing-sources.ts';
import type { Provenance } from '../report/report.ts';
import { isoTime } from '../report/time-text.ts';

export interface Run {
  readonly version: string;
  /** Wall time in milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

type Check = Provenance['checks'][number];

/** Where the report comes from: what was asked, what was checked, and what was skipped and why. */
export function provenanceOf(situation: Situation, run: Run): Provenance {
  const { caseFile, evidence } = situation;
  const known = (name: string): Provenance['sources'][number] => ({
    name, state: 'ok', duration_ms: 0, queries: 0,
  });
  return {
    version: run.version,
    sources: [
      known('alert'),
      known('notification'),
      known('store'),
      ...outsideSources.map(({ name }) => ({
        name, state: evidence.sources[name], duration_ms: 0, queries: 0,
      })),
    ],
    checks: checksOf(situation),
    redactions: evidence.ledger.items.reduce((sum, item) => sum + item.redactions, 0),
    attempts: caseFile.attempts,
    started_at: isoTime(run.startedAt),
    finished_at: isoTime(run.finishedAt),
  };
}

function checksOf(situation: Situation): Check[] {
  const { evidence, knowledge } = situation;
  const { rule, measurement, history } = evidence;
  const noMetrics = 'No metric source is configured (PROMETHEUS_URL).';
  return [
    check('rule expression', rule === null ? 'The alert carries no expression.' : rule.unread),
    check('value against threshold', measurement.unknownBecause ??
      (measurement.threshold === null ? 'The limit of the rule is unknown.' : null)),
    check('flapping', null),
    check('recurrence', history.earlier.length < 2 ? 'Fewer than three episodes.' : null),
    check('related alerts', null),
    check('known alert family', knowledge === null ? 'The alert is of no known family.' : null),
    check('scrape health', noMetrics),
    check('what moved', noMetrics),
    ...(isResolved(situation) ? [check('value at the end', noMetrics)] : []),
  ];
}

function check(name: string, skippedBecause: string | null): Check {
  return { name, state: skippedBecause === null ? 'done' : 'skipped', why: skippedBecause };
}
