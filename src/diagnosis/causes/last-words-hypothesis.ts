import {
  signBeforeMs, type LastWords, type Sign,
} from '../../evidence/kubernetes/kubernetes-facts.ts';
import { quotedPattern } from '../../evidence/logs/log-facts.ts';
import { isSteering } from '../../evidence/steering-text.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import { signText } from '../sign-text.ts';
import type { Situation } from '../situation.ts';
import { explanation, type Explained } from './explanation.ts';
import { loggedCause } from './log-meanings.ts';

/** A program that ends because of an error logs it this long before, at most. */
const rightBeforeMs = 10_000;
/**
 * Exit codes of programs that were ended from outside: 128 plus SIGHUP, SIGINT, SIGKILL, SIGTERM. A
 * program raises the other signals itself, as by abort() or a fault.
 */
const fromOutside = new Set([129, 130, 137, 143]);

/**
 * The last failure that a container logged before it ended with an error. Likely where it exited by
 * itself right after: strangers may get a line logged, but cannot make the program exit with it. A
 * container that is running but not ready may log why as well.
 */
export function lastWordsHypothesis(
  { evidence: { kubernetes, history }, now }: Situation,
): Explained[] {
  const { lastWords = null, signs = [] } = kubernetes ?? {};
  if (lastWords === null || lastWords.line === null || isSteering(lastWords.line)) return [];
  if (lastWords.isRunning) return [whileUnready(lastWords, lastWords.line, now)];
  const { who, container, line, evidence } = lastWords;
  const ends = signs.filter((sign) => {
    const isLate = sign.lastMs === null || sign.lastMs >= history.current.start - signBeforeMs;
    return sign.kind === 'ended' && sign.reason === 'Error' && isLate &&
      sign.container === container;
  });
  // A sign shared by several pods names none of them.
  const end = ends.find((each) => each.who.endsWith(who)) ?? ends[0];
  if (end === undefined) return [];
  return [explanation(
    loggedCause(line, {
      who, reporter: `${who} says before it exits`, quoted: quotedPattern(line),
    }),
    isFatal(lastWords, end) ? 'likely' : 'possible',
    citing([end.evidence, evidence], signText(end, now)),
  )];
}

/** What a container that is not ready logs is seldom the whole cause, so it is only possible. */
function whileUnready({ who, atMs, evidence }: LastWords, line: string, now: number): Explained {
  const at = atMs === null ? '' : `, last at ${utcText(atMs, now)}`;
  const text = `It is running but not ready, and logs this${at}.`;
  const cause = loggedCause(line, { who, reporter: `${who} logs`, quoted: quotedPattern(line) });
  return explanation(cause, 'possible', citing([evidence], text));
}

/** It exited by itself, right after the line. */
function isFatal({ atMs }: LastWords, { exitCode, lastMs }: Sign): boolean {
  if (atMs === null || lastMs === null || exitCode === null) return false;
  return !fromOutside.has(exitCode) && lastMs - atMs <= rightBeforeMs;
}
