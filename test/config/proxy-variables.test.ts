import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from '../../src/config/settings.ts';

const model = { MODEL_PROVIDER: 'openai', MODEL_NAME: 'm', MODEL_API_KEY: 'sk-0123456789abcdef' };
const delivery = { DELIVER_SLACK_URL: 'https://hooks.example.com/1' };
const proxy = { HTTPS_PROXY: 'http://user:canary@proxy' };

function warningsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const { warnings } = loadSettings(environment, { cores: 4, isTerminal: false });
  assert.ok(!warnings.join('').includes('canary'));
  return warnings.filter((warning) => warning.includes('proxy') || warning.includes('PROXY'));
}

test('loadSettings() says which calls to outside do not use the proxy that is set', () => {
  assert.deepEqual(warningsOf({ ...proxy, ...model }), ['Not used for the model: HTTPS_PROXY']);
  assert.deepEqual(warningsOf({ ...model, ...delivery, ...proxy, http_proxy: 'http://p' }), [
    'Not used for the model and deliveries: HTTPS_PROXY, http_proxy',
  ]);
});

test('loadSettings() does not mention a proxy that nothing would need', () => {
  assert.deepEqual(warningsOf({ ...proxy, PROMETHEUS_URL: 'http://prometheus:9090' }), []);
  assert.deepEqual(warningsOf({ ...model, ...delivery }), []);
});

test('loadSettings() knows that Node can be told to use the proxy for deliveries', () => {
  const told = { ...proxy, NODE_USE_ENV_PROXY: '1' };
  assert.deepEqual(warningsOf({ ...told, ...delivery }), []);
  assert.deepEqual(warningsOf({ ...told, ...delivery, ...model }), [
    'Not used for the model: HTTPS_PROXY',
  ]);
});
