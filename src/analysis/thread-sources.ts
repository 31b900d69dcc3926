import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { AnswerCache } from '../sources/answer-cache.ts';
import { bySource, identities, type AskedSource } from '../sources/asked-source.ts';
import { QueryGate } from '../sources/query-gate.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import {
  SourceClient, type AskableSource, type RequestOutcome,
} from '../sources/source-client.ts';

/** Null: not configured. */
export type SourceAccesses = Readonly<Record<AskedSource, SourceAccess | null>>;

/** What the investigations of one thread ask, and share the answers of. */
export type ThreadSources = Readonly<Record<AskedSource, AskableSource | null>>;

interface ThreadSourcesOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Questions that a source is asked at the same time, by this thread. */
  readonly atOnce: number;
  /** Of one answer; default 16 MiB. */
  readonly answerBytesMax?: number;
  readonly onAsked: (source: AskedSource, outcome: RequestOutcome) => void;
}

/** Questions that wait for their turn at one source, before one more is refused. */
const waitingMax = 500;

/** Each source's client, with a gate and a cache before it. */
export function openSources(
  accesses: SourceAccesses,
  options: ThreadSourcesOptions,
): ThreadSources {
  const { clock, random, atOnce, answerBytesMax, onAsked } = options;
  const open = (source: AskedSource): AskableSource | null => {
    const access = accesses[source];
    if (access === null) return null;
    const client = new SourceClient(identities[source], access, {
      clock, random, onOutcome: (outcome) => onAsked(source, outcome),
      ...(answerBytesMax !== undefined && { answerBytesMax }),
    });
    return new AnswerCache(client, { clock, gate: new QueryGate({ atOnce, waitingMax }) });
  };
  return bySource(open);
}
