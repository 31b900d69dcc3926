import {
  longBeforeMs, type LastWords, type Sign,
} from '../../evidence/kubernetes/kubernetes-facts.ts';
import { quotedPattern } from '../../evidence/logs/log-facts.ts';
import { isSteering } from '../../evidence/steering-text.ts';
import type { Hypothesis } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
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
 * itself right after: anybody may have something logged, but not have the program end with it. One
 * that runs and is not ready may say why as well.
 */
export function lastWordsHypothesis(
  { evidence: { kubernetes, history }, now }: Situation,
): Hypothesis | null {
  const { lastWords = null, signs = [] } = kubernetes ?? {};
  if (lastWords === null || lastWords.line === null || isSteering(lastWords.line)) return null;
  if (lastWords.isRunning) return whileUnready(lastWords, lastWords.line, now);
  const { who, container, line, evidence } = lastWords;
  const ends = signs.filter((sign) => {
    const isLate = sign.lastMs === null || sign.lastMs >= history.current.start - longBeforeMs;
    return sign.kind === 'ended' && sign.reason === 'Error' && isLate &&
      sign.container === container;
  });
  // What several pods say alike is one sign, which names none of them.
  const end = ends.find((each) => each.who.endsWith(who)) ?? ends[0];
  if (end === undefined) return null;
  return {
    cause: shownText(saidCause(line, `${who} says before it ends`, quotedPattern(line)), 300),
    mechanism: null,
    for: [{ text: signText(end, now), evidence: [end.evidence, evidence] }],
    against: [],
    test: null,
    certainty: isFatal(lastWords, end) ? 'likely' : 'possible',
  };
}

/** What one that is not ready says is seldom all there is to it. */
function whileUnready(
  { who, atMs, evidence }: LastWords,
  line: string,
  now: number,
): Hypothesis {
  const at = atMs === null ? '' : `, last at ${utcText(atMs, now)}`;
  return {
    cause: shownText(saidCause(line, `${who} logs`, quotedPattern(line)), 300), mechanism: null,
    for: [{ text: `It runs and is not ready, and logs this${at}.`, evidence: [evidence] }],
    against: [], test: null, certainty: 'possible',
  };
}

/** It ended by itself, right after the line. */
function isFatal({ atMs }: LastWords, { exitCode, lastMs }: Sign): boolean {
  if (atMs === null || lastMs === null || exitCode === null) return false;
  const isSignal = exitCode >= signalsFrom && exitCode <= signalsTo;
  return !isSignal && lastMs - atMs <= rightBeforeMs;
}
