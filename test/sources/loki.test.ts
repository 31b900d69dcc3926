import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLoki, type Loki } from '../../src/sources/loki.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import type { Cleanup } from '../support/cleanup.ts';
import {
  answering, startFakeSource, type Answer, type FakeSource,
} from '../support/sources/fake-source.ts';
import { testClient } from '../support/sources/source-clients.ts';

const window = { fromMs: 1_763_632_800_000, toMs: 1_763_636_400_000 };

async function lokiAnswering(
  t: Cleanup,
  answer: Answer | Readonly<Record<string, unknown>>,
): Promise<{ loki: Loki; source: FakeSource }> {
  const isSaid = typeof answer === 'function';
  const source = await startFakeSource(t, isSaid ? answer : answering(JSON.stringify(answer)));
  const client = testClient({ url: `${source.url}/tenant` });
  return { loki: createLoki(client), source };
}

function streams(...result: readonly unknown[]): Readonly<Record<string, unknown>> {
  return { status: 'success', data: { resultType: 'streams', result, stats: { summary: {} } } };
}

test('Loki.lines() asks for the newest, in nanoseconds, and tells them oldest first', async (t) => {
  const { loki, source } = await lokiAnswering(t, streams(
    {
      stream: { app: 'a' },
      values: [['1763636300123456789', 'last'], ['1763632900000000000', '']],
    },
    { stream: { app: 'b', trace_id: 'x' }, values: [['1763636000000000001', 'with', { a: 'b' }]] },
  ));
  const { lines, isCut, notes } = await loki.lines('{app=~"a|b"} |~ "x"', window);
  assert.deepEqual(lines, [
    { atMs: 1_763_632_900_000, text: '' }, { atMs: 1_763_636_000_000, text: 'with' },
    { atMs: 1_763_636_300_123, text: 'last' },
  ]);
  assert.equal(isCut, false);
  assert.deepEqual(notes.warnings, []);
  const [request] = source.requests;
  assert.equal(request?.path, '/tenant/loki/api/v1/query_range');
  assert.deepEqual(Object.fromEntries(request.parameters), {
    query: '{app=~"a|b"} |~ "x"', limit: '1000', direction: 'backward',
    start: '1763632800000000000', end: '1763636400000000000',
  });
});

test('Loki.lines() says when there may be more, and cuts what is long', async (t) => {
  const values = Array.from({ length: 1200 }, (_, index) => {
    return [`${1_763_632_800_000 + index}000000`, 'x'.repeat(5000)];
  });
  const { loki } = await lokiAnswering(t, streams({ stream: {}, values }));
  const { lines, isCut } = await loki.lines('{a="b"}', window);
  assert.equal(lines.length, 1000);
  assert.equal(isCut, true);
  assert.ok(lines.every(({ text }) => text.length > 900 && text.length <= 1000));
});

test('Loki.lines() reads no more lines than it asked for, however many come', async (t) => {
  const lines = Array.from({ length: 1000 }, () => ['1763632900000000000', 'x']);
  const { loki } = await lokiAnswering(t, streams({ stream: {}, values: [...lines, ['soon']] }));
  const answer = await loki.lines('{a="b"}', window);
  assert.deepEqual([answer.lines.length, answer.isCut], [1000, true]);
});

test('Loki.lines() leaves out the word that it would cut', async (t) => {
  const secret = 'ghp_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2';
  const text = `{"pad":"${'x'.repeat(950)}","token":"${secret}"}`;
  const { loki } = await lokiAnswering(t, streams({
    stream: {}, values: [['1763632900000000000', text]],
  }));
  const { lines } = await loki.lines('{a="b"}', window);
  assert.equal(lines[0]?.text, `${text.slice(0, text.indexOf(secret))}…`);
});

test('Loki.lines() cuts neither lines nor messages within a character', async (t) => {
  for (const lead of ['', 'x']) {
    const text = `${lead}${'😀'.repeat(600)}`;
    const at = '1763632900000000000';
    const { loki } = await lokiAnswering(t, streams({ stream: {}, values: [[at, text]] }));
    const { lines } = await loki.lines('{a="b"}', window);
    assert.doesNotMatch(lines[0]?.text ?? '', /\p{Cs}/u);
    const refused = await lokiAnswering(t, answering(text, { status: 400, type: 'text/plain' }));
    await assert.rejects(refused.loki.lines('{a="b"}', window), (error) => {
      return error instanceof SourceFailure && !/\p{Cs}/u.test(error.detail);
    });
  }
});

test('Loki.lines() leaves out a line of megabytes, and not the others', async (t) => {
  const at = '1763632900000000000';
  const { loki } = await lokiAnswering(t, streams({
    stream: {}, values: [[at, 'x'.repeat(1_100_000)], [at, 'y']],
  }));
  const { lines, isCut } = await loki.lines('{a="b"}', window);
  assert.deepEqual(lines.map(({ text }) => text), ['y']);
  assert.equal(isCut, true);
});

