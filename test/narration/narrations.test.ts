import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Episode } from '../../src/episodes/episode.ts';
import { failureOf, ModelError } from '../../src/model/client/model-error.ts';
import { crowdedOut } from '../../src/narration/narrative-plan.ts';
import { pendingNarrative } from '../../src/report/awaited-narrative.ts';
import {
  anEpisode, aReport, done, keep, pending, present, settle, setUpNarrations, storedIn,
  type NarrationsSetup,
} from '../support/narrations-setup.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';

test('Narrations asks about two alerts at a time, the worst first', async () => {
  const setup = setUpNarrations();
  const warnings = ['w1', 'w2', 'w3'].map((name) => keep(setup, anEpisode(name, 'warning')));
  const critical = keep(setup, anEpisode('c1'));
  await settle();
  assert.equal(setup.asked.length, 2);
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(setup.asked[2]?.job.grant.rounds, 10);
  assert.equal(setup.narrations.stepOf(critical), 'The language model has not answered yet.');
  assert.equal(setup.narrations.stepOf(warnings[0] ?? critical), null);
  assert.equal(storedIn(setup, warnings[0] ?? critical).narrative.state, 'present');
});

test('Narrations records an outcome only when the verdict has changed', async () => {
  const setup = setUpNarrations();
  const same = keep(setup, anEpisode('same'));
  const other = keep(setup, anEpisode('other'));
  await settle();
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  const { verdict } = aReport();
  const lowered = { ...verdict, certainty: 'inconclusive' as const };
  setup.asked[1]?.end(done(aReport({ narrative: present, verdict: lowered })));
  await settle();
  assert.deepEqual(setup.outcomes.map(({ fingerprint, conclusion }) => {
    return [fingerprint, conclusion.certainty];
  }), [[other.fingerprint, 'inconclusive']]);
  assert.ok(setup.narrations.revisionOf(same) > 0);
  assert.ok(setup.changes >= 2);
});

test('Narrations counts a narrative before anybody can read it', async () => {
  const setup = setUpNarrations();
  keep(setup, anEpisode('a'));
  await settle();
  const store = setup.stored.set.bind(setup.stored);
  const countedBefore: number[] = [];
  setup.stored.set = (fingerprint, report) => {
    countedBefore.push(setup.ended.length);
    return store(fingerprint, report);
  };
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.deepEqual(countedBefore, [1]);
});

test('Narrations tells how far a model is', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  const before = setup.narrations.revisionOf(episode);
  setup.asked[0]?.hooks.onProgress({ step: 'The model looks', done: 0, of: 1 });
  assert.equal(setup.narrations.stepOf(episode), 'The model looks.');
  assert.ok(setup.narrations.revisionOf(episode) > before);
});

test('Narrations cancels the narration of an alert that has ended', async () => {
  const setup = setUpNarrations();
  const running = keep(setup, anEpisode('a'));
  await settle();
  setup.narrations.newsOf(running);
  assert.equal(setup.asked[0]?.hooks.signal?.aborted, false);
  setup.narrations.newsOf(Object.assign(running, { endsAt: '2026-11-20T02:00:00Z' }));
  assert.equal(setup.asked[0]?.hooks.signal?.aborted, true);
  const before = setup.stored.get('a');
  setup.asked[0]?.end({ kind: 'failed', message: 'ended', isDeadline: false });
  await settle();
  assert.equal(setup.stored.get('a'), before);
  assert.deepEqual(setup.ended, []);
});

test('Narrations says in the report that a narration failed', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  setup.asked[0]?.end({ kind: 'failed', message: 'x', isDeadline: false });
  await settle();
  const { narrative } = storedIn(setup, episode);
  assert.ok(narrative.state === 'absent' && narrative.reason === 'failed');
});

