import type { Clock } from '../lib/clock.ts';
import { Limiter } from '../lib/limiter.ts';
import type { Random } from '../lib/random.ts';
import { AnswerCache } from '../sources/answer-cache.ts';
import { askedSources, bySource, identities, type AskedSource } from '../sources/asked-source.ts';
import { bareSecretsOf, type SourceAccess } from '../sources/source-access.ts';
import { SourceClient, type AskableSource, type RequestOutcome } from '../sources/source-client.ts';

/** Null: not configured. */
export type SourceAccesses = Readonly<Record<AskedSource, SourceAccess | null>>;

/** The sources that the investigations of one thread query, and whose answers they share. */
export type ThreadSources = Readonly<Record<AskedSource, AskableSource | null>>;

export function sourceSecrets(accesses: SourceAccesses): string[] {
  return askedSources.flatMap((source) => {
    const access = accesses[source];
    return access === null ? [] : bareSecretsOf(access);
  });
}

interface ThreadSourcesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly atOnce: number;
  /** Limit of one answer; default 16 MiB. */
  readonly answerBytesMax?: number;
  readonly onAsked: (source: AskedSource, outcome: RequestOutcome) => void;
}

/** Most queries that may wait for their turn at one source; further ones are refused. */
const waitingMax = 500;

/** Opens a client for each configured source, behind a cache and a gate. */
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
    return new AnswerCache(client, { clock, gate: new Limiter(atOnce, waitingMax) });
  };
  return bySource(open);
}
