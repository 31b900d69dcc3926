import type { Sign } from '../evidence/kubernetes/kubernetes-facts.ts';
import { quotedPattern } from '../evidence/logs/log-facts.ts';
import { capital, counted } from '../report/plain-text.ts';
import { shownText } from '../report/shown-text.ts';
import { utcText } from '../report/time-text.ts';

/** Kubernetes' words that are said otherwise, of what is of their kind. */
const plainWords: ReadonlyMap<string, string> = new Map([
  ['NotReady', 'is not ready'], ['Cordoned', 'takes no new pods: it is cordoned'],
  ['MemoryPressure', 'is short of memory'], ['DiskPressure', 'is short of disk space'],
  ['PIDPressure', 'is short of process numbers'], ['Evicted', 'was evicted'],
  ['Pending', 'is not bound'], ['Lost', 'has lost its volume'],
  ['DeploymentPaused', 'is paused'],
  ['NotThere', 'is not there now'], ['Terminating', 'is being deleted'],
]);

/** Exit codes that say why by themselves: those of shells, and 128 and a signal. */
const exitWords: ReadonlyMap<number, string> = new Map([
  [126, 'its command may not be run'], [127, 'its command was not found'], [134, 'SIGABRT'],
  [135, 'SIGBUS'], [137, 'SIGKILL'], [139, 'SIGSEGV'], [143, 'SIGTERM'],
]);

/** What Kubernetes says of an object, as a sentence; `now` is wall time in milliseconds. */
export function signText(sign: Sign, now: number): string {
  const text = `${capital(sign.who)}${clauseOf(sign, now)}${saidOf(sign)}`;
  return `${shownText(text, 400).replace(/[.\s]+$/, '')}.`;
}

function clauseOf(sign: Sign, now: number): string {
  const { kind, reason, sinceMs, lastMs } = sign;
  const since = sinceMs === null ? '' : ` since ${utcText(sinceMs, now)}`;
  switch (kind) {
    case 'waits': return ` waits: ${reason}`;
    case 'ended': return ` ${endedClause(sign, now)}`;
    case 'unscheduled': return ` ${agreeing('has no node', sign)}${since}: ${reason}`;
    case 'gone': return ` ${agreeing(plainWords.get(reason) ?? `has ended: ${reason}`, sign)}` +
      `${lastMs === null ? '' : `${sign.pods > 1 ? ', last' : ''} at ${utcText(lastMs, now)}`}`;
    case 'condition': return ` ${plainWords.get(reason) ?? `says ${reason}`}${since}`;
    case 'event': return `: ${reason} ${eventTimes(sign, now)}`;
  }
}

/** What is said of one pod, of as many as there are. */
function agreeing(words: string, { pods }: Sign): string {
  return pods < 2 ? words
    : words.replace(/^(?:was|is|has)\b/, (verb) => ({ was: 'were', is: 'are' })[verb] ?? 'have');
}

function endedClause({ reason, exitCode, times, memoryLimit, lastMs }: Sign, now: number): string {
  const word = reason === 'Error' ? exitWords.get(exitCode ?? 0) : undefined;
  const code = exitCode === null ? ''
    : ` (exit code ${exitCode}${word === undefined ? '' : `: ${word}`})`;
  const last = lastMs === null ? '' : `, last at ${utcText(lastMs, now)}`;
  const often = times === 0 ? '' : `, ${counted(times, 'restart')} in all`;
  const limit = reason === 'OOMKilled' && memoryLimit !== null
    ? `; its memory limit is ${memoryLimit}` : '';
  return `ended with ${reason}${code}${last}${often}${limit}`;
}

function eventTimes({ times, sinceMs, lastMs }: Sign, now: number): string {
  const [first, last] = [sinceMs, lastMs].map((ms) => (ms === null ? '' : utcText(ms, now)));
  if (times < 2 || first === last) return last === '' ? 'once' : `at ${last}`;
  return `${times} times${first === '' ? '' : ` from ${first} to ${last}`}`;
}

/** Messages hold what programs and images are called: they are quoted like lines of logs. */
function saidOf({ message }: Sign): string {
  return message === '' ? '' : `: ${quotedPattern(message.replace(/[.\s]+$/, ''))}`;
}
