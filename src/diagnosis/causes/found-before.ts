import { byCertainty, isEstablished, type Hypothesis } from '../../report/report.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { momentOf, utcText } from '../../report/time-text.ts';
import type { Situation } from '../situation.ts';
import { ruledOutOf } from './tested-causes.ts';

/**
 * Puts what explained an ended alert while it fired before causes that are less certain. What was
 * confirmed then stays so, though its proof is gone with the trouble: Prometheus no longer says why
 * a scrape failed once it succeeds. What was likely is judged anew, unless answers are missing.
 */
export function afterFoundBefore(found: readonly Hypothesis[], situation: Situation): Hypothesis[] {
  const { caseFile: { foundBefore }, evidence: { ids, metrics }, now } = situation;
  if (foundBefore === null || ids.foundBefore === null) return [...found];
  const { at, cause, mechanism, certainty, statements } = foundBefore;
  const isWhole = metrics !== null && metrics.source.failures.length === 0;
  if (certainty !== 'confirmed' && (isWhole || !isEstablished(foundBefore))) return [...found];
  const [first] = found;
  if (first !== undefined && byCertainty(first, foundBefore) <= 0) return [...found];
  if (ruledOutOf(situation).some((each) => each.cause === cause)) return [...found];
  const evidence = [ids.foundBefore];
  const when = `at ${utcText(momentOf(at, now), now)}, while the alert fired`;
  const carried: Hypothesis = {
    cause: shownText(cause, 300), mechanism: mechanism && shownText(mechanism, 300), certainty,
    for: statements.map((text) => ({ text: `${shownClause(text, 400)} (${when}).`, evidence })),
    against: [], test: found.find((each) => each.cause === cause)?.test ?? null,
  };
  return [carried, ...found.filter((each) => each.cause !== cause)];
}
