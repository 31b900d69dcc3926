import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  baseUrlOf, isSentInClear, providerNameOf, type ModelAccess,
} from '../../../src/model/client/model-access.ts';

const addresses: readonly (readonly [ModelAccess['provider'], given: string, base: string])[] = [
  ['openai', 'https://api.openai.com', 'https://api.openai.com/v1'],
  ['openai', 'https://api.openai.com/v1/', 'https://api.openai.com/v1'],
  ['openai', 'https://api.openai.com/v1/responses', 'https://api.openai.com/v1'],
  ['openai-chat', 'http://ollama:11434/v1', 'http://ollama:11434/v1'],
  ['openai-chat', 'http://h/api/v1/chat/completions/', 'http://h/api/v1'],
  ['openai-chat', 'http://h/v1beta/openai', 'http://h/v1beta/openai'],
  ['anthropic', 'https://api.anthropic.com', 'https://api.anthropic.com/v1'],
  ['anthropic', 'https://api.anthropic.com/v1/messages', 'https://api.anthropic.com/v1'],
  ['anthropic', 'https://h/anthropic/', 'https://h/anthropic/v1'],
  ['openai', 'https://r.openai.azure.com', 'https://r.openai.azure.com/openai/v1'],
  ['openai', 'https://r.openai.azure.com/openai/v1', 'https://r.openai.azure.com/openai/v1'],
];

for (const [provider, url, expected] of addresses) {
  test(`baseUrlOf() makes ${expected} of ${url} for ${provider}`, () => {
    assert.equal(baseUrlOf({ provider, url }), expected);
  });
}

test('providerNameOf() tells who runs the server, as OpenTelemetry names them', () => {
  const names = [
    'https://api.openai.com/v1', 'https://r.openai.azure.com', 'https://api.anthropic.com',
    'https://api.groq.com/openai/v1', 'http://localhost:11434/v1', 'https://notopenai.com',
  ].map((url) => providerNameOf({ url }));
  assert.deepEqual(names, [
    'openai', 'azure.ai.openai', 'anthropic', 'groq', 'custom', 'custom',
  ]);
});

test('isSentInClear() is true for plain HTTP to a public address', () => {
  for (const url of [
    'http://api.example.com', 'http://8.8.8.8:80', 'HTTP://example.org',
    'http://10.example.com', 'http://[2001:db8::1]:80', 'http://svc.example.com',
  ]) {
    assert.ok(isSentInClear({ url }), url);
  }
  for (const url of [
    'https://api.example.com', 'http://localhost:1', 'http://10.1.2.3', 'http://172.20.0.1',
    'http://ollama:11434', 'http://llm.svc.cluster.local', 'http://[::1]:80', 'http://127.0.0.1',
    'http://[fd00::1]', 'http://[fe80::1]', 'http://vllm.ml.svc',
  ]) assert.ok(!isSentInClear({ url }), url);
});
