import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelReply, ModelRequest, Turn } from '../../../src/model/client/conversation.ts';
import { ModelError } from '../../../src/model/client/model-error.ts';
import { defaultQuirks, type Quirks } from '../../../src/model/client/quirks.ts';
import { anthropic } from '../../../src/model/wires/anthropic.ts';
import { openAiChat } from '../../../src/model/wires/openai-chat.ts';
import { openAiResponses } from '../../../src/model/wires/openai-responses.ts';
import type { Wire } from '../../../src/model/wires/wire.ts';

const parameters = { type: 'object', properties: {}, additionalProperties: false };
const tool = { name: 'prom_query', description: 'Asks.', schema: parameters };
const shape = { name: 'report', schema: parameters };
const call = { id: 'call_1', name: 'prom_query', arguments: { query: 'up' }, argumentsError: null };
const results: Turn = {
  role: 'tool_results',
  results: [
    { id: 'call_1', text: '1', isError: false },
    { id: 'call_2', text: 'no', isError: true },
  ],
};

function request(rest: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'S',
    turns: [{ role: 'user', text: 'U' }],
    tools: [],
    schema: null,
    maxOutput: 2048,
    signal: new AbortController().signal,
    ...rest,
  };
}

function investigation(own: unknown): readonly Turn[] {
  const calls = [call, { ...call, id: 'call_2' }];
  return [
    { role: 'user', text: 'U' }, { role: 'assistant', text: 'Hm', calls, own }, results,
  ];
}

const usual = defaultQuirks({ url: 'http://m' });
const model = { name: 'm', effort: null };

function body(wire: Wire, asked: ModelRequest, quirks: Partial<Quirks> = {}): unknown {
  const built = wire.build(asked, model, { ...usual, ...quirks });
  return JSON.parse(JSON.stringify(built.body));
}

let made = 0;
const ids = { taken: new Set(['call_9']), create: () => `made${(made += 1)}` };
const parse = (wire: Wire, answer: unknown): ModelReply => wire.parse(answer, ids);

test('openAiChat builds the subset that every server takes', () => {
  const { path } = openAiChat.build(request(), model, usual);
  assert.equal(path, '/chat/completions');
  const argumentsText = '{"query":"up"}';
  const callOf = (id: string): object =>
    ({ id, type: 'function', function: { name: 'prom_query', arguments: argumentsText } });
  const said = {
    role: 'assistant', content: 'Hm', tool_calls: [callOf('call_1'), callOf('call_2')],
  };
  const turns = investigation(said);
  assert.deepEqual(body(openAiChat, request({ turns, tools: [tool] })), {
    model: 'm',
    messages: [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
      said,
      { role: 'tool', tool_call_id: 'call_1', content: '1' },
      { role: 'tool', tool_call_id: 'call_2', content: 'no' },
    ],
    tools: [{
      type: 'function', function: { name: 'prom_query', description: 'Asks.', parameters },
    }],
    max_tokens: 2048,
  });
});

test('openAiResponses builds flat tools, items, and keeps nothing at the provider', () => {
  const item = (id: string): object =>
    ({ type: 'function_call', call_id: id, name: 'prom_query', arguments: '{"query":"up"}' });
  const said = [{ role: 'assistant', content: 'Hm' }, item('call_1'), item('call_2')];
  const turns = investigation(said);
  assert.equal(openAiResponses.build(request(), model, usual).path, '/responses');
  assert.deepEqual(body(openAiResponses, request({ turns, tools: [tool] })), {
    model: 'm',
    instructions: 'S',
    input: [
      { role: 'user', content: 'U' },
      ...said,
      { type: 'function_call_output', call_id: 'call_1', output: '1' },
      { type: 'function_call_output', call_id: 'call_2', output: 'no' },
    ],
    store: false,
    include: ['reasoning.encrypted_content'],
    tools: [{
      type: 'function', name: 'prom_query', description: 'Asks.', parameters, strict: false,
    }],
    max_output_tokens: 2048,
  });
});

