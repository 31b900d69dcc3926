/** Hostile paths and queries on every route. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAllTests } from '../support/for-all-tests.ts';
import { startAttackedService } from '../support/http/attacked-service.ts';
import { withoutOwnScript } from '../support/own-markup.ts';

/** Used in place of a fingerprint, an episode number or an incident id. */
const segments: readonly string[] = [
  '.', '..', '...', '%2e', '%2e%2e', '%2E%2E', '.%2e', '%252e%252e', '..%2f',
  '..%2f..%2f..%2fetc%2fpasswd', '..%5c..%5c', '..\\..\\', '%c0%ae%c0%ae', '%c0%af', '%e0%80%af',
  '%f0%80%80%af', '%uff0e', '%00', 'a%00.json', '%0d%0aX-Injected:%20yes', '%0a', '%', '%2', '%zz',
  '%ff', '%fe%ff', '%ed%a0%80', '__proto__', 'constructor', 'toString', 'hasOwnProperty',
  '%5f%5fproto%5f%5f', 'undefined', 'null', 'NaN', '0', '-1', '1e3', '0x1', '01', '1.0',
  '999999999999999999999', '%20', '+', ';', ';a=b', '*', '%3f', '%23', '%26', '%25', '%f0%9f%92%a9',
  '~root', '$HOME', '`id`', '$(id)', '|id', '%7cid', 'con', 'nul', '.git', '.env', 'proc', 'self',
  'environ', '{{7*7}}', '%7b%7b7*7%7d%7d', "'or'1'='1", '"', '%3cscript%3ealert(1)%3c%2fscript%3e',
  'x'.repeat(5000), '%2e'.repeat(2000), 'recording', 'events', 'analyse', 'feedback', '.json',
  '.md', 'a.json.md', 'a/', '/a',
];

const targets: readonly ((segment: string) => string)[] = [
  (segment) => `GET /${segment}`,
  (segment) => `GET /report/${segment}`,
  (segment) => `GET /report/${segment}.json`,
  (segment) => `GET /report/${segment}.md`,
  (segment) => `GET /report/${segment}/1`,
  (segment) => `GET /report/known/${segment}`,
  (segment) => `GET /report/${segment}/${segment}`,
  (segment) => `GET /report/${segment}/1/recording`,
  (segment) => `GET /report/known/${segment}/recording`,
  (segment) => `GET /report/${segment}/1/events`,
  (segment) => `GET /incident/${segment}`,
  (segment) => `GET /incident/${segment}/events`,
  (segment) => `GET /incident/${segment}.json`,
  (segment) => `POST /report/${segment}/1/feedback`,
  (segment) => `POST /report/known/${segment}/feedback`,
  (segment) => `POST /report/${segment}/analyse`,
];

const attacked = forAllTests((cleanup) => startAttackedService(cleanup));

/** Signs of a file of this machine or of a stack trace. */
const leaked = /root:.*:0:0|node:internal|\/test\/|\/src\/|\.journal|ENOENT|at \w+ \(/;

test('no path leads to anything but a page or an error', async () => {
  const service = attacked();
  await service.postBody('{"alerts":[{"fingerprint":"known","labels":{"alertname":"Known"}}]}');
  await service.finished('known');
  for (const target of targets) {
    for (const segment of segments) {
      const [method, path] = target(segment).split(/ (.*)/s);
      const length = method === 'POST' ? ['Content-Length: 0'] : [];
      const lines = [`${method} ${path} HTTP/1.1`, `Host: ${service.host}`, ...length, '', ''];
      const [answer] = await service.exhaust(Buffer.from(lines.join('\r\n')));
      const name = `${method} ${path?.slice(0, 60)}`;
      assert.ok(answer !== undefined, `${name}: closed`);
      assert.ok(isFine(answer.status, `${path}`, segment), `${name}: ${answer.status}`);
      assert.equal(answer.headers.get('x-injected'), undefined, name);
      assert.doesNotMatch(answer.body, leaked, name);
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
      if (!isJson || answer.status < 300) continue;
      assert.match(answer.body, /^\{"detail":"[\w .,:=]+"\}$/, name);
    }
  }
  await service.assertUnharmed();
});

/** Segments with which some of the targets are the path of something that exists. */
const real: readonly string[] = [
  '1', 'events', 'known', '.', '', '?', '#', '.json', '.md', 'recording', 'analyse', 'feedback',
];

/** Whether the status fits: a client error, unless the path is that of something that exists. */
function isFine(status: number, path: string, segment: string): boolean {
  if ([400, 403, 404, 431].includes(status)) return status !== 403 || path.endsWith('/recording');
  return real.includes(segment) && [200, 405].includes(status);
}

const queries: readonly string[] = [
  '?', '??', '?=', '?&&&', '?state', '?state=open&state=ended', '?state[]=open', '?%', '?%zz=%zz',
  '?%00', '?text=%ff', '?text=%ed%a0%80', '?text=<script>', '?__proto__=1', '?constructor=1',
  '?from=NaN', '?from=-1', '?from=9999-12-31T23:59-23:59', '?since=999999d', '?after=o.9.9.',
  '?after=e.0.0.%00', `?after=o.1.1.${'x'.repeat(3000)}`, `?text=${'a+'.repeat(1500)}`,
  `?${'a=1&'.repeat(1000)}`, '?after=e.-9999999999999999.-1.x', '?after=o.0.8640000000000001.x',
  '?text=(a+)%2B$', '?/../../etc',
];

test('no query is an error, and none is reflected as markup', async () => {
  const service = attacked();
  await service.postBody('{"alerts":[{"labels":{"alertname":"Known"}}]}');
  for (const path of ['/', '/reports.json', '/health', '/metrics', '/report/none', '/incident/x']) {
    for (const query of queries) {
      const lines = [`GET ${path}${query} HTTP/1.1`, 'Host: a', 'Accept: text/html', '', ''];
      const answer = await service.send(lines.join('\r\n'));
      const wanted = /none|incident/.test(path) ? 404 : 200;
      assert.equal(answer?.status, wanted, `${path}${query}`);
      const policy = answer?.headers.get('content-security-policy') ?? '';
      const rest = withoutOwnScript(answer?.body ?? '', policy);
      assert.doesNotMatch(rest, /<script/, `${path}${query}`);
    }
  }
  await service.assertUnharmed();
});

test('links name this service, whatever Host and similar headers claim', async () => {
  const service = attacked();
  const claims = [
    'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: gopher', 'Forwarded: host=evil.example',
    'X-Original-URL: /metrics', 'X-Rewrite-URL: /metrics', 'X-HTTP-Method-Override: DELETE',
    'X-Forwarded-Prefix: //evil.example',
  ];
  const body = '{"alerts":[{"fingerprint":"claimed","labels":{"alertname":"A"}}]}';
  const head = ['POST /webhook HTTP/1.1', 'Host: evil.example', ...claims,
    `Content-Length: ${body.length}`, '', ''];
  const answer = await service.send(head.join('\r\n') + body);
  assert.match(answer?.body ?? '', /"report_url":"http:\/\/127\.0\.0\.1:\d+\/report\/claimed"/);
  await service.finished('claimed');
  for (const path of ['/', '/report/claimed', '/report/claimed.md', '/reports.json', '/metrics']) {
    const lines = [`GET ${path} HTTP/1.1`, 'Host: evil.example', ...claims, 'Accept: text/html'];
    const page = await service.send([...lines, '', ''].join('\r\n'));
    assert.equal(page?.status, 200, path);
    assert.doesNotMatch(page.body, /evil\.example|gopher/, path);
    assert.equal(page.headers.get('location'), undefined);
  }
});
