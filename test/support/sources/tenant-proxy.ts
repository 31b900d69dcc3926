import { createServer, request as askUpstream } from 'node:http';
import type { Cleanup } from '../cleanup.ts';
import { listenLocally } from '../http/local-server.ts';

/**
 * A gateway in front of a multi-tenant server, like Mimir's: requests that name the tenant pass,
 * all others are refused with its message (grafana/dskit: user/id.go).
 */
export async function startTenantProxy(
  cleanup: Cleanup,
  { upstream, tenant }: { readonly upstream: string; readonly tenant: string },
): Promise<string> {
  const { origin, pathname } = new URL(upstream);
  const server = createServer((request, response) => {
    if (request.headers['x-scope-orgid'] !== tenant) {
      response.writeHead(401, { 'content-type': 'text/plain' }).end('no org id\n');
      return;
    }
    const { method, headers, url = '/' } = request;
    const onward = askUpstream(new URL(url, origin), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  return `${await listenLocally(cleanup, server)}${pathname}`;
}
