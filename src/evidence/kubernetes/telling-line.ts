import type { LoggedLine } from '../../sources/kubernetes/container-log.ts';
import { logMessageOf } from '../../statistics/logs/log-message.ts';
import { isFailing } from '../../statistics/logs/log-words.ts';

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
export function tellingLine(lines: Lines): LoggedLine | null {
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
  const index = lines.findLastIndex(({ text }) => tellsOfFailure(text) && !aftermath.test(text));
  return index !== -1 ? index : lines.findLastIndex(({ text }) => tellsOfFailure(text));
}

function tellsOfFailure(text: string): boolean {
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
