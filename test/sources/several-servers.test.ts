import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestOutcome } from '../../src/sources/source-client.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { freePort } from '../support/programs/programs.ts';
import { answering, faults, startFakeSource } from '../support/sources/fake-source.ts';
import { testClient } from '../support/sources/source-clients.ts';

const json = (body: Buffer): unknown => JSON.parse(body.toString()) as unknown;

test('SourceClient asks the next server when one fails, and stays with it', async (t) => {
  const refusing = `http://127.0.0.1:${await freePort()}`;
  for (const fault of [faults.reset, answering('', { status: 503 }), null]) {
    const broken = await startFakeSource(t, fault ?? faults.silent);
    const healthy = await startFakeSource(t, answering('"fine"'));
    const outcomes: RequestOutcome[] = [];
    const url = fault === null ? refusing : broken.url;
    const client = testClient({
      url, urls: [url, healthy.url], onOutcome: (each) => outcomes.push(each),
    });
    assert.equal(await client.ask({ path: '/a' }, json), 'fine');
    assert.equal(await client.ask({ path: '/b' }, json), 'fine');
    assert.equal(broken.requests.length, fault === null ? 0 : 1);
    assert.deepEqual(outcomes.map(({ result, left }) => [result, left?.server]), [
      ['ok', url], ['ok', undefined],
    ]);
  }
});

test('SourceClient asks each server once if all fail, one if the question is bad', async (t) => {
  const source = await startFakeSource(t, [
    answering('', { status: 503 }), answering('', { status: 502 }),
    answering('', { status: 400 }),
  ]);
  const client = testClient({ url: source.url, urls: [source.url, source.url] });
  const reasonOf = (path: string): Promise<string> => client.ask({ path }, json).then(
    () => 'answered', (error: unknown) => error instanceof SourceFailure ? error.reason : 'bug');
  assert.equal(await reasonOf('/a'), 'server_error');
  assert.equal(source.requests.length, 2);
  assert.equal(await reasonOf('/b'), 'bad_query');
  assert.equal(source.requests.length, 3);
});

test('SourceClient gives up a server that hangs, for the questions after', async (t) => {
  const clock = new ManualClock();
  const hanging = await startFakeSource(t, [answering('1'), faults.silent]);
  const healthy = await startFakeSource(t, answering('2'));
  const urls = [hanging.url, healthy.url];
  const client = testClient({ url: hanging.url, urls, clock, timeoutMs: 60_000 });
  const ask = (path: string, signal?: AbortSignal): Promise<unknown> =>
    client.ask({ path, signal }, json);
  assert.equal(await ask('/a'), 1);
  for (const [waitedMs, next] of [[500, hanging], [2_500, healthy]] as const) {
    await clock.advance(1);
    const cancelled = new AbortController();
    const asked = ask('/b', cancelled.signal);
    const before = hanging.requests.length;
    while (hanging.requests.length === before) await new Promise(setImmediate);
    await clock.advance(waitedMs);
    cancelled.abort();
    await assert.rejects(asked, SourceFailure);
    if (next === healthy) assert.equal(await ask('/c'), 2);
  }
  assert.equal(healthy.requests.length, 1);
});

test('SourceClient gives a server that it asks late as long to answer as the first', async (t) => {
  const clock = new ManualClock();
  let refuse = (): void => {};
  const broken = await startFakeSource(t, (response) => {
    refuse = () => void response.destroy();
  });
  const slow = await startFakeSource(t, [faults.silent, answering('2')]);
  const urls = [broken.url, slow.url];
  const client = testClient({ url: broken.url, urls, clock, timeoutMs: 60_000 });
  const cancelled = new AbortController();
  const asked = client.ask({ path: '/a', signal: cancelled.signal }, json);
  while (broken.requests.length === 0) await new Promise(setImmediate);
  await clock.advance(2_000);
  refuse();
  while (slow.requests.length === 0) await new Promise(setImmediate);
  await clock.advance(500);
  cancelled.abort();
  await assert.rejects(asked, SourceFailure);
  assert.equal(await client.ask({ path: '/b' }, json), 2);
  assert.equal(broken.requests.length, 1);
});
