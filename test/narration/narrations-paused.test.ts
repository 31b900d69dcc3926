import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, ModelError, type ModelFailure } from '../../src/model/client/model-error.ts';
import type { Narrative } from '../../src/report/report.ts';
import {
  aBench, anEpisode, aReport, done, keep, present, settle, storedIn, type Bench,
} from '../support/narration-bench.ts';
import { aCaseFile } from '../support/samples/case-files.ts';

const busy = failureOf(new ModelError('busy', { type: 'rate_limited', retryAfterMs: 120_000 }));
const leftAlone: Narrative = { state: 'absent', reason: 'breaker', detail: 'Left alone.' };

/** The narration makes a request, which ends so. */
async function ask(bench: Bench, index: number, failure: ModelFailure | null): Promise<void> {
  const hooks = bench.asked[index]?.hooks;
  assert.equal(await hooks?.onPermit?.(1_000), 'granted');
  hooks?.onSpent?.({ tokens: 0, failure });
}

async function pass(bench: Bench, ms: number): Promise<void> {
  await bench.clock.advance(ms);
  await settle();
}

test('Narrations keeps its queue while the breaker is open', async () => {
  const bench = aBench();
  const episodes = ['a', 'b', 'c', 'd'].map((name) => keep(bench, anEpisode(name)));
  await settle();
  await ask(bench, 0, busy);
  for (const { end } of bench.asked) end(done(aReport({ narrative: leftAlone })));
  await settle();
  assert.equal(bench.asked.length, 2);
  for (const episode of episodes) {
    const { narrative } = storedIn(bench, episode);
    assert.ok(narrative.state === 'absent' && /pending|breaker/.test(narrative.reason));
    assert.match(bench.narrations.stepOf(episode) ?? '', /will be asked once/);
  }
  await pass(bench, 119_999);
  assert.equal(bench.asked.length, 2);
  await pass(bench, 1);
  assert.equal(bench.asked.length, 3);
  await ask(bench, 2, null);
  await settle();
  assert.equal(bench.asked.length, 4);
  for (let n = 2; n < 6; n += 1) {
    bench.asked[n]?.end(done(aReport({ narrative: present })));
    await settle();
  }
  const states = episodes.map((episode) => storedIn(bench, episode).narrative.state);
  assert.deepEqual(new Set(states), new Set(['present']));
});

test('Narrations asks later about alerts that came while the breaker was open', async () => {
  const bench = aBench();
  bench.breaker.failed(busy);
  const narrative = bench.narrations.comingFor(anEpisode('z'), aCaseFile());
  assert.ok(narrative.state === 'absent' && narrative.reason === 'breaker');
  const episode = keep(bench, anEpisode('a'), aReport({ narrative }));
  await settle();
  assert.deepEqual(storedIn(bench, episode).narrative, narrative);
  await pass(bench, 120_000);
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(storedIn(bench, episode).narrative.state, 'present');
});

test('Narrations stores a kept narrative while the breaker is open', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  bench.isIdle = false;
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  bench.breaker.failed(busy);
  bench.isIdle = true;
  keep(bench, episode, aReport({ updated_at: '2026-11-20T01:28:00.000Z' }));
  await settle();
  assert.equal(storedIn(bench, episode).narrative.state, 'present');
});

test('Narrations asks again about a report that an older narrative does not fit', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  bench.isIdle = false;
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  bench.isIdle = true;
  await pass(bench, 7 * 3_600_000);
  keep(bench, episode, aReport({ updated_at: '2026-11-20T08:28:00.000Z' }));
  await settle();
  assert.equal(storedIn(bench, episode).narrative.state, 'absent');
  assert.equal(bench.asked.length, 2);
});

test('Narrations asks again after a pause that became shorter', async () => {
  const bench = aBench();
  bench.breaker.failed(busy);
  const episode = keep(bench, anEpisode('a'));
  await settle();
  bench.breaker.tryNow();
  bench.narrations.pump();
  await settle();
  await ask(bench, 0, failureOf(new ModelError('busy', {
    type: 'rate_limited', retryAfterMs: 60_000,
  })));
  bench.asked[0]?.end(done(aReport({ narrative: leftAlone })));
  await settle();
  assert.match(bench.narrations.stepOf(episode) ?? '', /will be asked once/);
  await pass(bench, 60_000);
  assert.equal(bench.asked.length, 2);
});

test('Narrations gives up on an alert that is put off a third time', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  for (let n = 0; n < 3; n += 1) {
    await ask(bench, n, busy);
    bench.asked[n]?.end(done(aReport({ narrative: leftAlone })));
    await settle();
    await pass(bench, 240_000);
  }
  assert.equal(bench.asked.length, 3);
  assert.deepEqual(storedIn(bench, episode).narrative, { ...leftAlone, reason: 'failed' });
});

test('Narrations drops a waiting alert that has ended while the breaker is open', async () => {
  const bench = aBench();
  bench.breaker.failed(busy);
  const episode = keep(bench, anEpisode('a'));
  await settle();
  bench.narrations.newsOf(Object.assign(episode, { endsAt: '2026-11-20T02:00:00Z' }));
  await pass(bench, 120_000);
  assert.equal(bench.asked.length, 0);
});

function countIn({ logged }: Bench, text: string): number {
  return logged.filter((line) => line.includes(text)).length;
}

test('Narrations tells the log what the model fails with, once an hour', async () => {
  const bench = aBench();
  const failure = failureOf(new ModelError('It is broken', { type: 'malformed' }));
  for (let n = 0; n < 3; n += 1) {
    keep(bench, anEpisode(`e${n}`));
    await settle();
    await ask(bench, n, failure);
    bench.asked[n]?.end(done(aReport({ narrative: { ...leftAlone, reason: 'failed' } })));
    await settle();
    if (n === 1) await pass(bench, 3_600_000);
    assert.equal(countIn(bench, 'It is broken'), n < 2 ? 1 : 2);
  }
  assert.equal(countIn(bench, failure.hint), 2);
  assert.equal(countIn(bench, 'No narrative'), 2);
});

test('Narrations tells the log and the reports when the model is paused', async () => {
  const bench = aBench();
  keep(bench, anEpisode('a'));
  await settle();
  await ask(bench, 0, failureOf(new ModelError('who?', { type: 'unauthorized' })));
  const [line = ''] = bench.logged;
  assert.match(line, /WARN .*is paused seconds=300 .*who\?.*MODEL_API_KEY/);
  const narrative = bench.narrations.comingFor(anEpisode('z'), aCaseFile());
  assert.ok(narrative.state === 'absent');
  assert.match(narrative.detail, /keeps failing\. It will be asked .* Check MODEL_API_KEY/);
  bench.asked[0]?.end(done(aReport({ narrative: { ...leftAlone, reason: 'failed' } })));
  keep(bench, anEpisode('b'));
  await pass(bench, 300_000);
  await ask(bench, 1, null);
  assert.equal(countIn(bench, 'The model answers again'), 1);
});
