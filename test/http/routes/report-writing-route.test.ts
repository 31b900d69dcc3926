import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Admission } from '../../../src/http/checks/admission.ts';
import { createAccessCheck, type Access } from '../../../src/http/checks/authentication.ts';
import { RateLimits } from '../../../src/http/checks/rate-limits.ts';
import {
  createReportWritingRoutes, type ReportWriting,
} from '../../../src/http/routes/report-writing-route.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { AgainResult, FeedbackResult, NewFeedback } from '../../../src/report/feedback.ts';
import type { AskResult } from '../../../src/report/question.ts';
import { detailOf, startFront, type Front } from '../../support/http/http-front.ts';

const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
const formType = 'application/x-www-form-urlencoded';
const path = '/report/abc/3/feedback';

interface Writing extends Front {
  readonly said: (NewFeedback & { readonly of: string })[];
  readonly asked: string[];
  readonly questions: string[];
  readonly audited: unknown[];
}

interface WritingOptions {
  readonly result?: FeedbackResult;
  readonly again?: AgainResult;
  readonly ask?: AskResult;
  readonly access?: Access;
  readonly perClient?: number;
  readonly readiness?: 'starting' | 'ready';
}

async function start(t: TestContext, options: WritingOptions = {}): Promise<Writing> {
  const said: Writing['said'] = [];
  const asked: string[] = [];
  const questions: string[] = [];
  const audited: unknown[] = [];
  const log = { info: (...entry: unknown[]) => void audited.push(entry) };
  const writing: ReportWriting = {
    takeFeedback(fingerprint, number, feedback) {
      said.push({ ...feedback, of: `${fingerprint} ${number}` });
      const stored = { at: '2026-11-20T10:00:00.000Z', ...feedback };
      return Promise.resolve(options.result ?? { kind: 'stored', feedback: stored });
    },
    analyseAgain(fingerprint) {
      asked.push(fingerprint);
      const reportUrl = 'https://reports.example:8443/report/abc/3';
      return Promise.resolve(options.again ?? { kind: 'queued', number: 3, reportUrl });
    },
    ask(fingerprint, number, question) {
      questions.push(`${fingerprint} ${number} ${question}`);
      return Promise.resolve(options.ask ?? { kind: 'queued' });
    },
  };
  const nobody = createAccessCheck({ tokens: () => [], logins: null });
  const limits = { perClient: options.perClient ?? 0, total: 0, clock: systemClock };
  const admission = new Admission({
    access: {
      writing: createAccessCheck(options.access ?? { tokens: null, logins: null }),
      sending: nobody, reading: nobody,
    },
    webhookLimits: new RateLimits({ ...limits, perClient: 1 }), limitStatus: 'auto',
    readLimits: new RateLimits(limits), guessLimits: new RateLimits(limits),
    ownHosts: { base: () => 'reports.example:8443', listening: 'listening.example' },
    readiness: () => options.readiness ?? 'ready',
  });
  const front = await startFront(t, {
    firstRoutes: createReportWritingRoutes({ writing, admission, log }),
  });
  return { ...front, said, asked, questions, audited };
}

function post(
  { url }: Front,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  at: string = path,
): Promise<Response> {
  return fetch(`${url}${at}`, { method: 'POST', body, headers, redirect: 'manual' });
}

const jsonType = { 'Content-Type': 'application/json' };

test('POST feedback takes JSON and answers what is stored', async (t) => {
  const front = await start(t);
  const response = await post(front, JSON.stringify({
    verdict: 'wrong', cause: ' the disk\r\nwas full ', note: '', noisy: true, else: 1,
  }), jsonType);
  assert.equal(response.status, 201);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const said = { verdict: 'wrong', cause: 'the disk\nwas full', note: null, noisy: true };
  assert.deepEqual(front.said, [{ ...said, of: 'abc 3' }]);
  assert.deepEqual(await response.json(), {
    status: 'success', feedback: { at: '2026-11-20T10:00:00.000Z', ...said },
  });
});

