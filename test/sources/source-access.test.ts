import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareSecretsOf } from '../../src/sources/source-access.ts';

test('bareSecretsOf() lists what authenticates, however it is sent, and no names', () => {
  const headers = [
    ['X-Api-Key', 'canary-of-a-header'], ['Authorization', 'Bearer canary-of-a-token'],
    ['X-Scope-OrgID', 'tenant-of-the-shop'], ['Cookie', 'short'],
  ] as const;
  const login = { user: 'reader', password: 'canary-of-a-login' };
  const basic = Buffer.from('reader:canary-of-a-login').toString('base64');
  assert.deepEqual(bareSecretsOf({ token: 'canary-alone', login, headers }), [
    'canary-alone', 'canary-of-a-login', basic, 'canary-of-a-header', 'canary-of-a-token',
  ]);
  assert.deepEqual(bareSecretsOf({ token: null, login: null, headers: [] }), []);
});
