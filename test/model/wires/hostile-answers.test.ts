import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelReply, Turn } from '../../../src/model/client/conversation.ts';
import { defaultQuirks } from '../../../src/model/client/quirks.ts';
import { anthropic } from '../../../src/model/wires/anthropic.ts';
import { openAiChat } from '../../../src/model/wires/openai-chat.ts';
import { openAiResponses } from '../../../src/model/wires/openai-responses.ts';
import type { Wire } from '../../../src/model/wires/wire.ts';

function parse(wire: Wire, answer: object): ModelReply {
  let made = 0;
  return wire.parse(answer, { taken: new Set(), create: () => `made-${(made += 1)}` });
}

/** Answers of a wire that hold these calls and nothing else. */
type Answers = readonly [name: string, Wire, answerWith: (names: readonly string[]) => object];

const answers: readonly Answers[] = [
  ['openAiChat', openAiChat, (names) => {
    const calls = names.map((name, index) => ({ id: `c${index}`, function: { name } }));
    return { choices: [{ message: { tool_calls: calls } }] };
  }],
  ['openAiResponses', openAiResponses, (names) => ({
    output: names.map((name, index) => ({ type: 'function_call', call_id: `c${index}`, name })),
  })],
  ['anthropic', anthropic, (names) => ({
    content: names.map((name, index) => ({ type: 'tool_use', id: `c${index}`, name, input: {} })),
  })],
];

for (const [name, wire, answerWith] of answers) {
  test(`${name} reads the first of countless calls, and sends no more of them back`, () => {
    const { calls, own } = parse(wire, answerWith(Array.from({ length: 50_000 }, () => 'f')));
    assert.equal(calls.length, 128);
    assert.equal(calls.at(-1)?.id, 'c127');
    assert.ok(JSON.stringify(own).length < 20_000);
  });
}

const named = ['prom.query', `f${'x'.repeat(99)}`, '', 'prom_query'];
const sentBack = ['prom_query', `f${'x'.repeat(63)}`, '_', 'prom_query'];

for (const [name, wire, answerWith] of answers) {
  test(`${name} sends calls back under names that every server takes`, () => {
    const { calls, own } = parse(wire, answerWith(named));
    assert.deepEqual(calls.map((call) => call.name), named);
    const turns: Turn[] = [{ role: 'assistant', text: '', calls, own }];
    const { body } = wire.build({
      system: '', turns, tools: [], schema: null, maxOutput: 1,
      signal: new AbortController().signal,
    }, { name: 'm', effort: null }, defaultQuirks({ url: 'http://m' }));
    const names = [...JSON.stringify(body).matchAll(/"name":"([^"]*)"/g)];
    assert.deepEqual(names.map(([, each]) => each), sentBack);
  });
}

test('anthropic sends no empty text back that came before a call', () => {
  const content = [
    { type: 'text', text: '' }, { type: 'tool_use', id: 'c', name: 'prom_query', input: {} },
  ];
  const { text, calls, own } = parse(anthropic, { content });
  const { body } = anthropic.build({
    system: '', turns: [{ role: 'assistant', text, calls, own }], tools: [],
    schema: null, maxOutput: 1, signal: new AbortController().signal,
  }, { name: 'm', effort: null }, defaultQuirks({ url: 'http://m' }));
  const [message] = body['messages'] as readonly { content: readonly { type: string }[] }[];
  assert.deepEqual(message?.content.map(({ type }) => type), ['tool_use']);
});
