import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, ModelError, type ModelFailure } from '../../src/model/client/model-error.ts';
import type { Narrative } from '../../src/report/report.ts';
import {
  setUpNarrations, anEpisode, aReport, done, keep, present, settle, storedIn, type NarrationsSetup,
} from '../support/narrations-setup.ts';
import { aCaseFile } from '../support/samples/case-files.ts';

const busy = failureOf(new ModelError('busy', { type: 'rate_limited', retryAfterMs: 120_000 }));
const leftAlone: Narrative = { state: 'absent', reason: 'breaker', detail: 'Left alone.' };

/** The narration makes a request, which ends so. */
async function ask(
  setup: NarrationsSetup,
  index: number,
  failure: ModelFailure | null,
): Promise<void> {
  const hooks = setup.asked[index]?.hooks;
  assert.equal(await hooks?.onPermit?.(1_000), 'granted');
  hooks?.onSpent?.({ tokens: 0, failure });
}

async function pass(setup: NarrationsSetup, ms: number): Promise<void> {
  await setup.clock.advance(ms);
  await settle();
}

test('Narrations keeps its queue while the breaker is open', async () => {
  const setup = setUpNarrations();
  const episodes = ['a', 'b', 'c', 'd'].map((name) => keep(setup, anEpisode(name)));
  await settle();
  await ask(setup, 0, busy);
  for (const { end } of setup.asked) end(done(aReport({ narrative: leftAlone })));
  await settle();
  assert.equal(setup.asked.length, 2);
  for (const episode of episodes) {
    const { narrative } = storedIn(setup, episode);
    assert.ok(narrative.state === 'absent' && /pending|breaker/.test(narrative.reason));
    assert.match(setup.narrations.stepOf(episode) ?? '', /will be asked once/);
  }
  await pass(setup, 119_999);
  assert.equal(setup.asked.length, 2);
  await pass(setup, 1);
  assert.equal(setup.asked.length, 3);
  await ask(setup, 2, null);
  await settle();
  assert.equal(setup.asked.length, 4);
  for (let n = 2; n < 6; n += 1) {
    setup.asked[n]?.end(done(aReport({ narrative: present })));
    await settle();
  }
  const states = episodes.map((episode) => storedIn(setup, episode).narrative.state);
  assert.deepEqual(new Set(states), new Set(['present']));
});

test('Narrations asks later about alerts that came while the breaker was open', async () => {
  const setup = setUpNarrations();
  setup.breaker.failed(busy);
  const narrative = setup.narrations.comingFor(anEpisode('z'), aCaseFile());
  assert.ok(narrative.state === 'absent' && narrative.reason === 'breaker');
  const episode = keep(setup, anEpisode('a'), aReport({ narrative }));
  await settle();
  assert.deepEqual(storedIn(setup, episode).narrative, narrative);
  await pass(setup, 120_000);
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(storedIn(setup, episode).narrative.state, 'present');
});

test('Narrations stores a kept narrative while the breaker is open', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  setup.isIdle = false;
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  setup.breaker.failed(busy);
  setup.isIdle = true;
  keep(setup, episode, aReport({ updated_at: '2026-11-20T01:28:00.000Z' }));
  await settle();
  assert.equal(storedIn(setup, episode).narrative.state, 'present');
});

test('Narrations asks again about a report that an older narrative does not fit', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  setup.isIdle = false;
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  setup.isIdle = true;
  await pass(setup, 7 * 3_600_000);
  keep(setup, episode, aReport({ updated_at: '2026-11-20T08:28:00.000Z' }));
  await settle();
  assert.equal(storedIn(setup, episode).narrative.state, 'absent');
  assert.equal(setup.asked.length, 2);
});

test('Narrations asks again after a pause that became shorter', async () => {
  const setup = setUpNarrations();
  setup.breaker.failed(busy);
  const episode = keep(setup, anEpisode('a'));
  await settle();
  setup.breaker.tryNow();
  setup.narrations.pump();
  await settle();
  await ask(setup, 0, failureOf(new ModelError('busy', {
    type: 'rate_limited', retryAfterMs: 60_000,
  })));
  setup.asked[0]?.end(done(aReport({ narrative: leftAlone })));
  await settle();
  assert.match(setup.narrations.stepOf(episode) ?? '', /will be asked once/);
  await pass(setup, 60_000);
  assert.equal(setup.asked.length, 2);
});

test('Narrations gives up on an alert that is put off a third time', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  for (let n = 0; n < 3; n += 1) {
    await ask(setup, n, busy);
    setup.asked[n]?.end(done(aReport({ narrative: leftAlone })));
    await settle();
    await pass(setup, 240_000);
  }
  assert.equal(setup.asked.length, 3);
  assert.deepEqual(storedIn(setup, episode).narrative, { ...leftAlone, reason: 'failed' });
});

test('Narrations drops a waiting alert that has ended while the breaker is open', async () => {
  const setup = setUpNarrations();
  setup.breaker.failed(busy);
  const episode = keep(setup, anEpisode('a'));
  await settle();
  setup.narrations.newsOf(Object.assign(episode, { endsAt: '2026-11-20T02:00:00Z' }));
  await pass(setup, 120_000);
  assert.equal(setup.asked.length, 0);
});

function countIn({ logged }: NarrationsSetup, text: string): number {
  return logged.filter((line) => line.includes(text)).length;
}

test('Narrations tells the log what the model fails with, once an hour', async () => {
  const setup = setUpNarrations();
  const failure = failureOf(new ModelError('It is broken', { type: 'malformed' }));
  for (let n = 0; n < 3; n += 1) {
    keep(setup, anEpisode(`e${n}`));
    await settle();
    await ask(setup, n, failure);
    setup.asked[n]?.end(done(aReport({ narrative: { ...leftAlone, reason: 'failed' } })));
    await settle();
    if (n === 1) await pass(setup, 3_600_000);
    assert.equal(countIn(setup, 'It is broken'), n < 2 ? 1 : 2);
  }
  assert.equal(countIn(setup, failure.hint), 2);
  assert.equal(countIn(setup, 'Report has no narrative'), 2);
});

test('Narrations tells the log and the reports when the model is paused', async () => {
  const setup = setUpNarrations();
  keep(setup, anEpisode('a'));
  await settle();
  await ask(setup, 0, failureOf(new ModelError('who?', { type: 'unauthorized' })));
  const [line = ''] = setup.logged;
  assert.match(line, /WARN .*is paused seconds=300 .*who\?.*MODEL_API_KEY/);
  const narrative = setup.narrations.comingFor(anEpisode('z'), aCaseFile());
  assert.ok(narrative.state === 'absent');
  assert.match(narrative.detail, /keeps failing\. It will be asked .* Check MODEL_API_KEY/);
  setup.asked[0]?.end(done(aReport({ narrative: { ...leftAlone, reason: 'failed' } })));
  keep(setup, anEpisode('b'));
  await pass(setup, 300_000);
  await ask(setup, 1, null);
  assert.equal(countIn(setup, 'The model answers again'), 1);
});
