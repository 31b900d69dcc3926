import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelAccess } from '../../../src/model/client/model-access.ts';
import { ModelClient } from '../../../src/model/client/model-client.ts';
import { ModelError } from '../../../src/model/client/model-error.ts';
import { errorOfThrown } from '../../../src/model/client/thrown.ts';
import { fakeKey, startFakeModel } from '../../support/fake-model/fake-model.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const error = { code: 402, message: 'Insufficient credits' };
const hollow: readonly (readonly [ModelAccess['provider'], object])[] = [
  ['openai-chat', { choices: [], error }],
  ['openai', { output: [], error }],
  ['anthropic', { content: [], error }],
];

for (const [provider, body] of hollow) {
  test(`an answer of ${provider} that holds nothing but an error says which`, async (t) => {
    const fault = { kind: 'status', status: 200, body } as const;
    const fake = await startFakeModel(t, () => ({ text: 'A' }), { faults: [fault] });
    const url = provider === 'anthropic' ? fake.origin : fake.url;
    const model = new ModelClient({
      provider, url, name: 'fake-1', apiKey: fakeKey, effort: null, requestMs: 90_000,
    }, {
      clock: new ManualClock(), random: () => 0, memory: { learned: {} }, onAsked: () => {},
    });
    const failure: unknown = await model.ask({
      system: '', turns: [{ role: 'user', text: 'Q' }], tools: [], schema: null,
      maxOutput: 100, signal: new AbortController().signal,
    }).catch((thrown: unknown) => thrown);
    assert.ok(failure instanceof ModelError);
    assert.deepEqual([failure.kind, fake.requests.length], ['quota', 1]);
    assert.match(failure.message, /Insufficient credits/);
  });
}

test('a port of plain HTTP is told apart from a certificate that is not trusted', () => {
  const error = Object.assign(new Error('x'), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  const { message, hint, kind } = errorOfThrown(error);
  assert.match(message, /its URL may have to begin with http:/);
  assert.match(hint, /Check MODEL_URL/);
  assert.equal(kind, 'config');
});