test('Narrations asks once more, and alone, about those whose thread died', async () => {
  const setup = setUpNarrations();
  const [deadly, beside, other] = ['a', 'b', 'c'].map((name) => keep(setup, anEpisode(name)));
  assert.ok(deadly !== undefined && beside !== undefined && other !== undefined);
  await settle();
  for (const { end } of setup.asked) end({ kind: 'died', reason: 'memory' });
  await settle();
  assert.equal(setup.asked.length, 3);
  setup.asked[2]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(setup.asked.length, 4);
  setup.asked[3]?.end({ kind: 'died', reason: 'memory' });
  await settle();
  assert.equal(setup.asked.length, 5);
  setup.asked[4]?.end(done(aReport({ narrative: present })));
  await settle();
  const states = [deadly, beside, other].map((episode) => storedIn(setup, episode).narrative.state);
  assert.deepEqual(states, ['absent', 'present', 'present']);
});

test('Narrations starts nothing while there is no thread', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  setup.isReady = false;
  setup.asked[0]?.end({ kind: 'stopped' });
  keep(setup, anEpisode('b'));
  await settle();
  assert.equal(setup.asked.length, 1);
  assert.deepEqual(storedIn(setup, episode).narrative, pending);
  assert.notEqual(setup.narrations.stepOf(episode), null);
  setup.isReady = true;
  setup.narrations.pump();
  await settle();
  assert.equal(setup.asked.length, 3);
});

test('Narrations gives a new report the narrative of the one it replaced', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  keep(setup, episode, aReport({ updated_at: '2026-11-20T01:27:00.000Z' }));
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  const { narrative, updated_at: updatedAt } = storedIn(setup, episode);
  assert.equal(narrative.state, 'present');
  assert.equal(updatedAt, '2026-11-20T01:27:00.000Z');
  assert.equal(setup.asked.length, 1);
});

test('Narrations keeps a narrative while the episode is analysed again', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  setup.isIdle = false;
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(storedIn(setup, episode).narrative.state, 'absent');
  setup.isIdle = true;
  keep(setup, episode, aReport({ updated_at: '2026-11-20T01:28:00.000Z' }));
  await settle();
  assert.equal(storedIn(setup, episode).narrative.state, 'present');
  assert.equal(setup.asked.length, 1);
});

test('Narrations stores a kept narrative after an analysis without a new report',
  async () => {
    const setup = setUpNarrations();
    const episode = keep(setup, anEpisode('a'));
    await settle();
    setup.isIdle = false;
    const verdict = { ...aReport().verdict, headline: 'The model knows better' };
    setup.asked[0]?.end(done(aReport({ narrative: present, verdict })));
    await settle();
    assert.match(setup.narrations.stepOf(episode) ?? '', /not stored yet/);
    setup.isIdle = true;
    setup.narrations.analysed(episode);
    await settle();
    assert.equal(storedIn(setup, episode).narrative.state, 'present');
    assert.deepEqual(storedIn(setup, episode).verdict, verdict, 'whole: the report is the same');
    assert.equal(setup.narrations.stepOf(episode), null);
    assert.equal(setup.asked.length, 1);
  });

test('Narrations gives the report of a resolved alert the narrative that was kept',
  async () => {
    const setup = setUpNarrations();
    const episode = keep(setup, anEpisode('a'));
    await settle();
    setup.isIdle = false;
    setup.asked[0]?.end(done(aReport({ narrative: present })));
    await settle();
    const ended = Object.assign(episode, { endsAt: '2026-11-20T01:30:00Z' });
    setup.narrations.newsOf(ended);
    const alert = anAlert({ status: 'resolved', endsAt: ended.endsAt });
    const narrative = setup.narrations.comingFor(ended, aCaseFile({ alert }));
    assert.deepEqual(narrative, pendingNarrative);
    setup.isIdle = true;
    keep(setup, ended, aReport({ narrative }));
    await settle();
    assert.equal(storedIn(setup, episode).narrative.state, 'present');
    const other = setup.narrations.comingFor(anEpisode('b'), aCaseFile({ alert }));
    assert.match(other.state === 'absent' ? other.detail : '', /ended before/);
  });