test('anthropic builds one message of results, results first, with its ends marked', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const use = (id: string): object =>
    ({ type: 'tool_use', id, name: 'prom_query', input: { query: 'up' } });
  const said = [{ type: 'text', text: 'Hm' }, use('call_1'), use('call_2')];
  const turns = investigation(said);
  const { path, headers } = anthropic.build(request(), model, usual);
  assert.deepEqual([path, headers], ['/messages', { 'anthropic-version': '2023-06-01' }]);
  assert.deepEqual(body(anthropic, request({ turns, tools: [tool] })), {
    model: 'm',
    max_tokens: 2048,
    system: [{ type: 'text', text: 'S', ...mark }],
    tools: [{ name: 'prom_query', description: 'Asks.', input_schema: parameters }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'U' }] },
      { role: 'assistant', content: said },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: '1' },
          {
            type: 'tool_result', tool_use_id: 'call_2', content: 'no', is_error: true, ...mark,
          },
        ],
      },
    ],
  });
});

const strict = { name: 'report', strict: true, schema: parameters };
const formats: readonly (readonly [Wire, Quirks['structured'], string, unknown])[] = [
  [openAiChat, 'json_schema', 'response_format', { type: 'json_schema', json_schema: strict }],
  [openAiChat, 'json_object', 'response_format', { type: 'json_object' }],
  [openAiChat, 'prompt', 'response_format', undefined],
  [openAiResponses, 'json_schema', 'text', { format: { type: 'json_schema', ...strict } }],
  [openAiResponses, 'json_object', 'text', { format: { type: 'json_object' } }],
  [openAiResponses, 'prompt', 'text', undefined],
  [anthropic, 'json_schema', 'output_config',
    { format: { type: 'json_schema', schema: parameters } }],
  [anthropic, 'prompt', 'output_config', undefined],
];

for (const [wire, structured, field, expected] of formats) {
  test(`a shape is asked for in ${field} by ${structured}`, () => {
    const asked = body(wire, request({ schema: shape }), { structured }) as Record<string, unknown>;
    assert.deepEqual(asked[field], expected);
    const both = body(
      wire, request({ schema: shape, tools: [tool] }), { structured },
    ) as Record<string, unknown>;
    // Several servers that speak Chat Completions ignore one of the two.
    assert.deepEqual(both[field], wire === openAiChat ? undefined : expected);
  });
}

test('anthropic pays for no cache entry that no later request reads', () => {
  const { messages } = body(anthropic, request({ schema: shape })) as { messages: unknown };
  assert.doesNotMatch(JSON.stringify(messages), /cache_control/);
});

test('an answer of another shape is malformed to every wire', () => {
  const wrong = [null, [], 'x', { totally: 'wrong' }, { choices: [] }, { output: 7 }];
  for (const wire of [openAiChat, openAiResponses, anthropic]) {
    for (const answer of wrong) {
      assert.throws(() => parse(wire, answer), (error) => {
        return error instanceof ModelError && error.kind === 'malformed';
      });
    }
  }
});

function chat(message: object, finish = 'stop', rest: object = {}): ModelReply {
  const choices = [{ index: 0, finish_reason: finish, message }];
  return parse(openAiChat, { model: 'm-1', choices, ...rest });
}

test('openAiChat reads calls, usage and the reason, and sends back what it read', () => {
  const calls = [{
    id: 'a', type: 'function', function: { name: 'f', arguments: '{"x": 1}' },
    extra_content: { google: { thought_signature: 's' } },
  }];
  const reply = chat({ role: 'assistant', content: null, tool_calls: calls, reasoning: 'r' },
    'tool_calls', {
      usage: {
        prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 },
      },
    });
  assert.deepEqual(reply, {
    text: '',
    calls: [{ id: 'a', name: 'f', arguments: { x: 1 }, argumentsError: null }],
    stop: 'tools',
    usage: { input: 10, cached: 4, output: 3 },
    model: 'm-1',
    own: { role: 'assistant', content: '', tool_calls: calls, reasoning: 'r' },
  });
});

