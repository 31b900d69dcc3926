import type { Sign } from '../evidence/kubernetes/kubernetes-facts.ts';
import { quotedPattern } from '../evidence/logs/log-facts.ts';
import { capital, counted } from '../report/plain-text.ts';
import { shownText } from '../report/shown-text.ts';
import { utcText } from '../report/time-text.ts';

/** Plain words for Kubernetes' conditions and phases. */
const plainWords: ReadonlyMap<string, string> = new Map([
  ['NotReady', 'is not ready'], ['Cordoned', 'is cordoned and takes no new pods'],
  ['MemoryPressure', 'is short of memory'], ['DiskPressure', 'is short of disk space'],
  ['PIDPressure', 'is short of process IDs'], ['Evicted', 'was evicted'],
  ['Pending', 'is not bound'], ['Lost', 'has lost its volume'],
  ['DeploymentPaused', 'is paused'],
  ['NotThere', 'is not there now'], ['Terminating', 'is being deleted'],
]);

/** Exit codes that are telling by themselves: those of shells, and 128 plus a signal. */
const exitWords: ReadonlyMap<number, string> = new Map([
  [126, 'command not executable'], [127, 'command not found'], [134, 'SIGABRT'],
  [135, 'SIGBUS'], [137, 'SIGKILL'], [139, 'SIGSEGV'], [143, 'SIGTERM'],
]);

/** What Kubernetes says of an object, as a sentence; `now` is wall time in milliseconds. */
export function signText(sign: Sign, now: number): string {
  const text = `${capital(sign.who)}${clauseOf(sign, now)}${messageText(sign)}`;
  return `${shownText(text, 400).replace(/[.\s]+$/, '')}.`;
}

function clauseOf(sign: Sign, now: number): string {
  const { kind, reason, sinceMs, lastMs } = sign;
  const since = sinceMs === null ? '' : ` (since ${utcText(sinceMs, now)})`;
  switch (kind) {
    case 'waits': return ` is waiting: ${reason}`;
    case 'ended': return ` ${endedClause(sign, now)}`;
    case 'unfinished': return ` ${agreeing('has not finished', sign)}` +
      `${sinceMs === null ? '' : ` (running since ${utcText(sinceMs, now)})`}`;
    case 'unscheduled': return ` ${agreeing('has no node', sign)}${since}: ${reason}`;
    case 'gone': return ` ${agreeing(plainWords.get(reason) ?? `has ended: ${reason}`, sign)}` +
      `${lastMs === null ? '' : `${sign.pods > 1 ? ', last' : ''} at ${utcText(lastMs, now)}`}`;
    case 'condition': return ` ${plainWords.get(reason) ?? `reports ${reason}`}${since}`;
    case 'event': return `: ${reason} ${eventTimes(sign, now)}`;
  }
}

/** The clause with its verb in the plural where the sign is of several pods. */
function agreeing(words: string, { pods }: Sign): string {
  return pods < 2 ? words
    : words.replace(/^(?:was|is|has)\b/, (verb) => ({ was: 'were', is: 'are' })[verb] ?? 'have');
}

function endedClause({ reason, exitCode, times, memoryLimit, lastMs }: Sign, now: number): string {
  const word = reason === 'Error' ? exitWords.get(exitCode ?? 0) : undefined;
  const code = exitCode === null ? ''
    : ` (exit code ${exitCode}${word === undefined ? '' : `: ${word}`})`;
  const last = lastMs === null ? '' : `, last at ${utcText(lastMs, now)}`;
  const often = times === 0 ? '' : `, ${counted(times, 'restart')} in total`;
  const limit = reason === 'OOMKilled' && memoryLimit !== null
    ? `; its memory limit is ${memoryLimit}` : '';
  return `ended with ${reason}${code}${last}${often}${limit}`;
}

function eventTimes({ times, sinceMs, lastMs }: Sign, now: number): string {
  const [first, last] = [sinceMs, lastMs].map((ms) => (ms === null ? '' : utcText(ms, now)));
  if (times < 2 || first === last) return last === '' ? 'once' : `at ${last}`;
  return `${times} times${first === '' ? '' : ` from ${first} to ${last}`}`;
}

/** Messages contain names that strangers chose, so they are quoted like lines of logs. */
function messageText({ message }: Sign): string {
  return message === '' ? '' : `: ${quotedPattern(message.replace(/[.\s]+$/, ''))}`;
}