test('Narrations tells a new report of the narrative being written, though no other would get it',
  async () => {
    const setup = setUpNarrations();
    const episode = keep(setup, anEpisode('a', 'warning'));
    await settle();
    assert.equal(await setup.asked[0]?.hooks.onPermit?.(90_000), 'granted');
    const labels = { alertname: 'A', severity: 'warning' };
    const caseFile = aCaseFile({ alert: anAlert({ labels }) });
    const other = setup.narrations.comingFor(anEpisode('b', 'warning'), caseFile);
    assert.equal(other.state === 'absent' && other.reason, 'budget');
    const narrative = setup.narrations.comingFor(episode, caseFile);
    assert.deepEqual(narrative, pendingNarrative);
    keep(setup, episode, aReport({ narrative, updated_at: '2026-11-20T01:27:00.000Z' }));
    setup.asked[0]?.end(done(aReport({ narrative: present })));
    await settle();
    assert.equal(storedIn(setup, episode).narrative.state, 'present');
    assert.equal(setup.asked.length, 1);
  });

/** One whose narrative is written, and refused by the disk until `allow` is called. */
async function aRefusedNarrative(): Promise<{
  readonly setup: NarrationsSetup; readonly episode: Episode; readonly allow: () => void;
}> {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  const store = setup.stored.set.bind(setup.stored);
  setup.stored.set = () => assert.fail('No room');
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  return { setup, episode, allow: () => { setup.stored.set = store; } };
}

function refusalsIn({ logged }: NarrationsSetup): number {
  return logged.filter((line) => line.includes('Cannot read or store')).length;
}

test('Narrations gives the next report a narrative that the disk refused', async () => {
  const { setup, episode, allow } = await aRefusedNarrative();
  assert.equal(refusalsIn(setup), 1);
  assert.match(setup.narrations.stepOf(episode) ?? '', /not stored yet/);
  allow();
  keep(setup, episode, aReport({ updated_at: '2026-11-20T01:28:00.000Z' }));
  await settle();
  assert.equal(storedIn(setup, episode).narrative.state, 'present');
  assert.equal(setup.asked.length, 1);
});

test('Narrations tries again to store a narrative that the disk refused', async () => {
  const { setup, episode, allow } = await aRefusedNarrative();
  await setup.clock.advance(10_000);
  await settle();
  assert.equal(refusalsIn(setup), 2);
  allow();
  await setup.clock.advance(10_000);
  await settle();
  assert.equal(storedIn(setup, episode).narrative.state, 'present');
  assert.equal(setup.narrations.stepOf(episode), null);
  assert.equal(setup.asked.length, 1);
});

test('Narrations stores again when an analysis ends while it was storing',
  async () => {
    const setup = setUpNarrations();
    const episode = keep(setup, anEpisode('a'));
    await settle();
    setup.isIdle = false;
    setup.asked[0]?.end(done(aReport({ narrative: present })));
    setup.narrations.analysed(episode);
    setup.isIdle = true;
    await settle();
    assert.equal(storedIn(setup, episode).narrative.state, 'present');
  });

test('Narrations tells why there is no narrative after an analysis without a new report',
  async () => {
    const setup = setUpNarrations();
    const episodes = Array.from({ length: 203 }, (_, n) => anEpisode(`i${n}`, 'info'));
    setup.isIdle = false;
    for (const episode of episodes) keep(setup, episode);
    await settle();
    const leftOut = episodes.at(-1) ?? assert.fail();
    assert.deepEqual(storedIn(setup, leftOut).narrative, pending);
    setup.isIdle = true;
    setup.narrations.analysed(leftOut);
    await settle();
    assert.deepEqual(storedIn(setup, leftOut).narrative, crowdedOut);
  });

test('Narrations ignores a report whose narrative is not pending', async () => {
  const setup = setUpNarrations();
  keep(setup, anEpisode('a'), aReport({ narrative: present }));
  await settle();
  assert.equal(setup.asked.length, 0);
});

