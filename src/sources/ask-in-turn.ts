import { BudgetSpentError, type Turns } from './query-gate.ts';
import type { AskableSource, SourceRequest } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';

/** Asks a source one question. Throws SourceFailure and nothing else. */
export type Ask = <T>(
  request: Omit<SourceRequest, 'signal'>,
  read: (body: Buffer) => T,
) => Promise<T>;

/** Asks for one investigation: each question waits for its turn, none starts after an abort. */
export function askInTurn(client: AskableSource, turns: Turns, signal?: AbortSignal): Ask {
  return async (request, read) => {
    const whole = signal === undefined ? request : { ...request, signal };
    try {
      return await turns.run(() => client.ask(whole, read), signal);
    } catch (error) {
      if (error instanceof SourceFailure) throw error;
      if (error instanceof BudgetSpentError) {
        throw client.failure({ reason: 'cancelled', detail: error.message });
      }
      if (signal?.aborted !== true) throw error;
      const detail = 'the investigation ended before its turn';
      throw client.failure({ reason: 'cancelled', detail });
    }
  };
}
