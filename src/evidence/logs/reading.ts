import type { ReadStreams } from './ask-logs.ts';
import type { CountedLines } from './counted-lines.ts';
import type { LogWindow } from './log-comparison.ts';
import type { LogStreams } from './log-streams.ts';

/** Streams that were read, and what came of it. */
export interface Reading {
  readonly streams: LogStreams;
  readonly read: ReadStreams;
  readonly window: LogWindow;
  readonly lines: CountedLines | null;
  /** See `LogFacts`. */
  readonly emptyUntilMs: number | null;
}
