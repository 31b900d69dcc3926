/** What the commands write: results to standard output, messages to standard error. */
import { fstatSync } from 'node:fs';
import { visible, visibleLine } from '../report/plain-text.ts';
import { linePrefix } from './systemd.ts';

/**
 * A log that cannot be written, as its reader is gone or its disk is full, must not stop the
 * service. A reader of a report may stop early; any other failure to write it is an error.
 */
export function tolerateClosedOutputs(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.once('exit', () => {
      process.exitCode = printError([`Cannot write the output: ${message}`], 1);
    });
  });
}

/** How reports are printed: the width is that of the terminal, in columns. */
export function terminal(): { color: boolean; width: number } {
  return {
    color: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
    width: process.stdout.columns ?? 80,
  };
}

/** Whatever the text quotes, it does not control the terminal. Returns the exit code 0. */
export function print(text: string): number {
  process.stdout.write(visible(text));
  return 0;
}

/** Reports are rendered so already; what is left are colours of their own. */
export function printReports(text: string): void {
  process.stdout.write(text);
}

/** A line stays one line, whatever it quotes. */
export function printLine(line: string): void {
  process.stderr.write(`${visibleLine(line)}\n`);
}

/** Returns `exitCode`. */
export function printError(lines: readonly string[], exitCode: number): number {
  const prefix = linePrefix(process.env, fstatSync(process.stderr.fd))('error');
  for (const line of lines) printLine(`${prefix}${line}`);
  return exitCode;
}
