import { alertNameOf } from '../../alert/alert.ts';
import type { FoundBefore } from '../../report/case-file.ts';
import { byCertainty } from '../../report/certainty.ts';
import { factsOf, isSameCause } from '../../report/kinds.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { momentOf, utcText } from '../../report/time-text.ts';
import type { Judged } from '../judged.ts';
import { isResolved } from '../situation.ts';
import type { Explained } from './explanation.ts';

/**
 * Puts what explained an alert before causes that are less certain. What was confirmed while it
 * fired stays so, though its proof is gone with the trouble: Prometheus no longer says why a scrape
 * failed once it succeeds. What was likely is judged anew while it fires, unless answers are
 * missing; and an alert that was open then may have ended, even while this one fires on.
 */
export function afterFoundBefore(
  found: readonly Explained[],
  judged: Judged,
): readonly Explained[] {
  const { caseFile: { foundBefore }, evidence: { ids }, now } = judged;
  if (foundBefore === null || ids.foundBefore === null) return found;
  if (!stillHolds(foundBefore, found, judged)) return found;
  const { at, cause, detail, mechanism, certainty, statements } = foundBefore;
  const evidence = [ids.foundBefore];
  const fired = isResolved(judged) ? ', while the alert fired' : '';
  const when = `at ${utcText(momentOf(at, now), now)}${fired}`;
  const again = found.find((each) => isSameCause(each, foundBefore));
  const who = again?.detail ?? detail;
  const carried: Explained = {
    ...factsOf(foundBefore), cause: shownText(cause, 300),
    ...who !== undefined && { detail: shownText(who, 300) },
    mechanism: mechanism && shownText(mechanism, 300), certainty,
    for: statements.map((text) => ({ text: `${shownClause(text, 400)} (${when}).`, evidence })),
    against: [], test: again?.test ?? null, tested: again?.tested,
  };
  return [carried, ...found.filter((each) => each !== again)];
}

/** It is more certain than what is found now, and nothing found now denies it. */
function stillHolds(
  before: FoundBefore,
  [first]: readonly Explained[],
  judged: Judged,
): boolean {
  const { caseFile: { openAlerts }, evidence: { metrics }, ruledOut } = judged;
  const { certainty } = before;
  // One that is still open is judged by what is open now.
  const isOpen = !isResolved(judged) && before.kind === 'same_problem' &&
    openAlerts.some(({ fingerprint, labels }) => fingerprint === before.alert ||
      before.about?.includes(alertNameOf(labels)) === true);
  const isWhole = metrics !== null && metrics.source.failures.length === 0;
  // Whatever moves back moves as well: after the end, only a proof says more than was seen.
  const isKept = certainty !== 'likely' || !isWhole || isResolved(judged);
  // What moved does not come before another alert that was open, which is known no longer.
  const isAnother = first === undefined || !isSameCause(first, before);
  const isOver = isResolved(judged) && certainty === 'likely';
  const lead = (certainty === 'possible' && isAnother) || isOver ? 1 : 0;
  const isBetter = first === undefined || byCertainty({ certainty }, first) < lead;
  return isKept && !isOpen && isBetter &&
    !ruledOut.some((each) => isSameCause({ kind: 'family', ...each }, before));
}
