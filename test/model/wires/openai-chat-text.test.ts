/** What is read of texts and arguments as servers and models write them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelReply } from '../../../src/model/client/conversation.ts';
import { openAiChat } from '../../../src/model/wires/openai-chat.ts';

function chat(message: object): ModelReply {
  const choices = [{ index: 0, finish_reason: 'stop', message }];
  return openAiChat.parse({ model: 'm-1', choices }, { taken: new Set(), create: () => 'x' });
}

const texts: readonly (readonly [string, unknown, string])[] = [
  ['text', 'A', 'A'], ['null', null, ''], ['nothing', undefined, ''],
  ['parts', [{ type: 'text', text: 'A' }, { type: 'text', text: 'B' }], 'AB'],
  ['thoughts opened before', 'So?\n</think>\nA', 'A'], ['a mark', '["</think>"]', '["</think>"]'],
  ['thoughts before it', '<think>hm</think>\nA', 'A'], ['thoughts alone', '<think>hm', ''],
  ['thoughts of Gemma', '<thought>hm</thought>A', 'A'],
  ['thoughts of Mistral', '[THINK]h[/THINK]A', 'A'],
  ['thoughts of gpt-oss', '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>' +
    'final<|message|>A', 'A'],
  ['thoughts of gpt-oss alone', '<|channel|>analysis<|message|>hm', ''],
];

for (const [name, content, expected] of texts) {
  test(`openAiChat reads content that is ${name}`, () => {
    assert.equal(chat({ content }).text, expected);
  });
}

test('openAiChat reads arguments that were encoded twice, and sends them back encoded once', () => {
  const given = JSON.stringify(JSON.stringify({ query: 'up' }));
  const { calls, own } = chat({
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: given } }],
  });
  assert.deepEqual(calls[0]?.arguments, { query: 'up' });
  assert.match(JSON.stringify(own), /"arguments":"\{\\"query\\":\\"up\\"\}"/);
});
