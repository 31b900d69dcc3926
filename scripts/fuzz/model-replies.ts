import assert from 'node:assert/strict';
import type { ModelReply, ModelRequest } from '../../src/model/client/conversation.ts';
import type { ModelAccess } from '../../src/model/client/model-access.ts';
import { ModelError } from '../../src/model/client/model-error.ts';
import { defaultQuirks, type Quirks } from '../../src/model/client/quirks.ts';
import { errorOfRefusal, readRefusal } from '../../src/model/client/refusal.ts';
import { isToolCallText } from '../../src/model/investigation/tool-call-text.ts';
import { anthropic } from '../../src/model/wires/anthropic.ts';
import { openAiChat } from '../../src/model/wires/openai-chat.ts';
import { openAiResponses } from '../../src/model/wires/openai-responses.ts';
import type { Chance } from './chance.ts';
import { mutatedJson } from './mutate-json.ts';
import { hostileText, mutateText } from './mutate-text.ts';
import { orDeclared, type Target } from './target.ts';

const wires = [anthropic, openAiChat, openAiResponses];
const usage = { input_tokens: 10, output_tokens: 5, prompt_tokens: 10, completion_tokens: 5 };
const call = { name: 'query', arguments: '{"expression":"up"}' };

const replies: readonly unknown[] = [
  {
    model: 'm', stop_reason: 'tool_use', usage, content: [
      { type: 'thinking', thinking: 'hm', signature: 'x' }, { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'toolu_1', name: 'query', input: { expression: 'up' } },
    ],
  },
  {
    model: 'm', usage, choices: [{
      finish_reason: 'tool_calls', index: 0, message: {
        role: 'assistant', content: '<think>hm</think>Looking.', reasoning_content: 'hm',
        tool_calls: [{ id: 'a', type: 'function', function: call }, { function: call }],
      },
    }],
  },
  {
    model: 'm', status: 'completed', usage, output: [
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', ...call },
    ],
  },
  { error: { message: 'too long', type: 'invalid_request_error', code: 'context', param: 'x' } },
  { detail: [{ msg: 'no' }] },
];

const access = {
  provider: 'openai-chat', url: 'http://m', name: 'm', apiKey: null, effort: null,
  requestMs: 90_000,
} as const satisfies ModelAccess;

/** A model's answer: a reply or a ModelError; a reply can be continued over every wire. */
export const modelReplies: Target = {
  name: 'model-reply',
  run(chance) {
    const bytes = mutatedJson(chance.pick(replies), chance, 10 + chance.below(60));
    const json = orDeclared(() => JSON.parse(bytes.toString()) as unknown, isSyntaxError);
    checkRefusal(bytes.toString(), json?.value, chance);
    const text = mutateText(bytes.toString(), chance);
    assert.equal(typeof isToolCallText(text), 'boolean');
    if (json === null) return;
    let created = 0;
    const create = (): string => `made${created++}`;
    for (const { parse } of wires) {
      const read = orDeclared(() => parse(json.value, { taken: new Set(), create }), isModelError);
      if (read !== null) checkReply(read.value, chance);
    }
  },
};

function isSyntaxError(error: unknown): boolean {
  return error instanceof SyntaxError;
}

function isModelError(error: unknown): boolean {
  return error instanceof ModelError;
}

function checkReply(reply: ModelReply, chance: Chance): void {
  assert.equal(typeof reply.text, 'string');
  const ids = reply.calls.map(({ id }) => id);
  for (const id of ids) assert.ok(typeof id === 'string' && id !== '', 'a call without an id');
  for (const { name, arguments: given, argumentsError } of reply.calls) {
    assert.equal(typeof name, 'string');
    if (argumentsError !== null) assert.equal(given, null);
  }
  const quirks: Quirks = {
    ...defaultQuirks(access), reasoning: chance.pick(['as_given', 'stripped', 'always'] as const),
    toolsRefusedAt: chance.oneIn(4) ? 0 : null, cacheMarks: chance.oneIn(2),
  };
  for (const { build } of wires) {
    const { body } = build(nextRequest(reply, chance), access, quirks);
    assert.ok(JSON.stringify(body).length > 0);
  }
}

function nextRequest({ text, calls, own }: ModelReply, chance: Chance): ModelRequest {
  const results = calls.map(({ id }) =>
    ({ id, text: hostileText(chance), isError: chance.oneIn(2) }));
  return {
    system: hostileText(chance), tools: [], schema: null, maxOutput: 100,
    signal: new AbortController().signal,
    turns: [
      { role: 'user', text: 'Why?' }, { role: 'assistant', text, calls, own },
      { role: 'tool_results', results },
    ],
  };
}

function checkRefusal(text: string, body: unknown, chance: Chance): void {
  const retry = hostileText(chance).replace(/[^\x20-\x7e]/g, '');
  const headers = { 'retry-after': retry, 'x-should-retry': retry };
  const status = chance.pick([200, 400, 401, 404, 413, 429, 500, 529]);
  const refusal = readRefusal({ status, headers, body, text, now: 0 });
  assert.ok(refusal.retryAfterMs === null || refusal.retryAfterMs >= 0, 'a negative wait');
  assert.ok(errorOfRefusal(refusal, (said) => said) instanceof ModelError);
}
