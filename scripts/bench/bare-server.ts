/** The least any Node server costs: `node:http`, the body read and parsed, a fixed answer. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export const bareServerPath: string = fileURLToPath(import.meta.url);

function startBareServer(): void {
  const answer = JSON.stringify({ status: 'success' });
  const headers = { 'content-type': 'application/json', 'content-length': answer.length };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(200, headers).end(answer);
    });
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

if (process.argv[1] === bareServerPath) startBareServer();
