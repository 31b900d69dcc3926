import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Episode } from '../../src/episodes/episode.ts';
import { failureOf, ModelError } from '../../src/model/client/model-error.ts';
import { crowdedOut } from '../../src/narration/narrative-plan.ts';
import { pendingNarrative } from '../../src/report/awaited-narrative.ts';
import {
  aBench, anEpisode, aReport, done, keep, pending, present, settle, storedIn, type Bench,
} from '../support/narration-bench.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';

test('Narrations asks about two alerts at a time, the worst first', async () => {
  const bench = aBench();
  const warnings = ['w1', 'w2', 'w3'].map((name) => keep(bench, anEpisode(name, 'warning')));
  const critical = keep(bench, anEpisode('c1'));
  await settle();
  assert.equal(bench.asked.length, 2);
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(bench.asked[2]?.job.grant.rounds, 10);
  assert.equal(bench.narrations.stepOf(critical), 'The language model has not answered yet.');
  assert.equal(bench.narrations.stepOf(warnings[0] ?? critical), null);
  assert.equal(storedIn(bench, warnings[0] ?? critical).narrative.state, 'present');
});

test('Narrations records an outcome only when the verdict has changed', async () => {
  const bench = aBench();
  const same = keep(bench, anEpisode('same'));
  const other = keep(bench, anEpisode('other'));
  await settle();
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  const { verdict } = aReport();
  const lowered = { ...verdict, certainty: 'inconclusive' as const };
  bench.asked[1]?.end(done(aReport({ narrative: present, verdict: lowered })));
  await settle();
  assert.deepEqual(bench.outcomes.map(({ fingerprint, conclusion }) => {
    return [fingerprint, conclusion.certainty];
  }), [[other.fingerprint, 'inconclusive']]);
  assert.ok(bench.narrations.revisionOf(same) > 0);
  assert.ok(bench.changes >= 2);
});

test('Narrations counts a narrative before anybody can read it', async () => {
  const bench = aBench();
  keep(bench, anEpisode('a'));
  await settle();
  const store = bench.stored.set.bind(bench.stored);
  const countedBefore: number[] = [];
  bench.stored.set = (fingerprint, report) => {
    countedBefore.push(bench.ended.length);
    return store(fingerprint, report);
  };
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.deepEqual(countedBefore, [1]);
});

test('Narrations tells how far a model is', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  const before = bench.narrations.revisionOf(episode);
  bench.asked[0]?.hooks.onProgress({ step: 'The model looks', done: 0, of: 1 });
  assert.equal(bench.narrations.stepOf(episode), 'The model looks.');
  assert.ok(bench.narrations.revisionOf(episode) > before);
});

test('Narrations cancels the narration of an alert that has ended', async () => {
  const bench = aBench();
  const running = keep(bench, anEpisode('a'));
  await settle();
  bench.narrations.newsOf(running);
  assert.equal(bench.asked[0]?.hooks.signal?.aborted, false);
  bench.narrations.newsOf(Object.assign(running, { endsAt: '2026-11-20T02:00:00Z' }));
  assert.equal(bench.asked[0]?.hooks.signal?.aborted, true);
  const before = bench.stored.get('a');
  bench.asked[0]?.end({ kind: 'failed', message: 'ended', isDeadline: false });
  await settle();
  assert.equal(bench.stored.get('a'), before);
  assert.deepEqual(bench.ended, []);
});

test('Narrations says in the report that a narration failed', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  bench.asked[0]?.end({ kind: 'failed', message: 'x', isDeadline: false });
  await settle();
  const { narrative } = storedIn(bench, episode);
  assert.ok(narrative.state === 'absent' && narrative.reason === 'failed');
});

