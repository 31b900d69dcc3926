import type { LogNews } from '../../evidence/logs/log-facts.ts';
import { isSteering } from '../../evidence/steering-text.ts';
import { isEstablished } from '../../report/certainty.ts';
import { citing } from '../citing.ts';
import { hasNoBefore, newLinesText, quotedNews } from '../log-words.ts';
import type { Situation } from '../situation.ts';
import { explanation, type Explained } from './explanation.ts';
import { loggedCause, logMeaning } from './log-meanings.ts';

/**
 * The first new failure in the log of the alert's own object. It may be cause or consequence, which
 * a reader mostly knows, so it is never more than possible; as anybody may have had it written, it
 * stays a finding where something else is likely.
 */
export function logHypothesis(
  { evidence: { logs }, now }: Situation,
  found: readonly Explained[],
): Explained[] {
  const trouble = logs?.trouble ?? null;
  if (logs === null || trouble === null || found.some(isEstablished)) return [];
  const isFirstLeading = ({ kind }: LogNews): boolean =>
    kind === 'new' || (kind === 'alike' && hasNoBefore(trouble, logs));
  // A line that tries to instruct a model was planted to be read, and explains nothing.
  const first = bestNews(trouble.news.filter((line) =>
    isFirstLeading(line) && !isSteering(line.pattern) && !isSteering(line.example)));
  if (first === null) return [];
  const { owner: who } = trouble;
  const cause = loggedCause(first.example, {
    who, reporter: `the log of ${who} says`, quoted: quotedNews(first),
  });
  const text = `${newLinesText(first, trouble, logs, now)}.`;
  return [explanation(cause, 'possible', citing([trouble.evidence], text))];
}

/** Lines of one failure that were logged one by one begin within this time. */
const togetherMs = 2000;
/** "KeyError: 'currency'", "java.net.ConnectException: refused" */
const exception = /(?:Error|Exception): \S/;

/** The first, unless another line of the same failure says more clearly what it is. */
function bestNews([first, ...others]: readonly LogNews[]): LogNews | null {
  if (first === undefined) return null;
  const ofSame = others.filter(({ firstAtMs, after }) =>
    Math.abs((firstAtMs ?? 0) - (first.firstAtMs ?? 0)) <= togetherMs && after * 2 >= first.after);
  const all = [first, ...ofSame];
  return all.find(({ example }) => logMeaning(example) !== null) ??
    all.find(({ example }) => exception.test(example)) ?? first;
}
