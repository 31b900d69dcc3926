/**
 * A model server for tests. It checks requests as strictly as real ones do, refuses with their
 * messages, and records every request.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Cleanup } from '../cleanup.ts';
import { listenLocally } from '../http/local-server.ts';
import { hearAnthropic, writeAnthropic } from './anthropic-interface.ts';
import { hearChat, writeChat } from './chat-interface.ts';
import { commit, type Fault } from './faults.ts';
import {
  fields, parsed, Refused, type Fields, type Heard, type Said, type Script,
} from './heard.ts';
import { hearResponses, writeResponses } from './responses-interface.ts';
import type { Habit } from './servers.ts';

export interface SeenModelRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Fields;
  /** Null if the request was refused before it was understood. */
  readonly heard: Heard | null;
}

export interface FakeModel {
  /** Without a path. */
  readonly origin: string;
  /** The base URL for `openai` and `openai-chat`. */
  readonly url: string;
  readonly requests: readonly SeenModelRequest[];
  /** The messages of all refusals, in order. */
  readonly refusals: readonly string[];
}

export interface FakeModelOptions {
  /** The key that requests must carry; null for a server without keys. */
  readonly key?: string | null;
  /** The only model it has; by default any name is accepted. */
  readonly name?: string;
  readonly habits?: readonly Habit[];
  /** One for each request until they are used up; null for no fault. */
  readonly faults?: readonly (Fault | null)[];
  /** The delay before each answer. */
  readonly thinksMs?: number;
  /** Changes the body of each answer. */
  readonly alter?: (body: object) => unknown;
}

type Interface = readonly [
  hear: (body: Fields) => Heard,
  write: (said: Said, answer: { model: string; id: string }) => object,
];

const interfaces: ReadonlyMap<string, Interface> = new Map<string, Interface>([
  ['/v1/chat/completions', [hearChat, writeChat]],
  ['/v1/responses', [hearResponses, writeResponses]],
  ['/v1/messages', [hearAnthropic, writeAnthropic]],
]);

export const fakeKey = 'sk-fake-0123456789';

export async function startFakeModel(
  t: Cleanup,
  script: Script,
  options: FakeModelOptions = {},
): Promise<FakeModel> {
  const requests: SeenModelRequest[] = [];
  const refusals: string[] = [];
  const faults = [...(options.faults ?? [])];
  const server = createServer((request, response) => {
    response.on('error', () => {}); // Many tests are about clients that hang up.
    void text(request).catch(() => null).then((sent) => {
      if (sent === null) return;
      const path = request.url ?? '';
      const seen = { path, headers: request.headers, body: bodyOf(sent), heard: null };
      const index = requests.push(seen) - 1;
      const fault = faults.shift() ?? null;
      if (fault !== null) return commit(fault, response);
      const [hear, write] = interfaces.get(path) ?? [null, null];
      try {
        if (hear === null) throw new Refused(`Invalid URL (POST ${path})`, { status: 404 });
        checkHeaders(path, request.headers, options);
        checkModel(seen.body, options);
        for (const habit of options.habits ?? []) habit(seen.body);
        const heard = hear(seen.body);
        requests[index] = { ...seen, heard };
        const said = script(heard, index);
        if (said.hangs === true) return;
        const model = `${String(seen.body['model'])}-2026-01-01`;
        const body = write(said, { model, id: String(index) });
        const send = (): void => {
          response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r1' });
          response.end(JSON.stringify(options.alter?.(body) ?? body));
        };
        if (options.thinksMs === undefined) send();
        else setTimeout(send, options.thinksMs);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refusals.push(error.message);
        response.writeHead(error.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(errorBody(path, error)));
      }
    });
  });
  const origin = await listenLocally(t, server);
  return { origin, url: `${origin}/v1`, requests, refusals };
}

/** The settings of a service that uses this model. */
export function modelAt(
  { url }: Pick<FakeModel, 'url'>,
  over: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    MODEL_PROVIDER: 'openai-chat', MODEL_URL: url, MODEL_NAME: 'fake-1', MODEL_API_KEY: fakeKey,
    ...over,
  };
}

function bodyOf(text: string): Fields {
  try {
    return fields(parsed(text, 'body'), 'body');
  } catch {
    return {};
  }
}

function checkHeaders(path: string, headers: IncomingHttpHeaders, options: FakeModelOptions): void {
  const isMessages = path === '/v1/messages';
  if (headers['content-type'] !== 'application/json') {
    throw new Refused('content-type', { status: 415 });
  }
  if (isMessages && headers['anthropic-version'] !== '2023-06-01') {
    throw new Refused('anthropic-version: header is required');
  }
  const { key = fakeKey } = options;
  const bearer = headers.authorization?.replace(/^Bearer /, '');
  const given = bearer ?? (isMessages ? headers['x-api-key'] : undefined);
  if (key === null || given === key) return;
  const said = `Incorrect API key provided: ${String(given)}`;
  throw new Refused(said, { status: 401, code: 'invalid_api_key' });
}

function checkModel(body: Fields, { name }: FakeModelOptions): void {
  if (name === undefined || body['model'] === name) return;
  throw new Refused(`The model '${String(body['model'])}' does not exist`, {
    status: 404, code: 'model_not_found',
  });
}

function errorBody(path: string, { message, code, param, status }: Refused): object {
  const names = { 401: 'authentication_error', 404: 'not_found_error' };
  if (path === '/v1/messages') {
    const type = names[status as keyof typeof names] ?? 'invalid_request_error';
    return { type: 'error', error: { type, message }, request_id: 'req_1' };
  }
  return { error: { message, type: 'invalid_request_error', param, code } };
}