test('Narrations asks once more, and alone, about those whose thread died', async () => {
  const bench = aBench();
  const [deadly, beside, other] = ['a', 'b', 'c'].map((name) => keep(bench, anEpisode(name)));
  assert.ok(deadly !== undefined && beside !== undefined && other !== undefined);
  await settle();
  for (const { end } of bench.asked) end({ kind: 'died', reason: 'memory' });
  await settle();
  assert.equal(bench.asked.length, 3);
  bench.asked[2]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(bench.asked.length, 4);
  bench.asked[3]?.end({ kind: 'died', reason: 'memory' });
  await settle();
  assert.equal(bench.asked.length, 5);
  bench.asked[4]?.end(done(aReport({ narrative: present })));
  await settle();
  const states = [deadly, beside, other].map((episode) => storedIn(bench, episode).narrative.state);
  assert.deepEqual(states, ['absent', 'present', 'present']);
});

test('Narrations starts nothing while there is no thread', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  bench.isReady = false;
  bench.asked[0]?.end({ kind: 'stopped' });
  keep(bench, anEpisode('b'));
  await settle();
  assert.equal(bench.asked.length, 1);
  assert.deepEqual(storedIn(bench, episode).narrative, pending);
  assert.notEqual(bench.narrations.stepOf(episode), null);
  bench.isReady = true;
  bench.narrations.pump();
  await settle();
  assert.equal(bench.asked.length, 3);
});

test('Narrations gives a new report the narrative of the one it replaced', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  keep(bench, episode, aReport({ updated_at: '2026-11-20T01:27:00.000Z' }));
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  const { narrative, updated_at: updatedAt } = storedIn(bench, episode);
  assert.equal(narrative.state, 'present');
  assert.equal(updatedAt, '2026-11-20T01:27:00.000Z');
  assert.equal(bench.asked.length, 1);
});

test('Narrations keeps a narrative while the episode is analysed again', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  bench.isIdle = false;
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(storedIn(bench, episode).narrative.state, 'absent');
  bench.isIdle = true;
  keep(bench, episode, aReport({ updated_at: '2026-11-20T01:28:00.000Z' }));
  await settle();
  assert.equal(storedIn(bench, episode).narrative.state, 'present');
  assert.equal(bench.asked.length, 1);
});

test('Narrations stores a kept narrative after an analysis without a new report',
  async () => {
    const bench = aBench();
    const episode = keep(bench, anEpisode('a'));
    await settle();
    bench.isIdle = false;
    const verdict = { ...aReport().verdict, headline: 'The model knows better' };
    bench.asked[0]?.end(done(aReport({ narrative: present, verdict })));
    await settle();
    assert.match(bench.narrations.stepOf(episode) ?? '', /not stored yet/);
    bench.isIdle = true;
    bench.narrations.analysed(episode);
    await settle();
    assert.equal(storedIn(bench, episode).narrative.state, 'present');
    assert.deepEqual(storedIn(bench, episode).verdict, verdict, 'whole: the report is the same');
    assert.equal(bench.narrations.stepOf(episode), null);
    assert.equal(bench.asked.length, 1);
  });

test('Narrations gives the report of a resolved alert the narrative that was kept',
  async () => {
    const bench = aBench();
    const episode = keep(bench, anEpisode('a'));
    await settle();
    bench.isIdle = false;
    bench.asked[0]?.end(done(aReport({ narrative: present })));
    await settle();
    const ended = Object.assign(episode, { endsAt: '2026-11-20T01:30:00Z' });
    bench.narrations.newsOf(ended);
    const alert = anAlert({ status: 'resolved', endsAt: ended.endsAt });
    const narrative = bench.narrations.comingFor(ended, aCaseFile({ alert }));
    assert.deepEqual(narrative, pendingNarrative);
    bench.isIdle = true;
    keep(bench, ended, aReport({ narrative }));
    await settle();
    assert.equal(storedIn(bench, episode).narrative.state, 'present');
    const other = bench.narrations.comingFor(anEpisode('b'), aCaseFile({ alert }));
    assert.match(other.state === 'absent' ? other.detail : '', /ended before/);
  });