const stops: readonly (readonly [string, object, ModelReply['stop']])[] = [
  ['stop', { content: 'A' }, 'end'], ['length', { content: 'A' }, 'length'],
  ['model_length', { content: 'A' }, 'length'], ['content_filter', { content: '' }, 'filtered'],
  ['stop', { content: null, refusal: 'I will not.' }, 'refusal'],
  ['stop', { tool_calls: [{ id: 'a', function: { name: 'f' } }] }, 'tools'],
  ['length', { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"x' } }] }, 'length'],
];

for (const [finish, message, expected] of stops) {
  test(`openAiChat reads ${finish} of ${JSON.stringify(message)} as ${expected}`, () => {
    assert.equal(chat(message, finish).stop, expected);
  });
}

test('openAiChat gives ids to calls that have none, or one that was there before', () => {
  const named = (id?: string): object => ({ id, function: { name: 'f', arguments: '{}' } });
  const given = [named(), named('x'), named('x'), named('call_9')];
  const { calls, own } = chat({ tool_calls: given });
  assert.equal(new Set(calls.map(({ id }) => id)).size, 4);
  assert.ok(!calls.some(({ id }) => id === 'call_9' || id === ''));
  const { tool_calls: echoed } = own as { tool_calls: { id: string; type: string }[] };
  assert.deepEqual(echoed.map(({ id }) => id), calls.map(({ id }) => id));
  assert.ok(echoed.every(({ type }) => type === 'function'));
});

const givenArguments: readonly (readonly [unknown, unknown, RegExp | null])[] = [
  ['{"a":1}', { a: 1 }, null], [{ a: 1 }, { a: 1 }, null], ['', {}, null], [undefined, {}, null],
  [`"${'x'.repeat(17_000)}"`, null, /too long/], ['['.repeat(99), null, /too deep/],
  ['{"a":', null, /not JSON/], ['[1]', null, /not a JSON object/], [7, null, /not a JSON object/],
];

for (const [given, expected, problem] of givenArguments) {
  test(`openAiChat reads the arguments ${JSON.stringify(given)?.slice(0, 9)}`, () => {
    const reply = chat({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: given } }] });
    assert.deepEqual(reply.calls[0]?.arguments, expected);
    const told = reply.calls[0]?.argumentsError ?? null;
    if (problem === null) assert.equal(told, null);
    else assert.match(told ?? '', problem);
    const { tool_calls: [echo] } = reply.own as { tool_calls: { function: object }[] };
    const echoed = echo?.function as { arguments: string };
    assert.deepEqual(JSON.parse(echoed.arguments), expected ?? {});
  });
}

test('openAiChat sends reasoning back as the server wants it', () => {
  const { own } = chat({ content: 'A', reasoning_content: 'because' });
  const echo = (reasoning: Quirks['reasoning'], sent = own): unknown => {
    const turns = [{ role: 'assistant', text: 'A', calls: [], own: sent }] as const;
    const built = body(openAiChat, request({ system: '', turns }), { reasoning });
    return (built as { messages: unknown[] }).messages[0];
  };
  const plain = { role: 'assistant', content: 'A' };
  assert.deepEqual(echo('as_given'), { ...plain, reasoning_content: 'because' });
  assert.deepEqual(echo('stripped'), plain);
  // OpenRouter and LiteLLM pass signatures on in it.
  const signed = { reasoning_details: [{ data: 's' }], thinking_blocks: [{ signature: 's' }] };
  const again = chat({ content: 'A', ...signed }).own as object;
  assert.deepEqual(again, { ...plain, ...signed });
  assert.deepEqual(echo('stripped', again), plain);
  const plainly = [{ role: 'assistant', text: 'A', calls: [], own: null }] as const;
  const built = body(openAiChat, request({ system: '', turns: plainly }), { reasoning: 'always' });
  assert.deepEqual((built as { messages: unknown[] }).messages, [
    { ...plain, reasoning_content: '' },
  ]);
});

test('openAiChat follows its quirks', () => {
  const asked = request({ turns: investigation(null), tools: [tool] });
  const quirks: Partial<Quirks> = {
    tokensField: 'max_completion_tokens', reasoningEffort: 'none', systemRole: false,
  };
  const built = body(openAiChat, asked, quirks) as {
    messages: { content: string }[]; max_completion_tokens: number; reasoning_effort: string;
  };
  const { max_completion_tokens: most, reasoning_effort: effort } = built;
  assert.deepEqual([most, effort], [2048, 'none']);
  assert.ok(!('max_tokens' in built));
  assert.equal(built.messages[0]?.content, 'S\n\nU');
});

test('openAiChat reads usage as DeepSeek counts it, and none where there is none', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 8 };
  assert.deepEqual(chat({ content: '' }, 'stop', { usage }).usage,
    { input: 9, cached: 8, output: 1 });
  for (const none of [undefined, null, {}, { prompt_tokens: -1, completion_tokens: 1 }]) {
    assert.equal(chat({ content: '' }, 'stop', { usage: none }).usage, null);
  }
});

const reasoning = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'sealed' };
const bareReasoning = { type: 'reasoning', id: 'rs2', summary: [] };
const spoken = (part: object): object =>
  ({ type: 'message', id: 'msg', role: 'assistant', status: 'completed', content: [part] });
