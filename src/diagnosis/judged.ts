import type { Change, RuledOut } from '../report/report.ts';
import { kubernetesReasonOf, type KubernetesReason } from './causes/kubernetes-reason.ts';
import { scrapeErrorOf, type ScrapeError } from './causes/scrape-error.ts';
import { suspectsOf, type Suspect } from './causes/suspect.ts';
import { ruledOutOf, testedCauses, type TestedCause } from './causes/tested-causes.ts';
import { changesOf } from './changes/changes.ts';
import { outlierComponents, type OutlierComponent } from './changes/moved-series.ts';
import { outcomesOf, type ChangeOutcome } from './changes/outcomes.ts';
import { endingOf, type Ending } from './ending.ts';
import { noiseOf, type Noise } from './noise.ts';
import { isResolved, type Situation } from './situation.ts';

/** A situation with what several parts of the report say of it, judged once. */
export interface Judged extends Situation {
  /** Each cause of the family with what its test says, in the family's order. */
  readonly tested: readonly TestedCause[];
  readonly ruledOut: readonly RuledOut[];
  readonly reason: KubernetesReason | null;
  readonly scrapeError: ScrapeError | null;
  /** The components that stand out, best first; those of them that may be the cause. */
  readonly outliers: readonly OutlierComponent[];
  readonly suspects: readonly Suspect[];
  readonly changes: readonly Change[];
  /** What became of the changes that stood out; empty while the alert fires. */
  readonly outcomes: readonly ChangeOutcome[];
  /** Why it says nothing new; null if it may. */
  readonly noise: Noise | null;
  /** Null while the alert fires. */
  readonly ending: Ending | null;
}

/** What is wrong lies behind the alert's own thing, at which the tests look. */
function isElsewhere({ evidence: { metrics } }: Situation): boolean {
  return (metrics?.path?.origin ?? 0) > 0;
}

export function judge(situation: Situation): Judged {
  const tested = testedCauses(situation);
  const reason = kubernetesReasonOf(situation);
  const scrapeError = scrapeErrorOf(situation);
  const outliers = outlierComponents(situation.evidence);
  // Never what the alert or a failed scrape proves.
  const isProven = (id: string): boolean =>
    id === reason?.causeId || scrapeError?.open.has(id) === true;
  return {
    ...situation, tested, reason, scrapeError,
    ruledOut: isElsewhere(situation) ? [] : ruledOutOf(tested, isProven),
    outliers,
    suspects: suspectsOf(situation, outliers),
    changes: changesOf(situation, outliers),
    outcomes: outcomesOf(situation),
    noise: noiseOf(situation),
    ending: isResolved(situation) ? endingOf(situation) : null,
  };
}