test('Narrations tells a new report of the narrative being written, though no other would get it',
  async () => {
    const bench = aBench();
    const episode = keep(bench, anEpisode('a', 'warning'));
    await settle();
    assert.equal(await bench.asked[0]?.hooks.onPermit?.(90_000), 'granted');
    const labels = { alertname: 'A', severity: 'warning' };
    const caseFile = aCaseFile({ alert: anAlert({ labels }) });
    const other = bench.narrations.comingFor(anEpisode('b', 'warning'), caseFile);
    assert.equal(other.state === 'absent' && other.reason, 'budget');
    const narrative = bench.narrations.comingFor(episode, caseFile);
    assert.deepEqual(narrative, pendingNarrative);
    keep(bench, episode, aReport({ narrative, updated_at: '2026-11-20T01:27:00.000Z' }));
    bench.asked[0]?.end(done(aReport({ narrative: present })));
    await settle();
    assert.equal(storedIn(bench, episode).narrative.state, 'present');
    assert.equal(bench.asked.length, 1);
  });

/** One whose narrative is written, and refused by the disk until `allow` is called. */
async function aRefusedNarrative(): Promise<{
  readonly bench: Bench; readonly episode: Episode; readonly allow: () => void;
}> {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  const store = bench.stored.set.bind(bench.stored);
  bench.stored.set = () => assert.fail('No room');
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  return { bench, episode, allow: () => { bench.stored.set = store; } };
}

function refusalsIn({ logged }: Bench): number {
  return logged.filter((line) => line.includes('Cannot read or store')).length;
}

test('Narrations gives the next report a narrative that the disk refused', async () => {
  const { bench, episode, allow } = await aRefusedNarrative();
  assert.equal(refusalsIn(bench), 1);
  assert.match(bench.narrations.stepOf(episode) ?? '', /not stored yet/);
  allow();
  keep(bench, episode, aReport({ updated_at: '2026-11-20T01:28:00.000Z' }));
  await settle();
  assert.equal(storedIn(bench, episode).narrative.state, 'present');
  assert.equal(bench.asked.length, 1);
});

test('Narrations tries again to store a narrative that the disk refused', async () => {
  const { bench, episode, allow } = await aRefusedNarrative();
  await bench.clock.advance(10_000);
  await settle();
  assert.equal(refusalsIn(bench), 2);
  allow();
  await bench.clock.advance(10_000);
  await settle();
  assert.equal(storedIn(bench, episode).narrative.state, 'present');
  assert.equal(bench.narrations.stepOf(episode), null);
  assert.equal(bench.asked.length, 1);
});

test('Narrations stores again when an analysis ends while it was storing',
  async () => {
    const bench = aBench();
    const episode = keep(bench, anEpisode('a'));
    await settle();
    bench.isIdle = false;
    bench.asked[0]?.end(done(aReport({ narrative: present })));
    bench.narrations.analysed(episode);
    bench.isIdle = true;
    await settle();
    assert.equal(storedIn(bench, episode).narrative.state, 'present');
  });

test('Narrations tells why there is no narrative after an analysis without a new report',
  async () => {
    const bench = aBench();
    const episodes = Array.from({ length: 203 }, (_, n) => anEpisode(`i${n}`, 'info'));
    bench.isIdle = false;
    for (const episode of episodes) keep(bench, episode);
    await settle();
    const leftOut = episodes.at(-1) ?? assert.fail();
    assert.deepEqual(storedIn(bench, leftOut).narrative, pending);
    bench.isIdle = true;
    bench.narrations.analysed(leftOut);
    await settle();
    assert.deepEqual(storedIn(bench, leftOut).narrative, crowdedOut);
  });

test('Narrations ignores a report whose narrative is not pending', async () => {
  const bench = aBench();
  keep(bench, anEpisode('a'), aReport({ narrative: present }));
  await settle();
  assert.equal(bench.asked.length, 0);
});