test('Loki.lines() takes an answer without streams', async (t) => {
  for (const result of [[], null]) {
    const { loki } = await lokiAnswering(t, {
      status: 'success', data: { resultType: 'streams', result },
    });
    const { lines, isCut } = await loki.lines('{a="b"}', window);
    assert.deepEqual([lines, isCut], [[], false]);
  }
});

const strange: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a matrix', { status: 'success', data: { resultType: 'matrix', result: [] } }],
  ['a time that is none', streams({ stream: {}, values: [['soon', 'x']] })],
  ['a time in seconds', streams({ stream: {}, values: [[1_763_632_900, 'x']] })],
  ['a line that is a number', streams({ stream: {}, values: [['1763632900000000000', 1]] })],
  ['an error', { status: 'error', error: 'x' }],
];
for (const [name, answer] of strange) {
  test(`Loki.lines() refuses ${name}`, async (t) => {
    const { loki } = await lokiAnswering(t, answer);
    await assert.rejects(loki.lines('{a="b"}', window), SourceFailure);
  });
}

test('Loki.streams() asks for all selectors at once', async (t) => {
  const { loki, source } = await lokiAnswering(t, {
    status: 'success', data: [{ app: 'a', namespace: 'shop' }, { container: 'a' }],
  });
  const { series, omitted } = await loki.streams(['{app="a"}', '{container="a"}'], window);
  assert.deepEqual(series, [{ app: 'a', namespace: 'shop' }, { container: 'a' }]);
  assert.equal(omitted, 0);
  const [request] = source.requests;
  assert.equal(request?.path, '/tenant/loki/api/v1/series');
  assert.deepEqual(request.parameters.getAll('match[]'), ['{app="a"}', '{container="a"}']);
  assert.equal(request.parameters.get('start'), '1763632800000000000');
});

test('Loki.counts() reads a metric query on its grid', async (t) => {
  const { loki, source } = await lokiAnswering(t, {
    status: 'success',
    data: {
      resultType: 'matrix', stats: {},
      result: [{ metric: {}, values: [[1_763_632_860, '12'], [1_763_632_980, '3']] }],
    },
  });
  const query = 'sum(count_over_time({a="b"}[1m]))';
  const { series, grid } = await loki.counts(query, { ...window, stepSeconds: 60 });
  assert.equal(grid.count, 61);
  assert.deepEqual([...series[0]?.values.slice(0, 4) ?? []], [NaN, 12, NaN, 3]);
  const asked = Object.fromEntries(source.requests[0]?.parameters ?? []);
  assert.deepEqual(asked, {
    query, step: '60', start: '1763632800000000000', end: '1763636400000000000',
  });
});

for (const setting of ['max_entries_limit', 'max_entries_limit_per_query']) {
  test(`Loki.lines() takes as many as a server gives that says ${setting}`, async (t) => {
    const values = Array.from({ length: 500 }, (_, index) => {
      return [`${1_763_632_800_000 + index}000000`, 'x'];
    });
    const { loki, source } = await lokiAnswering(t, (response, request, asked) => {
      const limit = Number(asked.parameters.get('limit'));
      if (limit <= 500) return answering(JSON.stringify(streams({ values })))(
        response, request, asked,
      );
      const said = `max entries limit per query exceeded, limit > ${setting} (${limit} > 500)`;
      answering(said, { status: 400, type: 'text/plain; charset=utf-8' })(response, request, asked);
    });
    const { lines, isCut } = await loki.lines('{a="b"}', window);
    assert.deepEqual([lines.length, isCut], [500, true]);
    assert.deepEqual(source.requests.map(({ parameters }) => parameters.get('limit')), [
      '1000', '500',
    ]);
  });
}

const refusals: readonly (readonly [number, string, string])[] = [
  [400, 'parse error at line 1, col 2: syntax error: unexpected IDENTIFIER', 'bad_query'],
  [400, 'max entries limit per query exceeded, limit > max_entries_limit_per_query (1000 > 100)',
    'bad_query'],
  [401, 'no org id', 'unauthorized'],
  [429, 'too many outstanding requests', 'rate_limited'],
  [504, 'request timed out, decrease the duration of the request', 'timeout'],
];
for (const [status, said, reason] of refusals) {
  test(`Loki's ${status} "${said.slice(0, 30)}" is ${reason}, in its own words`, async (t) => {
    const type = 'text/plain; charset=utf-8';
    const { loki } = await lokiAnswering(t, answering(said, { status, type }));
    await assert.rejects(loki.lines('{a="b"}', window), (error) => {
      assert.ok(error instanceof SourceFailure);
      assert.equal(error.reason, reason);
      assert.ok(error.detail.includes(said), error.detail);
      return true;
    });
  });
}
