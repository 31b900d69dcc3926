import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../src/config/settings.ts';

const usual = { MODEL_PROVIDER: 'openai', MODEL_NAME: 'm', MODEL_API_KEY: 'k' };

test('cached input costs a tenth of other input unless a price is set', () => {
  const prices = (set: object): unknown => loadModel({ ...usual, ...set }).model?.prices;
  assert.deepEqual(prices({ MODEL_PRICE_IN: '1', MODEL_PRICE_OUT: '10' }),
    { input: 1, cached: 0.1, output: 10 });
  const set = { MODEL_PRICE_IN: '1.25', MODEL_PRICE_OUT: '10', MODEL_PRICE_CACHED: '0.5' };
  assert.deepEqual(prices(set), { input: 1.25, cached: 0.5, output: 10 });
});

test('effort, output and time of the model are settings that let it think', () => {
  const limits = (set: object): unknown => {
    const { model } = loadModel({ ...usual, ...set });
    return [model?.effort, model?.outputTokens, model?.timeoutMs];
  };
  assert.deepEqual(limits({}), [null, 16_000, 600_000]);
  assert.deepEqual(limits({
    MODEL_EFFORT: 'high', MODEL_OUTPUT_TOKENS: '32000', MODEL_TIMEOUT_SECONDS: '900',
  }), ['high', 32_000, 900_000]);
  assert.throws(() => limits({ MODEL_EFFORT: 'High!' }), /MODEL_EFFORT must be a word/);
});
