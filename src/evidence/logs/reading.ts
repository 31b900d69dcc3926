import type { ReadStreams } from './ask-logs.ts';
import type { LogFacts } from './log-facts.ts';
import type { LogStreams } from './log-streams.ts';

/** The streams that were read, with the answers. */
export interface Reading extends ReadStreams, Pick<LogFacts, 'window' | 'emptyUntilMs'> {
  readonly streams: LogStreams;
}
