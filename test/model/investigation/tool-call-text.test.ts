import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isToolCallText } from '../../../src/model/investigation/tool-call-text.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';

const calls = [
  '{"name": "f", "arguments": {}}', '```json\n{"name": "f", "parameters": {}}\n```',
  '```\n\n{"name": "f", "parameters": {}}', '{"name": "f", "parameters": {}} \n```\n',
  '```JSON\n{"name": "f", "parameters": {}}\n```',
  '[{"function": "f", "arguments": "{}"}]', 'I will ask. <tool_call>{"name"</tool_call>',
  '[TOOL_CALLS] [{"name"', '<function=f>{}</function>', '<minimax:tool_call><invoke name="f">',
  '<function_calls><invoke name="f">', '<｜tool▁calls▁begin｜>f', '<|tool_calls_section_begin|>f',
  '<|channel|>commentary to=functions.f <|message|>{}',
  '{"tool_calls": [{"name": "f", "arguments": {}}]}',
  '{"type": "function", "function": {"name": "f", "arguments": {}}}',
];
const texts = [
  '', 'The name and the arguments are fine.', '{"verdict": "confirmed"}', '[]', '{"name": "x"}',
  '{"tool_calls": []}', '{"function": null}',
  '{"name": "f", "arguments": ', 'Such as {"name": "f", "arguments": {}} would be a call.',
];

test('isToolCallText() recognises calls that were written out', () => {
  for (const text of calls) assert.ok(isToolCallText(text), text);
  for (const text of texts) assert.ok(!isToolCallText(text), text);
});

test('isToolCallText() reads endless white space quickly', () => {
  const cpuMs = cpuTimer();
  for (const space of [' ', '\n', '\r\n']) {
    assert.ok(!isToolCallText(`{"name": "f", "arguments":${space.repeat(300_000)}x`));
  }
  assert.ok(cpuMs() < 2_000);
});
