import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelReply, ModelRequest, Turn } from '../../../src/model/client/conversation.ts';
import { quirkFor } from '../../../src/model/client/learn-quirk.ts';
import { ModelError } from '../../../src/model/client/model-error.ts';
import { defaultQuirks, type Quirks } from '../../../src/model/client/quirks.ts';
import { anthropic } from '../../../src/model/wires/anthropic.ts';
import { openAiChat } from '../../../src/model/wires/openai-chat.ts';
import { openAiResponses } from '../../../src/model/wires/openai-responses.ts';
import type { Wire } from '../../../src/model/wires/wire.ts';

const usual = defaultQuirks({ url: 'http://m' });
const ids = { taken: new Set<string>(), create: () => 'abcdefghi' };

function built(
  wire: Wire,
  { effort = null, quirks = {}, ...rest }: Partial<ModelRequest> & {
    effort?: string | null; quirks?: Partial<Quirks>;
  },
): Readonly<Record<string, unknown>> {
  return wire.build({
    system: 'S', turns: [{ role: 'user', text: 'U' }], tools: [], schema: null, maxOutput: 9,
    signal: new AbortController().signal, ...rest,
  }, { name: 'm', effort }, { ...usual, ...quirks }).body;
}

const efforts: readonly (readonly [string, Wire, string, unknown])[] = [
  ['openai', openAiResponses, 'reasoning', { effort: 'high' }],
  ['openai-chat', openAiChat, 'reasoning_effort', 'high'],
  ['anthropic', anthropic, 'output_config', { effort: 'high' }],
];
for (const [name, wire, field, expected] of efforts) {
  test(`${name} is told the effort if one is configured, until it refuses to be`, () => {
    assert.deepEqual(built(wire, { effort: 'high' })[field], expected);
    assert.equal(field in built(wire, {}), false);
    assert.equal(field in built(wire, { effort: 'high', quirks: { takesEffort: false } }), false);
  });
}

test('refusing an effort is told apart from refusing reasoning beside tools', () => {
  const access = { provider: 'openai-chat', url: 'http://m', name: 'm', apiKey: null,
    effort: 'high', requestMs: 1 } as const;
  const learned = (text: string): unknown => quirkFor(
    { status: 400, text, code: '', param: '', retryAfterMs: null, shouldRetry: null }, usual,
    { access, sent: '', now: 0 },
  );
  assert.deepEqual(learned("Unsupported parameter: 'reasoning_effort'"), { takesEffort: false });
  assert.deepEqual(learned('Function tools with reasoning_effort are not supported'),
    { reasoningEffort: 'none' });
});

test('anthropic drops thinking that is bound to another conversation', () => {
  const access = { provider: 'anthropic', url: 'https://api.anthropic.com', name: 'm',
    apiKey: 'k', effort: null, requestMs: 1 } as const;
  const change = quirkFor({
    status: 400, text: 'thinking block is bound to a different conversation', code: '', param: '',
    retryAfterMs: null, shouldRetry: null,
  }, usual, { access, sent: '', now: 0 });
  assert.deepEqual(change, { thinking: false });
  const own = [{ type: 'thinking', thinking: 'Hm', signature: 's' }, { type: 'text', text: 'A' }];
  const turns: Turn[] = [{ role: 'assistant', text: 'A', calls: [], own }];
  const { messages } = built(anthropic, { turns, quirks: { thinking: false } });
  assert.deepEqual(messages, [{ role: 'assistant', content: [{ type: 'text', text: 'A' }] }]);
});

test('anthropic sends a turn back exactly as it came, blank text included', () => {
  const own = [
    { type: 'thinking', thinking: 'Hm', signature: 's' }, { type: 'text', text: ' ' },
    { type: 'tool_use', id: 'c', name: 'n', input: {} },
  ];
  const turns: Turn[] = [{ role: 'assistant', text: ' ', calls: [], own }];
  const { messages } = built(anthropic, { turns });
  assert.deepEqual(messages, [{ role: 'assistant', content: own }]);
});

function parsed(wire: Wire, body: unknown): ModelReply {
  return wire.parse(body, ids);
}

test('anthropic runs no call in which its answer was cut off', () => {
  const whole = { type: 'tool_use', id: 'a', name: 'n', input: { query: 'up' } };
  const cut = { type: 'tool_use', id: 'b', name: 'n', input: { query: 'sum(rate(http_req' } };
  const only = parsed(anthropic, { content: [cut], stop_reason: 'max_tokens' });
  assert.deepEqual([only.calls, only.stop, only.own], [[], 'length', []]);
  const second = parsed(anthropic, { content: [whole, cut], stop_reason: 'max_tokens' });
  assert.deepEqual(second.calls.map(({ id }) => id), ['a']);
  assert.deepEqual(second.own, [whole]);
});

test('openai-chat sends the reasoning back that vLLM and others write', () => {
  for (const name of ['reasoning', 'reasoning_content', 'reasoning_details']) {
    const message = { content: '', [name]: 'Hm', tool_calls: [
      { id: 'c', type: 'function', function: { name: 'n', arguments: '{}' } },
    ] };
    const { own } = parsed(openAiChat, { choices: [{ message, finish_reason: 'tool_calls' }] });
    assert.equal((own as Record<string, unknown>)[name], 'Hm');
  }
});

for (const [code, type] of [
  ['invalid_prompt', 'filtered'], ['bio_policy', 'filtered'],
  ['rate_limit_exceeded', 'rate_limited'], ['server_error', 'server_error'],
] as const) {
  test(`openai: an answer that failed with ${code} is ${type}`, () => {
    const body = { status: 'failed', output: [{}], error: { code, message: 'No.' } };
    assert.throws(() => parsed(openAiResponses, body), (error) =>
      error instanceof ModelError && error.type === type);
  });
}

test('every wire tells how much of the input was cached', () => {
  assert.deepEqual(parsed(openAiResponses, { output: [], usage: {
    input_tokens: 10, output_tokens: 1, input_tokens_details: { cached_tokens: 7 },
  } }).usage, { input: 10, cached: 7, output: 1 });
  const chat = (usage: object): unknown => parsed(openAiChat, {
    choices: [{ message: { content: 'A' } }],
    usage: { prompt_tokens: 10, completion_tokens: 1, ...usage },
  }).usage;
  assert.deepEqual(chat({ prompt_tokens_details: { cached_tokens: 7 } }),
    { input: 10, cached: 7, output: 1 });
  assert.deepEqual(chat({ prompt_cache_hit_tokens: 7 }), { input: 10, cached: 7, output: 1 });
  assert.deepEqual(chat({ prompt_cache_hit_tokens: 70 }), { input: 10, cached: 10, output: 1 });
  assert.deepEqual(parsed(anthropic, { content: [], usage: {
    input_tokens: 3, cache_read_input_tokens: 7, cache_creation_input_tokens: 2, output_tokens: 1,
  } }).usage, { input: 12, cached: 7, output: 1 });
});
