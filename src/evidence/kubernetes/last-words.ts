import { shellWord } from '../../lib/shell-word.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import type { LoggedLine } from '../../sources/kubernetes/container-log.ts';
import { linesMax } from '../../sources/kubernetes/kubernetes.ts';
import { logMessageOf } from '../../statistics/logs/log-message.ts';
import { isFailing } from '../../statistics/logs/log-words.ts';
import type { AddItem } from '../ledger.ts';
import { redactedMessage } from '../logs/redacted-message.ts';
import type { ClusterAnswers } from './cluster-answers.ts';
import type { LastWords } from './kubernetes-facts.ts';

const shownMax = 10;
const lineMax = 300;

/** Adds the last log lines of a container that ended or is not ready, and finds the failure. */
export function addLastWords(
  add: AddItem,
  { log, named, pod: own, pods }: ClusterAnswers,
  redact: Redactor['redact'],
): LastWords | null {
  if (log === null) return null;
  const { pod, container, isPrevious, lines } = log;
  const shown = redactedLines(lines, redact).slice(-shownMax)
    .map((line) => shownText(line, lineMax));
  const failure = failureLine(lines);
  const who = `container ${container} of pod ${pod}`;
  const evidence = add({
    kind: 'logs',
    title: shownText(`What ${who} logged last`, 160),
    query: `kubectl logs --namespace=${named.namespace ?? ''} ${shellWord(pod)} ` +
      `--container=${shellWord(container)}${isPrevious ? ' --previous' : ''} --tail=${linesMax}`,
    state: lines.length === 0 ? 'empty' : 'ok',
    summary: lines.length === 0 ? 'No lines: it logged nothing, or its log is gone.'
      : `Last of ${counted(lines.length, 'line')}: ${shown.at(-1) ?? ''}`,
    data: { lines: shown },
  });
  if (lines.length === 0) return null;
  const holder = own ?? pods.items.find((each) => each.name === pod);
  const state = holder?.containers.find((each) => each.name === container);
  return {
    who, container, evidence, isRunning: !isPrevious && state?.ended === null,
    line: failure && shownText(redactedMessage(failure.text, redact), lineMax),
    atMs: failure?.atMs ?? null,
  };
}

/** All lines at once, as a key takes several, and a value may be on the line below its name. */
function redactedLines(lines: readonly { text: string }[], redact: Redactor['redact']): string[] {
  return lines.length === 0 ? [] : redact(lines.map(({ text }) => text).join('\n')).split('\n');
}

type Lines = readonly LoggedLine[];

/** What Go, Rust, C++, Node and PHP write first when a program dies; a stack follows. */
const death = new RegExp(
  '^(?:panic: |(?:PHP )?fatal error: |thread \'.*\' (?:\\(\\d+\\) )?panicked at |' +
  'terminate called after throwing )', 'i',
);
/** Python writes the exception after the stack. */
const traceback = /^(?:[A-Z]+:\s+)?Traceback \(most recent call last\):$/;
/** Spring Boot explains a failed start under a heading. */
const failedStart = /^APPLICATION FAILED TO START$/;
/** A shell's message about a command that it cannot run. */
const noCommand = /\b(?:not found|no such file|permission denied)$/i;
/** What runners and libraries add to a failure: its exit code, or where to read more. */
const aftermath = new RegExp(
  '^\\s*(?:npm (?:err!|error)\\b|elifecycle\\b|error command failed with exit code|' +
  'make\\S*: \\*{3} |exit status \\d+$|for further information visit |' +
  '\\(background on this error at: |# an error report file )', 'i',
);

/** What follows a dying program's own words by less than this is about the same failure. */
const sameFailureMs = 5000;

/**
 * The line that says why the program failed: that of its runtime as it dies, else the last one that
 * reports a failure, joined with the next one if that continues it. Null if none reports any.
 */
function failureLine(lines: Lines): LoggedLine | null {
  const last = lastFailure(lines);
  const [own] = [
    lines.findLastIndex(({ text }) => death.test(text)), afterTraceback(lines),
    afterFailedStart(lines),
  ].filter((index) => index !== -1 && isOfSameFailure(lines[index], lines[last]))
    .sort((a, b) => b - a);
  const index = own ?? last;
  const [line, next] = [lines[index], lines[index + 1]];
  if (line === undefined) return null;
  const goesOn = next !== undefined && ((line.text.endsWith(':') && /^\S/.test(next.text)) ||
    /^\s*what\(\): /.test(next.text));
  return goesOn ? { ...line, text: `${line.text} ${next.text.trim()}` } : line;
}

function lastFailure(lines: Lines): number {
  const index = lines.findLastIndex(({ text }) => isFailureLine(text) && !aftermath.test(text));
  return index !== -1 ? index : lines.findLastIndex(({ text }) => isFailureLine(text));
}

function isFailureLine(text: string): boolean {
  const { level, message } = logMessageOf(text);
  if (level === null) return isFailing(message) || noCommand.test(message);
  return level === 'error' || level === 'fatal';
}

function afterTraceback(lines: Lines): number {
  const begin = lines.findLastIndex(({ text }) => traceback.test(text));
  return begin === -1 ? -1
    : lines.findIndex(({ text }, index) => index > begin && /^\S/.test(text));
}

function afterFailedStart(lines: Lines): number {
  const begin = lines.findLastIndex(({ text }) => failedStart.test(text));
  const heading = begin === -1 ? -1
    : lines.findIndex(({ text }, index) => index > begin && text === 'Description:');
  return heading === -1 ? -1
    : lines.findIndex(({ text }, index) => index > heading && text.trim() !== '');
}

function isOfSameFailure(line: LoggedLine | undefined, last: LoggedLine | undefined): boolean {
  const [atMs, lastMs] = [line?.atMs ?? null, last?.atMs ?? null];
  return atMs === null || lastMs === null || lastMs - atMs <= sameFailureMs;
}
