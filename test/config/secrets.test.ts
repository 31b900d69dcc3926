import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Secrets } from '../../src/config/secrets.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('Secrets follow their files, and hide old and new values alike', async (t) => {
  const directory = temporaryDirectory();
  const file = join(directory, 'token');
  writeFileSync(file, 'first-token-value\n');
  const environment = { ACCESS_TOKEN_FILE: file, READ_USER: 'u', READ_PASSWORD: 'pass-word' };
  const settings = loadSettings(environment, { cores: 1, isTerminal: false });
  const secrets = new Secrets(settings.secrets);
  const { token, login } = settings.http.access;
  assert.deepEqual(secrets.valuesOf(null), []);
  assert.deepEqual(secrets.valuesOf(token), ['first-token-value']);

  const changed: string[] = [];
  const failed: string[] = [];
  secrets.watch({
    clock: new ManualClock(),
    onChange: (name) => changed.push(name),
    onFailure: ({ name }) => failed.push(name),
  });
  t.after(() => secrets.stop());
  writeFileSync(file, 'second-token-value\n');
  assert.equal(await secrets.reload(), true);
  assert.deepEqual(secrets.valuesOf(token), ['second-token-value', 'first-token-value']);
  assert.deepEqual(secrets.valuesOf(login?.password ?? null), ['pass-word']);
  assert.deepEqual(secrets.redactions().toSorted(), [
    'first-token-value', 'pass-word', 'second-token-value',
  ]);

  writeFileSync(file, '');
  assert.equal(await secrets.reload(), false);
  assert.deepEqual([changed, failed], [['ACCESS_TOKEN'], ['ACCESS_TOKEN']]);
  assert.equal(secrets.valuesOf(token)[0], 'second-token-value');
});