const functionCall = {
  type: 'function_call', id: 'fc', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed',
};

test('openAiResponses reads its items, and sends back those it may', () => {
  const said = spoken({ type: 'output_text', text: 'A', annotations: [] });
  const reply = parse(openAiResponses, {
    status: 'completed', model: 'm-1', error: null,
    output: [reasoning, bareReasoning, said, functionCall],
    usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 2 }, output_tokens: 4 },
  });
  assert.deepEqual(reply, {
    text: 'A',
    calls: [{ id: 'c1', name: 'f', arguments: {}, argumentsError: null }],
    stop: 'tools',
    usage: { input: 9, cached: 2, output: 4 },
    model: 'm-1',
    own: [reasoning, said, functionCall],
  });
  const { calls, own } = reply;
  const turns = [{ role: 'assistant', text: 'A', calls, own }] as const;
  const built = body(openAiResponses, request({ turns })) as { input: unknown };
  assert.deepEqual(built.input, [reasoning, said, functionCall]);
});

const ends: readonly (readonly [string, object, ModelReply['stop']])[] = [
  ['completed', { output: [] }, 'end'],
  ['incomplete', { output: [], incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
  ['incomplete', { output: [], incomplete_details: { reason: 'content_filter' } }, 'filtered'],
  ['incomplete', { output: [{ ...functionCall, arguments: '{"a' }] }, 'length'],
  ['completed', { output: [spoken({ type: 'refusal', refusal: 'No.' })] }, 'refusal'],
];

for (const [status, rest, expected] of ends) {
  test(`openAiResponses reads ${status} ${JSON.stringify(rest)} as ${expected}`, () => {
    assert.equal(parse(openAiResponses, { status, ...rest }).stop, expected);
  });
}

test('openAiResponses throws what ended an answer', () => {
  const failed = { status: 'failed', output: [], error: { code: 'server_error', message: 'x' } };
  assert.throws(() => parse(openAiResponses, failed), /ended the answer: server_error$/);
});

test('anthropic reads its blocks and sends them back as they were', () => {
  const content = [
    { type: 'thinking', thinking: 't', signature: 's' }, { type: 'redacted_thinking', data: 'd' },
    { type: 'text', text: 'A' }, { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
  ];
  const reply = parse(anthropic, {
    model: 'm-1', content, stop_reason: 'tool_use',
    usage: {
      input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 100,
      output_tokens: 7,
    },
  });
  assert.deepEqual(reply, {
    text: 'A',
    calls: [{ id: 't1', name: 'f', arguments: { a: 1 }, argumentsError: null }],
    stop: 'tools',
    usage: { input: 125, cached: 100, output: 7 },
    model: 'm-1',
    own: content,
  });
  const turns = [{ role: 'user', text: 'U' },
    { role: 'assistant', text: 'A', calls: reply.calls, own: reply.own }] as const;
  const built = body(anthropic, request({ turns })) as { messages: { content: unknown }[] };
  assert.deepEqual(built.messages[1]?.content, content);
});

const reasons: readonly (readonly [string, ModelReply['stop']])[] = [
  ['end_turn', 'end'], ['stop_sequence', 'end'], ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'], ['refusal', 'refusal'],
];

for (const [reason, expected] of reasons) {
  test(`anthropic reads ${reason} as ${expected}`, () => {
    const content = [{ type: 'text', text: 'A' }];
    assert.equal(parse(anthropic, { content, stop_reason: reason }).stop, expected);
  });
}

test('anthropic sends no empty text, and no two messages of one side in a row', () => {
  const turns: readonly Turn[] = [
    { role: 'user', text: '' }, { role: 'assistant', text: '', calls: [], own: null },
    { role: 'user', text: 'A' }, { role: 'user', text: 'B' },
  ];
  const built = body(anthropic, request({ turns }), { cacheMarks: false });
  const { messages } = built as { messages: { role: string; content: { text: string }[] }[] };
  assert.deepEqual(messages.map(({ role }) => role), ['user', 'assistant', 'user']);
  assert.ok(messages.every(({ content }) => content.every(({ text }) => text !== '')));
  assert.deepEqual(messages[2]?.content.map(({ text }) => text), ['A', 'B']);
  assert.doesNotMatch(JSON.stringify(built), /cache_control/);
});
