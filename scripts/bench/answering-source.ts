/** A Prometheus, Alertmanager and Loki for hours of load, which fail now and then. */
import { createServer } from 'node:http';
import type { Cleanup } from '../../test/support/cleanup.ts';
import { listenLocally } from '../../test/support/http/local-server.ts';
import { seenRequest } from '../../test/support/sources/fake-source.ts';
import { talkativeSource } from '../../test/support/sources/talkative-prometheus.ts';

const series = 20;
/** One request in this many gets a 500, a body that is cut off, or no answer at all. */
const failsEvery = 50;
const cutOffEvery = 171;
const silentEvery = 490;

export interface AnsweringSource {
  readonly url: string;
  /** Requests so far. */
  readonly asked: () => number;
}

export async function startAnsweringSource(cleanup: Cleanup): Promise<AnsweringSource> {
  let asked = 0;
  const answer = talkativeSource({
    series,
    before(response) {
      asked += 1;
      if (asked % silentEvery === 0) return true;
      if (asked % cutOffEvery === 0) {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{', () => response.destroy());
        return true;
      }
      if (asked % failsEvery !== 0) return false;
      response.writeHead(500).end('out of order');
      return true;
    },
  });
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    request.resume();
    answer(response, request, seenRequest(request, ''));
  });
  return { url: await listenLocally(cleanup, server), asked: () => asked };
}
