/**
 * Fastify doing what the service does before it stores anything: rate limits, validation,
 * deduplication, one link per alert. Nothing is stored. The argument is a folder in which
 * `npm install fastify` was run; the project itself does not depend on Fastify.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const fastifyServerPath: string = fileURLToPath(import.meta.url);

interface Alert {
  readonly status?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly fingerprint: string;
}

interface FastifyRequest {
  readonly ip: string;
  readonly body: { readonly alerts: readonly Alert[] };
}

interface FastifyReply {
  header(name: string, value: string | number): FastifyReply;
}

interface Fastify {
  post(
    path: string,
    options: { readonly schema: { readonly body: object; readonly response: object } },
    answer: (request: FastifyRequest, reply: FastifyReply) => object,
  ): void;
  listen(options: { readonly port: number; readonly host: string }): Promise<string>;
}

const texts = { type: 'object', additionalProperties: { type: 'string' } };
const alertSchema = {
  type: 'object',
  required: ['labels', 'fingerprint'],
  properties: { labels: texts, annotations: texts, fingerprint: { type: 'string' } },
};
const bodySchema = {
  type: 'object',
  required: ['alerts'],
  properties: { alerts: { type: 'array', items: alertSchema } },
};
const linkNames = ['fingerprint', 'alert_name', 'namespace', 'report_url'];
const linkSchema = {
  type: 'object',
  properties: Object.fromEntries(linkNames.map((name) => [name, { type: 'string' }])),
};
const answerSchema = {
  type: 'object',
  properties: {
    status: { type: 'string' },
    message: { type: 'string' },
    report_urls: { type: 'array', items: linkSchema },
  },
};

async function startFastify(directory: string): Promise<void> {
  const create = createRequire(join(directory, 'package.json'))('fastify') as (
    options: object,
  ) => Fastify;
  const fastify = create({ bodyLimit: 16 * 1024 * 1024, keepAliveTimeout: 65_000 });
  const drawn = new Map<string, number>();
  const seen = new Map<string, string>();
  const schema = { body: bodySchema, response: { 200: answerSchema } };
  fastify.post('/webhook', { schema }, ({ ip, body }, reply) => {
    const count = (drawn.get(ip) ?? 0) + 1;
    drawn.set(ip, count);
    reply.header('X-RateLimit-Limit', 100).header('X-RateLimit-Remaining', count);
    for (const { fingerprint, status = 'firing' } of body.alerts) seen.set(fingerprint, status);
    return {
      status: 'success',
      message: 'Alerts queued for analysis',
      report_urls: body.alerts.map(({ fingerprint, labels }) => ({
        fingerprint,
        alert_name: labels['alertname'] ?? 'Unknown',
        namespace: labels['namespace'] ?? 'Unknown',
        report_url: `http://127.0.0.1/report/${encodeURIComponent(fingerprint)}`,
      })),
    };
  });
  const address = await fastify.listen({ port: 0, host: '127.0.0.1' });
  process.send?.(Number(new URL(address).port));
}

if (process.argv[1] === fastifyServerPath) await startFastify(process.argv[2] ?? '.');
