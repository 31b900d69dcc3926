import type { KubernetesFacts, Sign } from '../../evidence/kubernetes/kubernetes-facts.ts';
import { quotedPattern } from '../../evidence/logs/log-facts.ts';
import type { Hypothesis } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { signText } from '../sign-text.ts';
import type { Situation } from '../situation.ts';
import { saidCause } from './log-meanings.ts';

/** A program that ends because of what it says says it right before. */
const rightBeforeMs = 10_000;
/** Exit codes of 128 and a signal are those of a program that was ended from outside. */
const signalsFrom = 129;
const signalsTo = 128 + 64;

/**
 * What a container that ended with an error said of a failure before. Likely where it ended by
 * itself right after: anybody may have something logged, but not have the program end with it.
 */
export function lastWordsHypothesis(
  { evidence: { kubernetes }, now }: Situation,
): Hypothesis | null {
  const { lastWords = null, signs = [] } = kubernetes ?? {};
  const end = signs.find(({ kind, reason }) => kind === 'ended' && reason === 'Error');
  if (lastWords === null || lastWords.line === null || end === undefined) return null;
  const { who, line, evidence } = lastWords;
  return {
    cause: shownText(saidCause(line, `${who} says before it ends`, quotedPattern(line)), 300),
    mechanism: null,
    for: [{ text: signText(end, now), evidence: [end.evidence, evidence] }],
    against: [],
    test: null,
    certainty: isFatal(lastWords, end) ? 'likely' : 'possible',
  };
}

function isFatal(
  { atMs }: NonNullable<KubernetesFacts['lastWords']>,
  { exitCode, lastMs }: Sign,
): boolean {
  if (atMs === null || lastMs === null || exitCode === null) return false;
  const isSignal = exitCode >= signalsFrom && exitCode <= signalsTo;
  return !isSignal && lastMs - atMs <= rightBeforeMs;
}
