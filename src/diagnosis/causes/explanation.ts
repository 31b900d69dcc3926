import type { Certainty, Hypothesis, Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';

/** An explanation that is in no family: there is no mechanism and no test to go with it. */
export function explanation(
  cause: string,
  certainty: Certainty,
  support: readonly Statement[],
): Hypothesis {
  return {
    cause: shownText(cause, 300), mechanism: null, for: support, against: [], test: null, certainty,
  };
}
