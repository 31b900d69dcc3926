/** Secrets of the configuration must not appear in anything the service shows, stores or logs. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Report } from '../../src/report/report.ts';
import { listenLocally } from '../support/http/local-server.ts';
import { eventually } from '../support/programs/programs.ts';
import { startAnalyst, unlimited } from '../support/programs/running-analyst.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const canaries = {
  ACCESS_TOKEN: 'canary-access-5fd1c0a2e7', READ_PASSWORD: 'canary-reader-90b1f7c3d4',
  PROMETHEUS_TOKEN: 'canary-prometheus-71e0aa', ALERTMANAGER_PASSWORD: 'canary-manager-c44d19',
  LOKI_TOKEN: 'canary-loki-20bd7f9e11',
} as const;

const credentials = {
  Authorization: `Basic ${Buffer.from(`reader:${canaries.READ_PASSWORD}`).toString('base64')}`,
};

/** A source that echoes the requests it gets, credentials included, in its answers and errors. */
async function startEcho(t: TestContext): Promise<string> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    const said = `${request.headers.authorization} ${request.headers['x-team']} ${request.url}`;
    response.writeHead(asked % 3 === 0 ? 401 : asked % 3 === 1 ? 400 : 200, {
      'Content-Type': asked % 2 === 0 ? 'application/json' : 'text/plain',
    });
    response.end(JSON.stringify({ status: 'error', errorType: said, error: said, message: said }));
  });
  t.after(() => assert.ok(asked > 0, 'the source was never queried'));
  return listenLocally(t, server);
}

/** Every form in which a secret could be written. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(`:${secret}`).toString('base64').slice(4, -4);
  return [secret, encodeURIComponent(secret), base64, Buffer.from(secret).toString('hex')];
}

function assertNone(text: string, where: string): void {
  for (const [name, secret] of Object.entries(canaries)) {
    for (const form of formsOf(secret)) {
      assert.ok(!text.includes(form), `${name} is in ${where}: ${around(text, form)}`);
    }
  }
}

function around(text: string, form: string): string {
  const at = text.indexOf(form);
  return text.slice(Math.max(0, at - 100), at + 60);
}

test('no secret shows in a page, recording, error, log, file or process listing', async (t) => {
  const directory = temporaryDirectory();
  const files = Object.fromEntries(Object.entries(canaries).map(([name, secret]) => {
    const path = join(directory, name.toLowerCase());
    writeFileSync(path, `${secret}\n`, { mode: 0o600 });
    return [`${name}_FILE`, path];
  }));
  const echo = await startEcho(t);
  const data = join(directory, 'data');
  const { url, program } = await startAnalyst({
    dataDirectory: data,
    env: {
      ...unlimited, ...files, READ_AUTH: 'basic', READ_USER: 'reader', LOG_LEVEL: 'debug',
      PROMETHEUS_URL: echo, ALERTMANAGER_URL: echo, ALERTMANAGER_USER: 'analyst', LOKI_URL: echo,
    },
  });
  t.after(() => program.stop());
  const bearer = { Authorization: `Bearer ${canaries.ACCESS_TOKEN}` };
  const send = (headers: Record<string, string>, body: string): Promise<Response> =>
    fetch(`${url}/webhook`, { method: 'POST', headers, body });
  const alert = { fingerprint: 'canary', labels: { alertname: 'Canary', job: 'api' } };
  assert.equal((await send(bearer, JSON.stringify({ alerts: [alert] }))).status, 200);
  for (const [name, secret] of Object.entries(canaries)) {
    assertNone(await (await send({ Authorization: `Bearer x${secret}` }, '{}')).text(), name);
  }
  assertNone(await (await send(bearer, '{"alerts":1}')).text(), 'an error');
  const read = async (path: string, accept = '*/*'): Promise<Buffer> => {
    const response = await fetch(url + path, { headers: { ...credentials, Accept: accept } });
    const headers = JSON.stringify([...response.headers]);
    const body = Buffer.from(await response.arrayBuffer());
    assertNone(headers + body.toString('latin1'), path);
    return body;
  };
  await eventually('the report', async () => {
    const report = JSON.parse((await read('/report/canary.json')).toString()) as Report;
    return report.status === 'ready' ? true : null;
  }, { program });
  for (const path of ['/', '/reports.json', '/report/canary', '/report/canary/1.md', '/metrics',
    '/health', '/nowhere', '/report/none', '/incident/none', '/report/%00']) {
    await read(path, 'text/html');
  }
  const recording = await read('/report/canary/1/recording');
  assertNone(gunzipSync(recording).toString(), 'the recording');
  assertNone(program.output(), 'the log');
  for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    const path = join(data, name);
    try {
      assertNone(readFileSync(path).toString('latin1'), name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EISDIR')) throw error;
    }
  }
  for (const name of ['environ', 'cmdline']) {
    const shown = readFileSync(`/proc/${program.pid}/${name}`, 'latin1');
    assert.ok(shown.includes(name === 'environ' ? 'ACCESS_TOKEN_FILE' : 'main.js'));
    assertNone(shown, `/proc/…/${name}`);
  }
});
