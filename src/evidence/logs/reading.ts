import type { ReadStreams } from './ask-logs.ts';
import type { CountedLines } from './counted-lines.ts';
import type { LogWindow } from './log-comparison.ts';
import type { LogStreams } from './log-streams.ts';

/** The streams that were read, with the answers. */
export interface Reading {
  readonly streams: LogStreams;
  readonly read: ReadStreams;
  readonly window: LogWindow;
  readonly lines: CountedLines | null;
  /** See `LogFacts`. */
  readonly emptyUntilMs: number | null;
}
