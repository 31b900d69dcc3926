import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SourceIdentity } from '../../../src/sources/source-access.ts';
import type { AskableSource } from '../../../src/sources/source-client.ts';
import { faultOfError, SourceFailure } from '../../../src/sources/source-failure.ts';
import type { Answer } from './fake-source.ts';

/** Asks a fake source without a connection; `alter` changes its answers. */
export function inProcess(
  answer: Answer,
  identity: SourceIdentity,
  alter: (body: string) => string = (body) => body,
): AskableSource {
  return {
    timeoutMs: 5_000,
    identity,
    async ask({ path, parameters = [] }, read) {
      const asked = new URLSearchParams(parameters.map(
        ([name, value]): [string, string] => [name, value]));
      let body = '';
      const response = {
        writeHead: () => response,
        end: (text: string) => (body = text),
      };
      const request = { method: 'GET', url: `${path}?${asked.toString()}` };
      const seen = { ...request, path, parameters: asked, headers: {} };
      answer(response as never as ServerResponse, request as never as IncomingMessage, seen);
      try {
        return read(Buffer.from(alter(body)));
      } catch (error) {
        throw new SourceFailure(identity, faultOfError(error));
      }
    },
  };
}
