import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Access } from '../../../src/http/checks/authentication.ts';
import {
  acceptsGzip, isBrowser, preferredRepresentation,
} from '../../../src/http/representation.ts';
import type { Reports } from '../../../src/http/routes/report-route.ts';
import type { IncidentView } from '../../../src/report/incident.ts';
import { absent } from '../../../src/report/live-state.ts';
import type { Report } from '../../../src/report/report.ts';
import { detailOf, startFront, type Front } from '../../support/http/http-front.ts';
import { RawClient } from '../../support/http/raw-http.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Stands in for reports: the front passes them on unread. */
function reportsOf(...known: readonly string[]) {
  const find = (fingerprint: string, episode: number | null): Promise<Report | null> => {
    const name = episode === null ? fingerprint : `${fingerprint} ${episode}`;
    const report = { fingerprint: name } as Report;
    return Promise.resolve(known.includes(name) ? report : null);
  };
  return { reports: { find } };
}

function get(front: Front, path: string, accept?: string, method = 'GET'): Promise<Response> {
  return fetch(`${front.url}${path}`, { method, ...(accept && { headers: { accept } }) });
}

const served: readonly [path: string, accept: string, type: string, body: string][] = [
  ['/report/abc', browser, 'text/html', '<p>page abc'],
  ['/report/abc', '*/*', 'text/html', '<p>page abc'],
  ['/report/abc', 'application/json', 'application/json', '{"fingerprint":"abc"}'],
  ['/report/abc', 'text/markdown', 'text/markdown', '# abc'],
  ['/report/abc', 'image/png', 'text/html', '<p>page abc'],
  ['/report/abc?from=slack', browser, 'text/html', '<p>page abc'],
  ['/report/abc.json', browser, 'application/json', '{"fingerprint":"abc"}'],
  ['/report/abc.md', browser, 'text/markdown', '# abc'],
  ['/report/own.json', browser, 'text/html', '<p>page own.json'],
  ['/report/own.json.json', browser, 'application/json', '{"fingerprint":"own.json"}'],
  ['/report/a%2Fb%20%F0%9F%94%A5', browser, 'text/html', '<p>page a/b 🔥'],
  ['/report/__proto__', browser, 'text/html', '<p>page __proto__'],
  ['/report/abc/2', browser, 'text/html', '<p>page abc 2'],
  ['/report/abc/2.json', browser, 'application/json', '{"fingerprint":"abc 2"}'],
  ['/report/abc/2.md', browser, 'text/markdown', '# abc 2'],
  ['/', browser, 'text/html', '<p>list'],
];
for (const [path, accept, type, body] of served) {
  test(`GET ${path} for ${accept} is ${type}`, async (t) => {
    const known = ['abc', 'own.json', 'a/b 🔥', '__proto__', 'abc 2'];
    const response = await get(await startFront(t, reportsOf(...known)), path, accept);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`);
    assert.equal(await response.text(), body);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.equal(response.headers.get('vary'), 'Accept, Accept-Encoding');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('referrer-policy'), 'same-origin');
    assert.equal(response.headers.get('cross-origin-resource-policy'), 'same-origin');
    const policy = type === 'text/html' ? "default-src 'none'" : null;
    assert.equal(response.headers.get('content-security-policy'), policy);
  });
}

const codings: readonly [path: string, asked: string, coding: string | null][] = [
  ['/report/abc', 'gzip', 'gzip'],
  ['/report/abc.json', 'gzip, deflate, br, zstd', 'gzip'],
  ['/report/abc.md', 'gzip', 'gzip'],
  ['/report/soon', 'gzip', 'gzip'],
  ['/', 'gzip', 'gzip'],
  ['/report/abc', 'br, gzip;q=0', null],
  ['/report/abc', 'identity', null],
  // Whoever chooses a text that a page repeats must not learn from the length what else is in it.
  ['/?text=a', 'gzip', null],
  ['/reports.json?text=a', 'gzip', null],
];
for (const [path, asked, coding] of codings) {
  test(`GET ${path} for "Accept-Encoding: ${asked}" has the coding ${coding}`, async (t) => {
    const front = await startFront(t, reportsOf('abc'));
    const [response, plain] = await Promise.all([asked, '*;q=0'].map((acceptEncoding) => {
      const headers = { accept: browser, 'accept-encoding': acceptEncoding };
      return fetch(`${front.url}${path}`, { headers });
    }));
    assert.equal(response?.headers.get('content-encoding'), coding);
    assert.equal(plain?.headers.get('content-encoding'), null);
    assert.equal(await response?.text(), await plain?.text());
  });
}

const incidentId = '00c0ffee00c0ffee';
const incidents: readonly [path: string, accept: string, status: number, body: string][] = [
  [`/incident/${incidentId}`, browser, 200, `<p>incident ${incidentId}`],
  [`/incident/${incidentId}`, 'application/json', 200, `{"id":"${incidentId}"}`],
  [`/incident/${incidentId}.json`, browser, 200, `{"id":"${incidentId}"}`],
  [`/incident/${incidentId}.md`, browser, 404, '{"detail":"Report not found"}'],
  ['/incident/00c0ffee00c0ffef', browser, 404, '<p>not found'],
  ['/incident/%3Cscript%3E', '*/*', 404, '{"detail":"Report not found"}'],
  ['/incident/constructor', browser, 404, '<p>not found'],
];
for (const [path, accept, status, body] of incidents) {
  test(`GET ${path} for ${accept} is answered ${status}`, async (t) => {
    const incident = (id: string) =>
      Promise.resolve(id === incidentId ? ({ id } as IncidentView) : null);
    const response = await get(await startFront(t, { reports: { incident } }), path, accept);
    assert.equal(response.status, status);
    assert.equal(await response.text(), body);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    const policy = body.startsWith('<') ? "default-src 'none'" : null;
    assert.equal(response.headers.get('content-security-policy'), policy);
  });
}

const unknown = [
  'unknown', '%', '%zz', '%ff', '%c0%ae', '%00', '%0d%0aX:1', '%2e%2e%2f', '%252e', '', '..%2f',
  'x'.repeat(5000), '%ED%A0%80', 'constructor', 'abc.json.json', '.json', 'abc/0', 'abc/01',
  'abc/-1', 'abc/1e3', 'abc/9999999999', 'abc/', 'abc/2', 'abc/%', '%F0%9F%94%A5', 'a%00b.json',
];
for (const name of unknown) {
  test(`GET /report/${name.slice(0, 20)} finds no report`, async (t) => {
    const front = await startFront(t, reportsOf('abc'));
    const response = await get(front, `/report/${name}`);
    assert.equal(response.status, 404);
    assert.equal(await response.text(), '{"detail":"Report not found"}');
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
  });
}

const pages: readonly [path: string, body: string][] = [
  ['/report/soon', '<p>waiting soon'],
  ['/report/%3Cscript%3E', '<p>waiting <script>'],
  ['/report/%zz', '<p>not found'],
  ['/report/soon/3', '<p>not found'],
];
for (const [path, body] of pages) {
  test(`GET ${path} shows a browser "${body}" with status 404`, async (t) => {
    const response = await get(await startFront(t), path, browser);
    assert.equal(response.status, 404);
    assert.equal(await response.text(), body);
    assert.equal(response.headers.get('content-security-policy'), "default-src 'none'");
  });
}

test('GET of an episode that was removed leads a browser to its alert', async (t) => {
  const live: Reports['live'] = (subject) =>
    (subject.kind === 'report' && subject.fingerprint === 'abc' && subject.episode === null
      ? { ...absent, episode: 7 } : absent);
  const front = await startFront(t, { reports: { ...reportsOf('abc').reports, live } });
  for (const [path, body] of [
    ['/report/abc/3', '<p>not found, but abc'], ['/report/soon/3', '<p>not found'],
  ] as const) {
    const response = await get(front, path, browser);
    assert.equal(response.status, 404);
    assert.equal(await response.text(), body);
  }
});

test('GET /report/soon.json is JSON, even for a browser', async (t) => {
  const response = await get(await startFront(t), '/report/soon.json', browser);
  assert.equal(response.status, 404);
  assert.equal(await detailOf(response), 'Report not found');
});

test('GET /report answers a failing store with a bare 500', async (t) => {
  const find = () => Promise.reject(new Error('EIO at /secret/path'));
  const front = await startFront(t, { reports: { find } });
  const response = await get(front, '/report/abc', browser);
  assert.equal(response.status, 500);
  assert.equal(await response.text(), '<p>500 Internal server error');
  assert.deepEqual(front.logged.map(({ level, message }) => ({ level, message })), [
    { level: 'error', message: 'Cannot answer a request' },
  ]);
});

test('GET /report has limits of its own, which leave the webhook alone', async (t) => {
  const front = await startFront(t, { ...reportsOf('abc'), readersPerClient: 2 });
  const statuses: number[] = [];
  for (const path of ['/', '/report/abc', '/report/abc']) {
    statuses.push((await get(front, path)).status);
  }
  assert.deepEqual(statuses, [200, 200, 429]);
  const refused = await fetch(`${front.url}/`, { headers: { 'user-agent': 'Alertmanager/1' } });
  assert.equal(refused.status, 429);
  assert.equal(await detailOf(refused), 'Rate limit exceeded. Try again in 60 seconds.');
  assert.match(refused.headers.get('retry-after') ?? '', /^(59|60)$/);
  const body = '{"alerts":[]}';
  assert.equal((await fetch(`${front.url}/webhook`, { method: 'POST', body })).status, 200);
  assert.equal((await get(front, '/health')).status, 200);
  assert.equal((await get(front, '/metrics')).status, 200);
});

const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;
const logins = () => ['pä:ss', 'old'].map((password) => ({ user: 'ops', password }));
const readings = [
  { access: { tokens: null, logins }, sent: basic('ops:pä:ss'), status: 200 },
  { access: { tokens: null, logins }, sent: basic('ops:old'), status: 200 },
  { access: { tokens: null, logins }, sent: basic('ops:pä:s'), status: 401 },
  { access: { tokens: null, logins }, sent: basic('opspä:ss'), status: 401 },
  { access: { tokens: null, logins }, sent: '', status: 401 },
  { access: { tokens: null, logins: () => [] }, sent: basic(':'), status: 401 },
  { access: { tokens: () => ['one', 'two'], logins: null }, sent: 'Bearer two', status: 200 },
  { access: { tokens: () => ['one', 'two'], logins: null }, sent: 'Bearer three', status: 401 },
  { access: { tokens: () => [], logins: null }, sent: 'Bearer ', status: 401 },
  { access: { tokens: () => [], logins: null }, sent: '', status: 401 },
  { access: { tokens: null, logins: null }, sent: '', status: 200 },
] satisfies { access: Access; sent: string; status: number }[];
for (const { access, sent, status } of readings) {
  const kind = access.logins !== null ? 'basic' : access.tokens !== null ? 'token' : 'open';
  test(`reading with ${kind} access and "${sent}" is answered ${status}`, async (t) => {
    const front = await startFront(t, { ...reportsOf('abc'), readAccess: access });
    const headers = { authorization: sent };
    for (const path of ['/', '/report/abc', '/report/abc.json', '/metrics']) {
      const response = await fetch(`${front.url}${path}`, { headers });
      assert.equal(response.status, status, path);
      const challenge = response.headers.get('www-authenticate') ?? '';
      const expected = kind === 'basic' ? /^Basic realm=/ : /^Bearer$/;
      if (status === 401) assert.match(challenge, expected);
    }
    assert.equal((await fetch(`${front.url}/health`)).status, 200);
  });
}

const loginOf = { tokens: null, logins: () => [{ user: 'ops', password: 'right' }] };
const statusFor = async (url: string, login: string, client = '192.0.2.1'): Promise<number> => {
  const headers = { authorization: basic(login), 'x-forwarded-for': client };
  return (await fetch(url, { headers })).status;
};

test('wrong logins use up the limit of their client, also at /metrics', async (t) => {
  const options = { readAccess: loginOf, readersPerClient: 2, trustedProxies: ['127.0.0.1'] };
  for (const path of ['/', '/metrics']) {
    const { url } = await startFront(t, { ...reportsOf('abc'), ...options });
    const statuses: number[] = [];
    for (const guess of ['ops:a', 'ops:b', 'ops:c', 'ops:right']) {
      statuses.push(await statusFor(`${url}${path}`, guess));
    }
    assert.deepEqual(statuses, [401, 401, 429, 429], path);
    assert.equal(await statusFor(`${url}${path}`, 'ops:right', '192.0.2.2'), 200, path);
  }
});

test('GET /metrics has no limit for those who may read', async (t) => {
  const { url } = await startFront(t, {
    ...reportsOf('abc'), readAccess: loginOf, readersPerClient: 2,
  });
  for (let count = 0; count < 4; count += 1) {
    assert.equal(await statusFor(`${url}/metrics`, 'ops:right'), 200);
  }
  assert.equal(await statusFor(`${url}/metrics`, 'ops:a'), 401);
});

test('nobody without the login can use up the limit of all readers', async (t) => {
  const { url } = await startFront(t, {
    ...reportsOf('abc'), readAccess: loginOf, readersTotal: 2, trustedProxies: ['127.0.0.1'],
  });
  for (let client = 1; client <= 5; client += 1) {
    assert.equal(await statusFor(`${url}/`, 'ops:a', `192.0.2.${client}`), 401);
  }
  assert.equal(await statusFor(`${url}/`, 'ops:right', '192.0.2.6'), 200);
});

const loads: readonly [site: string, mode: string, destination: string, status: number][] = [
  ['cross-site', 'no-cors', 'image', 403], ['cross-site', 'cors', 'empty', 403],
  ['cross-site', 'navigate', 'iframe', 403], ['same-site', 'no-cors', 'script', 403],
  ['cross-site', 'navigate', 'document', 200], ['same-site', 'navigate', 'document', 200],
  ['same-origin', 'cors', 'empty', 200], ['none', 'navigate', 'document', 200],
];
for (const [site, mode, destination, status] of loads) {
  test(`what a browser loads ${site} as ${destination} is answered ${status}`, async (t) => {
    const front = await startFront(t, { ...reportsOf('abc'), readersPerClient: 3 });
    const client = await RawClient.connect(front.port, t);
    for (const path of ['/', '/reports.json', '/report/abc', '/metrics']) {
      client.send([`GET ${path} HTTP/1.1`, 'Host: a', `Sec-Fetch-Site: ${site}`,
        `Sec-Fetch-Mode: ${mode}`, `Sec-Fetch-Dest: ${destination}`, '', ''].join('\r\n'));
      assert.equal((await client.answer())?.status, status, path);
    }
    // What is refused draws nothing from the reader's limit.
    assert.equal((await get(front, '/')).status, status === 403 ? 200 : 429);
  });
}

const accepted: readonly [acceptEncoding: string | undefined, accepts: boolean][] = [
  [undefined, false], ['', false], ['gzip', true], ['GZIP;q=0.1', true], ['deflate, gzip', true],
  ['gzip;q=0', false], ['gzip;q=0.0, *', false], ['*', true], ['*;q=0', false], ['br', false],
  ['gzip;q=banana', true], [',;=,q=1'.repeat(1000), false],
];
for (const [acceptEncoding, accepts] of accepted) {
  test(`acceptsGzip() of "${String(acceptEncoding).slice(0, 40)}" is ${accepts}`, () => {
    assert.equal(acceptsGzip(acceptEncoding), accepts);
  });
}

const negotiations: readonly [accept: string | undefined, preferred: string, browser: boolean][] = [
  [undefined, 'html', false],
  ['', 'html', false],
  ['*/*', 'html', false],
  [browser, 'html', true],
  ['application/json', 'json', false],
  ['application/*', 'json', false],
  ['application/json, text/plain, */*', 'json', false],
  ['text/markdown, */*', 'markdown', false],
  ['application/*, */*', 'json', false],
  ['application/json, text/html, */*', 'html', true],
  ['text/*;q=0.5, application/json', 'json', false],
  ['text/html;q=0.4, application/json;q=0.9', 'json', false],
  ['application/json;q=0.9, text/html', 'html', true],
  ['text/html;q=0, */*', 'json', false],
  ['text/markdown, */*;q=0.1', 'markdown', false],
  ['TEXT/MARKDOWN', 'markdown', false],
  ['application/json;charset=utf-8;q=0.9,text/html;q=0.8', 'json', false],
  ['text/html;q=banana', 'html', true],
  ['text/html;q=0', 'html', false],
  ['application/json;q=0', 'html', false],
  [',;=,q=1'.repeat(1000), 'html', false],
];
for (const [accept, preferred, fromBrowser] of negotiations) {
  test(`preferredRepresentation() of "${String(accept).slice(0, 40)}" is ${preferred}`, () => {
    assert.equal(preferredRepresentation(accept), preferred);
    assert.equal(isBrowser(accept), fromBrowser);
  });
}
