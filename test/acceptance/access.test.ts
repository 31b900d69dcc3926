import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestService } from '../support/programs/running-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const token = 'first-token-of-this-test';
const alert = { alerts: [{ labels: { alertname: 'A' }, fingerprint: 'a' }] };

async function statusOf(
  address: string,
  authorization: string | null,
  post = false,
): Promise<number> {
  const headers = authorization === null ? {} : { Authorization: authorization };
  const body = post ? JSON.stringify(alert) : null;
  const response = await fetch(address, { method: post ? 'POST' : 'GET', headers, body });
  await response.arrayBuffer();
  return response.status;
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

test('a token protects the webhook and nothing else', async (t) => {
  const { url, log } = await startTestService(t, temporaryDirectory(), {
    ACCESS_TOKEN: token,
  });
  assert.equal(await statusOf(`${url}/webhook`, null, true), 401);
  assert.equal(await statusOf(`${url}/webhook`, `Bearer ${token}x`, true), 401);
  assert.equal(await statusOf(`${url}/webhook`, `Bearer ${token}`, true), 200);
  for (const path of ['/', '/report/a', '/metrics', '/health']) {
    assert.equal(await statusOf(url + path, null), 200, path);
  }
  assert.ok(!log.join('').includes(token), 'the token is in no line of the log');
});

const closed: readonly [string, Readonly<Record<string, string>>, string][] = [
  ['token', { READ_AUTH: 'token', ACCESS_TOKEN: token }, `Bearer ${token}`],
  [
    'basic',
    { READ_AUTH: 'basic', READ_USER: 'oncall', READ_PASSWORD: 'pass word:1' },
    basic('oncall', 'pass word:1'),
  ],
];
for (const [name, environment, authorization] of closed) {
  test(`READ_AUTH=${name} protects reports and metrics, but not health`, async (t) => {
    const { url } = await startTestService(t, temporaryDirectory(), environment);
    for (const path of ['/', '/report/a', '/report/a.json', '/metrics']) {
      assert.equal(await statusOf(url + path, null), 401, path);
      assert.equal(await statusOf(url + path, basic('oncall', 'wrong')), 401, path);
    }
    assert.equal(await statusOf(`${url}/`, authorization), 200);
    assert.equal(await statusOf(`${url}/metrics`, authorization), 200);
    assert.equal(await statusOf(`${url}/health`, null), 200);
  });
}

test('a token in a file rotates without a restart, with both valid for a while', async (t) => {
  const directory = temporaryDirectory();
  const file = join(directory, 'token');
  writeFileSync(file, `${token}\n`);
  const environment = { ACCESS_TOKEN_FILE: file };
  const { url, service, log } = await startTestService(t, directory, environment);
  assert.equal(await statusOf(`${url}/webhook`, `Bearer ${token}`, true), 200);
  writeFileSync(file, 'second-token-of-this-test\n');
  assert.equal(await service.reload(), true);
  assert.equal(await statusOf(`${url}/webhook`, 'Bearer second-token-of-this-test', true), 200);
  assert.equal(await statusOf(`${url}/webhook`, `Bearer ${token}`, true), 200);
  writeFileSync(file, '\n');
  assert.equal(await service.reload(), false);
  const told = log.filter((line) => line.includes('Cannot reload a secret'));
  assert.ok(told.length === 1 && told[0]?.includes(JSON.stringify(file)), told.join());
  assert.equal(await statusOf(`${url}/webhook`, 'Bearer second-token-of-this-test', true), 200);
  assert.equal(await statusOf(`${url}/webhook`, 'Bearer ', true), 401);
});

test('the service serves https with a certificate and a key', async (t) => {
  const folder = join(process.cwd(), 'test', 'fixtures', 'tls');
  const { url } = await startTestService(t, temporaryDirectory(), {
    TLS_CERT_FILE: join(folder, 'first.pem'), TLS_KEY_FILE: join(folder, 'first.key'),
  });
  assert.match(url, /^https:/);
  const ca = readFileSync(join(folder, 'first.pem'));
  const status = await new Promise((resolve, reject) => {
    const options = { ca, checkServerIdentity: () => undefined };
    request(`${url}/health`, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject).end();
  });
  assert.equal(status, 200);
});

test('the rate limit answers Alertmanager with 503, so that it retries', async (t) => {
  const { url } = await startTestService(t, temporaryDirectory(), {
    RATE_LIMIT_PER_CLIENT: '1',
  });
  const post = (agent: string): Promise<Response> =>
    fetch(`${url}/webhook`, {
      method: 'POST', headers: { 'User-Agent': agent }, body: JSON.stringify(alert),
    });
  assert.equal((await post('curl')).headers.get('x-ratelimit-remaining'), '0');
  const refused = await post('curl');
  assert.equal(refused.status, 429);
  assert.deepEqual(await refused.json(), {
    detail: 'Rate limit exceeded. Try again in 60 seconds.',
  });
  assert.equal((await post('Alertmanager/0.28.1')).status, 503);
  assert.equal(await statusOf(`${url}/report/a.json`, null), 200, 'readers have their own limit');
});
