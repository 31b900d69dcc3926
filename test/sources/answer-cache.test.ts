import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Limiter } from '../../src/lib/limiter.ts';
import { AnswerCache } from '../../src/sources/answer-cache.ts';
import { createPrometheus } from '../../src/sources/prometheus.ts';
import { QueryBudget } from '../../src/sources/query-budget.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { answering, faults, startFakeSource, type Answer } from '../support/sources/fake-source.ts';
import { testClient } from '../support/sources/source-clients.ts';

const path = '/api/v1/query';
const text = (body: Buffer): string => body.toString();

interface Setup {
  readonly cache: AnswerCache;
  readonly clock: ManualClock;
  readonly asked: () => number;
  readonly quiet: () => Promise<void>;
}

async function setup(
  t: Cleanup,
  answers: Answer | readonly Answer[],
  { waitingMax = 10 } = {},
): Promise<Setup> {
  const source = await startFakeSource(t, answers);
  const clock = new ManualClock();
  const client = testClient({ url: source.url });
  const gate = new Limiter(1, waitingMax);
  return {
    cache: new AnswerCache(client, { clock, gate }),
    clock,
    asked: () => source.requests.length,
    quiet: () => source.quiet(),
  };
}

test('AnswerCache.ask() deduplicates simultaneous questions', async (t) => {
  const { cache, asked } = await setup(t, answering('"a"'));
  const all = Array.from({ length: 50 }, () => cache.ask({ path }, text));
  assert.deepEqual(new Set(await Promise.all(all)), new Set(['"a"']));
  assert.equal(asked(), 1);
});

test('AnswerCache.ask() gives the same answer for a minute, then asks again', async (t) => {
  const { cache, clock, asked } = await setup(t, [answering('"a"'), answering('"b"')]);
  assert.equal(await cache.ask({ path }, text), '"a"');
  await clock.advance(59_999);
  assert.equal(await cache.ask({ path }, text), '"a"');
  await clock.advance(1);
  assert.equal(await cache.ask({ path }, text), '"b"');
  assert.equal(asked(), 2);
});

test('AnswerCache.ask() tells questions apart by all that makes another answer', async (t) => {
  const { cache, asked } = await setup(t, answering('1'));
  await cache.ask({ path }, text);
  await cache.ask({ path: '/other' }, text);
  await cache.ask({ path, parameters: [['query', 'a']] }, text);
  await cache.ask({ path, parameters: [['query', 'b']] }, text);
  assert.equal(asked(), 4);
});

test('AnswerCache.ask() does not ask a failing source again at once', async (t) => {
  const bad = answering('{"error":"no"}', { status: 400 });
  const { cache, clock, asked } = await setup(t, [bad, answering('"a"')]);
  for (let round = 0; round < 3; round += 1) {
    await assert.rejects(cache.ask({ path }, text), { name: 'SourceFailure', reason: 'bad_query' });
  }
  assert.equal(asked(), 1);
  await clock.advance(5_000);
  assert.equal(await cache.ask({ path }, text), '"a"');
});

test('AnswerCache.ask() goes on for others when one of them gives up', async (t) => {
  let answer = (): void => {};
  const { cache, asked } = await setup(t, (response) => {
    answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end('"a"');
  });
  const impatient = new AbortController();
  const gone = cache.ask({ path, signal: impatient.signal }, text);
  const stays = cache.ask({ path }, text);
  impatient.abort();
  await assert.rejects(gone, { name: 'SourceFailure', reason: 'cancelled' });
  while (asked() === 0) await new Promise(setImmediate);
  answer();
  assert.equal(await stays, '"a"');
  assert.equal(asked(), 1);
});

test('AnswerCache.ask() hangs up when nobody waits any more, and keeps nothing', async (t) => {
  const { cache, asked, quiet } = await setup(t, [faults.silent, answering('"a"')]);
  const ended = new AbortController();
  const both = [1, 2].map(() => cache.ask({ path, signal: ended.signal }, text));
  while (asked() === 0) await new Promise(setImmediate);
  ended.abort();
  for (const each of both) await assert.rejects(each, { reason: 'cancelled' });
  await quiet();
  assert.equal(await cache.ask({ path }, text), '"a"');
});

test('AnswerCache.ask() answers from the cache even if the gate is full', async (t) => {
  const { cache, asked } = await setup(t, [answering('"a"'), faults.silent], { waitingMax: 0 });
  await cache.ask({ path }, text);
  const ended = new AbortController();
  const stuck = cache.ask({ path: '/slow', signal: ended.signal }, text);
  while (asked() === 1) await new Promise(setImmediate);
  assert.equal(await cache.ask({ path }, text), '"a"');
  const refused = cache.ask({ path: '/another' }, text);
  await assert.rejects(refused, (error) => {
    return error instanceof SourceFailure && /many queries are waiting/.test(error.detail);
  });
  ended.abort();
  await assert.rejects(stuck, { reason: 'cancelled' });
});

test('AnswerCache evicts the oldest answers beyond its size', async (t) => {
  const megabytes = answering(`"${'x'.repeat(6 * 1024 * 1024)}"`);
  const { cache, asked } = await setup(t, megabytes);
  const size = (body: Buffer): number => body.length;
  for (const name of ['/a', '/b', '/c']) await cache.ask({ path: name }, size);
  await cache.ask({ path: '/c' }, size);
  await cache.ask({ path: '/b' }, size);
  assert.equal(asked(), 3);
  await cache.ask({ path: '/a' }, size);
  assert.equal(asked(), 4);
});

test('AnswerCache counts a shared answer on the budget of each who asks', async (t) => {
  const empty = '{"status":"success","data":{"resultType":"vector","result":[]}}';
  const { cache, asked } = await setup(t, answering(empty));
  const budgets = [1, 2].map(() => new QueryBudget(cache, 3));
  for (const budget of budgets) await createPrometheus(budget).query('up', 1_000);
  assert.deepEqual(budgets.map(({ used }) => used), [1, 1]);
  assert.equal(asked(), 1);
});