test('POST feedback takes the form of the page and leads back to it', async (t) => {
  const front = await start(t);
  const body = 'verdict=partly&cause=%F0%9F%94%A5+%26+smoke&note=&noisy=on';
  const headers = { 'Content-Type': `${formType}; charset=UTF-8`, Accept: browser };
  const response = await post(front, body, headers);
  assert.equal(response.status, 303);
  const location = response.headers.get('location') ?? '';
  assert.equal(new URL(location, front.url + path).pathname, '/report/abc/3');
  assert.deepEqual(front.said, [
    { verdict: 'partly', cause: '🔥 & smoke', note: null, noisy: true, of: 'abc 3' },
  ]);
  assert.equal((await post(front, 'verdict=right', { 'Content-Type': formType })).status, 201);
});

type Refused = readonly [name: string, body: string | Uint8Array, detail: string, type?: string];
const refused: readonly Refused[] = [
  ['no body', '', 'Invalid feedback'],
  ['no JSON', '{', 'Invalid feedback'],
  ['a list', '[]', 'Invalid feedback'],
  ['too deep a nest', '['.repeat(5000), 'Invalid feedback'],
  ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'Invalid feedback'],
  ['no verdict', '{}', 'verdict must be right, partly or wrong'],
  ['another verdict', '{"verdict":"Right"}', 'verdict must be right, partly or wrong'],
  ['a verdict of the prototype', '{"__proto__":{"verdict":"right"}}',
    'verdict must be right, partly or wrong'],
  ['too long a cause', JSON.stringify({ verdict: 'right', cause: 'x'.repeat(501) }),
    'cause must be text of at most 500 characters'],
  ['a cause that is no text', '{"verdict":"right","cause":1}',
    'cause must be text of at most 500 characters'],
  ['too long a note', JSON.stringify({ verdict: 'right', note: 'x'.repeat(2001) }),
    'note must be text of at most 2000 characters'],
  ['a word for noisy', '{"verdict":"right","noisy":"yes"}', 'noisy must be true or false'],
  ['a form without a verdict', 'cause=x', 'verdict must be right, partly or wrong', formType],
  ['a form with two causes', 'verdict=right&cause=x&cause=y',
    'cause must be text of at most 500 characters', formType],
  ['a form with another tick', 'verdict=right&noisy=maybe',
    'noisy must be true or false', formType],
];
for (const [name, body, detail, type = 'application/json'] of refused) {
  test(`POST feedback refuses ${name}`, async (t) => {
    const front = await start(t);
    const response = await post(front, body, { 'Content-Type': type });
    assert.equal(response.status, 400);
    assert.equal(await detailOf(response), detail);
    assert.deepEqual(front.said, []);
  });
}

test('POST feedback refuses too large and compressed bodies', async (t) => {
  const front = await start(t);
  const large = JSON.stringify({ verdict: 'right', note: 'x'.repeat(40_000) });
  assert.equal((await post(front, large, jsonType)).status, 413);
  const packed = { ...jsonType, 'Content-Encoding': 'gzip' };
  assert.equal((await post(front, '{}', packed)).status, 415);
  assert.deepEqual(front.said, []);
});

const longest = 'verdict=right&cause=' + '%F0%9F%94%A5'.repeat(250) + '&note=' +
  '%E2%82%AC'.repeat(2000);
test('POST feedback has room for the longest texts', async (t) => {
  const front = await start(t);
  assert.equal((await post(front, longest, { 'Content-Type': formType })).status, 201);
  assert.equal(front.said[0]?.note?.length, 2000);
});

const missing = [
  '/report/abc/0/feedback', '/report/abc/x/feedback', '/report/abc/1.json/feedback',
  '/report/%00/1/feedback', '/report/%zz/1/feedback', '/report/a%0Ab/analyse',
];
for (const at of missing) {
  test(`POST ${at} is not found`, async (t) => {
    const front = await start(t);
    const response = await post(front, '{"verdict":"right"}', jsonType, at);
    assert.equal(response.status, 404);
    assert.equal(await detailOf(response), 'Report not found');
    assert.deepEqual([...front.said, ...front.asked, ...front.questions], []);
  });
}

const feedbackResults: readonly [FeedbackResult, number, string][] = [
  [{ kind: 'not_found' }, 404, 'Report not found'],
  [{ kind: 'full' }, 409, 'The report has too much feedback already'],
  [{ kind: 'storage_unavailable' }, 503, 'Storage unavailable'],
];
for (const [result, status, detail] of feedbackResults) {
  test(`POST feedback answers ${status} when it is ${result.kind}`, async (t) => {
    const response = await post(await start(t, { result }), '{"verdict":"right"}', jsonType);
    assert.equal(response.status, status);
    assert.equal(await detailOf(response), detail);
  });
}