test('Narrations leaves running narratives pending when it stops', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  const stopped = bench.narrations.stop();
  assert.equal(bench.asked[0]?.hooks.signal?.aborted, true);
  bench.asked[0]?.end({ kind: 'stopped' });
  await stopped;
  const { narrative } = storedIn(bench, episode);
  assert.ok(narrative.state === 'absent' && narrative.reason === 'pending');
});

test('Narrations keeps the gravest where too many wait, and tells the others', async () => {
  const bench = aBench();
  const infos = Array.from({ length: 203 }, (_, n) => keep(bench, anEpisode(`i${n}`, 'info')));
  await settle();
  assert.equal(bench.asked.length, 2);
  const left = infos.filter((episode) => bench.narrations.stepOf(episode) === null);
  assert.deepEqual(left.map(({ fingerprint }) => fingerprint), ['i202']);
  const labels = { alertname: 'A', severity: 'info' };
  const milder = aCaseFile({ alert: anAlert({ labels }) });
  const coming = bench.narrations.comingFor(anEpisode('z'), milder);
  assert.deepEqual(coming, crowdedOut);
  assert.deepEqual(bench.narrations.comingFor(anEpisode('z'), aCaseFile()), pendingNarrative);
  const critical = keep(bench, anEpisode('c'));
  await settle();
  assert.notEqual(bench.narrations.stepOf(critical), null);
  for (const name of ['i201', 'i202']) {
    assert.deepEqual(storedIn(bench, anEpisode(name)).narrative, crowdedOut);
  }
  assert.deepEqual(storedIn(bench, anEpisode('i200')).narrative, pending);
});

test('Narrations keeps the place in a full queue of an alert that is analysed again',
  async () => {
    const bench = aBench();
    const all = Array.from({ length: 202 }, (_, n) => keep(bench, anEpisode(`c${n}`)));
    await settle();
    const first = all[2] ?? assert.fail();
    assert.deepEqual(bench.narrations.comingFor(anEpisode('z'), aCaseFile()), crowdedOut);
    assert.deepEqual(bench.narrations.comingFor(first, aCaseFile()), pendingNarrative);
  });

test('Narrations asks nothing about an alert that ended while it waited', async () => {
  const bench = aBench();
  const episodes = ['a', 'b', 'c'].map((name) => keep(bench, anEpisode(name)));
  await settle();
  const [, , waiting] = episodes;
  assert.ok(waiting !== undefined);
  bench.narrations.newsOf(Object.assign(waiting, { endsAt: '2026-11-20T01:30:00Z' }));
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(bench.asked.length, 2);
});

test('Narrations ignores a report that got a narrative meanwhile', async () => {
  const bench = aBench();
  const episode = keep(bench, anEpisode('a'));
  await settle();
  const other = { ...present, text: 'It was something else.' };
  bench.stored.set('a', JSON.stringify(aReport({ narrative: other })));
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.deepEqual(storedIn(bench, episode).narrative, other);
});

test('Narrations goes on after the thread of the probe has died', async () => {
  const broken = failureOf(new ModelError('no', { type: 'server_error' }));
  const bench = aBench();
  keep(bench, anEpisode('a'));
  await settle();
  const { hooks, end } = bench.asked[0] ?? assert.fail('nothing asked');
  for (let n = 0; n < 5; n += 1) {
    assert.equal(await hooks.onPermit?.(10), 'granted');
    hooks.onSpent?.({ tokens: 0, failure: broken });
  }
  assert.equal(await hooks.onPermit?.(10), 'breaker');
  await bench.clock.advance(60_000);
  assert.equal(await hooks.onPermit?.(10), 'granted', 'one alone');
  end({ kind: 'died', reason: 'memory' });
  await settle();
  const coming = bench.narrations.comingFor(anEpisode('z'), aCaseFile());
  assert.equal(coming.state === 'absent' && coming.reason, 'pending');
});