test('Narrations leaves running narratives pending when it stops', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  const stopped = setup.narrations.stop();
  assert.equal(setup.asked[0]?.hooks.signal?.aborted, true);
  setup.asked[0]?.end({ kind: 'stopped' });
  await stopped;
  const { narrative } = storedIn(setup, episode);
  assert.ok(narrative.state === 'absent' && narrative.reason === 'pending');
});

test('Narrations keeps the gravest where too many wait, and tells the others', async () => {
  const setup = setUpNarrations();
  const infos = Array.from({ length: 203 }, (_, n) => keep(setup, anEpisode(`i${n}`, 'info')));
  await settle();
  assert.equal(setup.asked.length, 2);
  const left = infos.filter((episode) => setup.narrations.stepOf(episode) === null);
  assert.deepEqual(left.map(({ fingerprint }) => fingerprint), ['i202']);
  const labels = { alertname: 'A', severity: 'info' };
  const milder = aCaseFile({ alert: anAlert({ labels }) });
  const coming = setup.narrations.comingFor(anEpisode('z'), milder);
  assert.deepEqual(coming, crowdedOut);
  assert.deepEqual(setup.narrations.comingFor(anEpisode('z'), aCaseFile()), pendingNarrative);
  const critical = keep(setup, anEpisode('c'));
  await settle();
  assert.notEqual(setup.narrations.stepOf(critical), null);
  for (const name of ['i201', 'i202']) {
    assert.deepEqual(storedIn(setup, anEpisode(name)).narrative, crowdedOut);
  }
  assert.deepEqual(storedIn(setup, anEpisode('i200')).narrative, pending);
});

test('Narrations keeps the place in a full queue of an alert that is analysed again',
  async () => {
    const setup = setUpNarrations();
    const all = Array.from({ length: 202 }, (_, n) => keep(setup, anEpisode(`c${n}`)));
    await settle();
    const first = all[2] ?? assert.fail();
    assert.deepEqual(setup.narrations.comingFor(anEpisode('z'), aCaseFile()), crowdedOut);
    assert.deepEqual(setup.narrations.comingFor(first, aCaseFile()), pendingNarrative);
  });

test('Narrations asks nothing about an alert that ended while it waited', async () => {
  const setup = setUpNarrations();
  const episodes = ['a', 'b', 'c'].map((name) => keep(setup, anEpisode(name)));
  await settle();
  const [, , waiting] = episodes;
  assert.ok(waiting !== undefined);
  setup.narrations.newsOf(Object.assign(waiting, { endsAt: '2026-11-20T01:30:00Z' }));
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(setup.asked.length, 2);
});

test('Narrations ignores a report that got a narrative meanwhile', async () => {
  const setup = setUpNarrations();
  const episode = keep(setup, anEpisode('a'));
  await settle();
  const other = { ...present, text: 'It was something else.' };
  setup.stored.set('a', JSON.stringify(aReport({ narrative: other })));
  setup.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.deepEqual(storedIn(setup, episode).narrative, other);
});

test('Narrations goes on after the thread of the probe has died', async () => {
  const broken = failureOf(new ModelError('no', { type: 'server_error' }));
  const setup = setUpNarrations();
  keep(setup, anEpisode('a'));
  await settle();
  const { hooks, end } = setup.asked[0] ?? assert.fail('nothing asked');
  for (let n = 0; n < 5; n += 1) {
    assert.equal(await hooks.onPermit?.(10), 'granted');
    hooks.onSpent?.({ tokens: 0, failure: broken });
  }
  assert.equal(await hooks.onPermit?.(10), 'breaker');
  await setup.clock.advance(60_000);
  assert.equal(await hooks.onPermit?.(10), 'granted', 'one alone');
  end({ kind: 'died', reason: 'memory' });
  await settle();
  const coming = setup.narrations.comingFor(anEpisode('z'), aCaseFile());
  assert.equal(coming.state === 'absent' && coming.reason, 'pending');
});
