/** Faults of a model server and of the network in front of it. */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string>;
      readonly body?: unknown }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'html' | 'hang' | 'hang in body' | 'endless' | 'drip' | 'broken json' |
      'truncated' | 'reset' | 'empty' | 'wrong shape' | 'events' };

const json = { 'content-type': 'application/json' };

export function commit(fault: Fault, response: ServerResponse): void {
  switch (fault.kind) {
    case 'status':
      response.writeHead(fault.status, { ...json, ...fault.headers });
      response.end(JSON.stringify(fault.body ?? { error: { message: 'no', type: 'x' } }));
      return;
    case 'redirect':
      response.writeHead(307, { location: fault.to }).end();
      return;
    case 'html':
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html><head><style>b{}</style></head><h1>Bad&nbsp;Gateway</h1></html>');
      return;
    case 'hang': return;
    case 'hang in body':
      response.writeHead(200, json).write('{"id":');
      return;
    case 'endless': return void pour(response, { bytes: 65_536, everyMs: 0 });
    case 'drip': return void pour(response, { bytes: 1, everyMs: 5 });
    case 'broken json':
      response.writeHead(200, json).end('{"id": "x", ');
      return;
    case 'events':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"choices":[{"delta":{"content":"A"}}]}\n\ndata: [DONE]\n\n');
      return;
    case 'truncated':
      response.writeHead(200, { ...json, 'content-length': '1000' }).write('{"id":');
      setImmediate(() => response.destroy());
      return;
    case 'reset':
      response.destroy();
      return;
    case 'empty':
      response.writeHead(200, json).end();
      return;
    case 'wrong shape':
      response.writeHead(200, json).end('{"totally":"wrong"}');
  }
}

async function pour(
  response: ServerResponse,
  { bytes, everyMs }: { bytes: number; everyMs: number },
): Promise<void> {
  response.writeHead(200, json);
  while (!response.destroyed) {
    const isTaken = response.write(' '.repeat(bytes));
    await (isTaken ? delay(everyMs) : delay(1));
  }
}