test('POST analyse answers 202 to programs and leads browsers to the report', async (t) => {
  const front = await start(t);
  const at = '/report/a%2Fb%20c/analyse';
  const response = await post(front, '', {}, at);
  assert.equal(response.status, 202);
  assert.deepEqual(await response.json(), {
    status: 'success', message: 'Alert queued for analysis',
    report_url: 'https://reports.example:8443/report/abc/3',
  });
  assert.deepEqual(front.asked, ['a/b c']);
  const shown = await post(front, '', { Accept: browser, 'Content-Type': formType }, at);
  assert.equal(shown.status, 303);
  const location = new URL(shown.headers.get('location') ?? '', front.url + at);
  assert.equal(location.pathname, '/report/a%2Fb%20c/3');
});

const againResults: readonly [AgainResult, number, string][] = [
  [{ kind: 'not_found' }, 404, 'Report not found'],
  [{ kind: 'too_soon', waitMs: 41_200 }, 429, 'Analysed less than a minute ago'],
  [{ kind: 'forgotten' }, 409, 'The alert is no longer known'],
  [{ kind: 'queue_full' }, 503, 'Queue is full'],
  [{ kind: 'storage_unavailable' }, 503, 'Storage unavailable'],
];
for (const [again, status, detail] of againResults) {
  test(`POST analyse answers ${status} when it is ${again.kind}`, async (t) => {
    const response = await post(await start(t, { again }), '', {}, '/report/abc/analyse');
    assert.equal(response.status, status);
    assert.equal(await detailOf(response), detail);
    if (status === 429) assert.equal(response.headers.get('retry-after'), '42');
  });
}

test('POST ask takes JSON, or the form of the page and leads back to it', async (t) => {
  const front = await start(t);
  const ask = (body: string, headers: Record<string, string>): Promise<Response> =>
    post(front, body, headers, '/report/abc/3/ask');
  const asked = await ask('{"question":" Why\\nso slow? "}', jsonType);
  assert.equal(asked.status, 202);
  assert.deepEqual(await asked.json(), { status: 'success', message: 'Question queued' });
  const shown = await ask('question=Who%3F', { Accept: browser, 'Content-Type': formType });
  assert.deepEqual([shown.status, shown.headers.get('location')], [303, '../3#questions']);
  assert.deepEqual(front.questions, ['abc 3 Why so slow?', 'abc 3 Who?']);
  const refused = ['', '{}', '{"question":7}', '{"question":" "}',
    JSON.stringify({ question: 'x'.repeat(501) })];
  for (const body of refused) {
    const response = await ask(body, jsonType);
    assert.equal(response.status, 400, body);
    assert.equal(await detailOf(response), 'question must be text of 1 to 500 characters');
  }
  assert.equal((await ask('question=a&question=b', { 'Content-Type': formType })).status, 400);
  assert.equal(front.questions.length, 2);
});

const askResults: readonly [AskResult, number, string][] = [
  [{ kind: 'not_found' }, 404, 'Report not found'],
  [{ kind: 'not_ready' }, 409, 'The report is not ready yet'],
  [{ kind: 'no_model' }, 409, 'No language model is configured'],
  [{ kind: 'full' }, 409, 'The report has too many questions already'],
  [{ kind: 'busy' }, 429, 'Too many questions wait'],
];
for (const [ask, status, detail] of askResults) {
  test(`POST ask answers ${status} when it is ${ask.kind}`, async (t) => {
    const front = await start(t, { ask });
    const response = await post(front, '{"question":"?"}', jsonType, '/report/abc/3/ask');
    assert.equal(response.status, status);
    assert.equal(await detailOf(response), detail);
  });
}

const wrongMethods: readonly [string, string][] = [
  ['GET', path], ['HEAD', path], ['PUT', path], ['GET', '/report/abc/analyse'],
  ['HEAD', '/report/abc/analyse'], ['DELETE', '/report/abc/analyse'],
];
for (const [method, at] of wrongMethods) {
  test(`${method} ${at} is not allowed, and says what is`, async (t) => {
    const response = await fetch((await start(t)).url + at, { method });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'POST');
  });
}

