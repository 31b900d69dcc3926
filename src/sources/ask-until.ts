import type { AskableSource, SourceRequest } from './source-client.ts';

/** Asks a source one question. Throws SourceFailure and nothing else. */
type Ask = <T>(
  request: Omit<SourceRequest, 'signal'>,
  read: (body: Buffer) => T,
) => Promise<T>;

/** Asks a source until the signal is aborted, which cancels all its questions. */
export function askUntil(client: AskableSource, signal: AbortSignal | undefined): Ask {
  return (request, read) =>
    client.ask(signal === undefined ? request : { ...request, signal }, read);
}