const crossSite: readonly Readonly<Record<string, string>>[] = [
  { 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'https://evil.example' }, { Origin: 'null' },
];
for (const headers of crossSite) {
  test(`what another site has a browser post is refused: ${JSON.stringify(headers)}`, async (t) => {
    const front = await start(t, { perClient: 1 });
    for (const at of [path, '/report/abc/analyse', '/report/abc/3/ask']) {
      const sent = { ...headers, 'Content-Type': formType };
      const response = await post(front, 'verdict=right', sent, at);
      assert.equal(response.status, 403);
    }
    assert.deepEqual([...front.said, ...front.asked, ...front.questions], []);
    const own = await post(front, 'verdict=right', { 'Content-Type': formType });
    assert.equal(own.status, 201, 'none of it draws on the limit of the reader');
  });
}

test('what a page of the service posts is accepted, also behind a proxy', async (t) => {
  const front = await start(t);
  for (const origin of [front.url, 'https://reports.example:8443']) {
    const headers = { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': formType };
    assert.equal((await post(front, 'verdict=right', headers)).status, 201);
  }
});

const token = 'Bearer a-token';
const login = `Basic ${Buffer.from('oncall:pass').toString('base64')}`;
const logins = (): { user: string; password: string }[] =>
  [{ user: 'oncall', password: 'pass' }];
const presented = [null, 'Bearer ', 'Bearer wrong', 'Basic d3Jvbmc=', token, login];
const accesses: readonly [string, Access, passes: string[], challenge: string][] = [
  ['a token', { tokens: () => ['a-token'], logins: null }, [token], 'Bearer'],
  ['a login', { tokens: null, logins }, [login], 'Basic '],
  ['either', { tokens: () => ['a-token'], logins }, [token, login], 'Basic '],
  ['a token of which none is left', { tokens: () => [], logins: null }, [], 'Bearer'],
];
for (const [name, access, passes, challenge] of accesses) {
  test(`with ${name} configured, nothing else lets write`, async (t) => {
    const front = await start(t, { access });
    for (const at of [path, '/report/abc/analyse', '/report/abc/3/ask']) {
      for (const authorization of presented) {
        const headers = { ...jsonType, ...(authorization && { Authorization: authorization }) };
        const response = await post(front, '{"verdict":"right","question":"?"}', headers, at);
        const isOpen = authorization !== null && passes.includes(authorization);
        assert.equal(response.ok, isOpen, `${at} ${authorization}`);
        if (isOpen) continue;
        assert.equal(response.status, 401);
        assert.ok(response.headers.get('www-authenticate')?.startsWith(challenge));
      }
    }
  });
}

test('writing draws on the readers\' limit, before the login is checked', async (t) => {
  const access = { tokens: () => ['a-token'], logins: null };
  const front = await start(t, { access, perClient: 2 });
  const statuses: number[] = [];
  for (let index = 0; index < 3; index++) {
    const response = await post(front, '{"verdict":"right"}', jsonType);
    statuses.push(response.status);
    if (index === 2) assert.ok(Number(response.headers.get('retry-after')) > 0);
  }
  assert.deepEqual(statuses, [401, 401, 429]);
});

test('nothing is taken before the service has started', async (t) => {
  const front = await start(t, { readiness: 'starting' });
  const response = await post(front, '{"verdict":"right"}', jsonType);
  assert.equal(response.status, 503);
  assert.equal(await detailOf(response), 'Service not initialised');
});

test('stored feedback is logged with verdict, episode and client, without its texts', async (t) => {
  const taken = await start(t);
  await post(taken, JSON.stringify({ verdict: 'wrong', cause: 'the disk', note: 'x' }), jsonType);
  assert.deepEqual(taken.audited, [['Stored feedback', {
    verdict: 'wrong', fingerprint: 'abc', episode: 3, client: '127.0.0.1',
  }]]);
  const refused = await start(t, { result: { kind: 'full' } });
  await post(refused, JSON.stringify({ verdict: 'wrong' }), jsonType);
  assert.deepEqual(refused.audited, []);
});
