import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { NarrationJob } from '../../src/analysis/worker-messages.ts';
import type { Outcome, TaskHooks } from '../../src/analysis/worker-pool.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import type { OutcomeRecord } from '../../src/episodes/records.ts';
import { nodeFileSystem } from '../../src/lib/file-system.ts';
import { Breaker } from '../../src/narration/breaker.ts';
import { Narrations } from '../../src/narration/narrations.ts';
import { TokenBudget } from '../../src/narration/token-budget.ts';
import type { Narrative, Report } from '../../src/report/report.ts';
import { anAlert } from '../support/alerts.ts';
import { aCaseFile } from '../support/case-files.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { sampleNow, sampleReport } from '../support/sample-report.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Asked {
  readonly job: NarrationJob;
  readonly hooks: TaskHooks;
  readonly end: (outcome: Outcome) => void;
}

interface Bench {
  readonly narrations: Narrations;
  readonly stored: Map<string, string>;
  readonly asked: Asked[];
  readonly outcomes: OutcomeRecord[];
  readonly ended: Narrative[];
  readonly clock: ManualClock;
  isIdle: boolean;
  isReady: boolean;
  changes: number;
}

const pending: Narrative = { state: 'absent', reason: 'pending', detail: 'soon' };
const present: Narrative = {
  state: 'present', text: 'All is well.', claims: [], suspicious_content: false, model: 'm',
  tokens: 10, cost: null, duration_ms: 1, written_at: new Date(sampleNow).toISOString(),
};

async function aBench(t: TestContext): Promise<Bench> {
  const clock = new ManualClock(sampleNow);
  const budget = await TokenBudget.open({
    path: join(await temporaryDirectory(t), 'budget.json'), files: nodeFileSystem, clock,
    tokensPerDay: 100_000, onTrouble: (error) => assert.fail(String(error)),
  });
  const bench: Bench = {
    clock, stored: new Map(), asked: [], outcomes: [], ended: [], isIdle: true,
    isReady: true, changes: 0,
    narrations: new Narrations({
      clock, budget, breaker: new Breaker(clock), log: silentLog,
      freshMs: 3_600_000, grant: { tokens: 50_000, prices: null },
      narrate: (job, hooks) => new Promise((end) => bench.asked.push({ job, hooks, end })),
      isReady: () => bench.isReady,
      caseFileOf: ({ severity }) => aCaseFile({
        alert: anAlert({ labels: { alertname: 'A', severity } }),
      }),
      readReport: (fingerprint) => Promise.resolve(bench.stored.get(fingerprint) ?? null),
      writeReport: ({ fingerprint }, json) => {
        bench.stored.set(fingerprint, json);
        return Promise.resolve();
      },
      recordOutcome: (outcome) => {
        bench.outcomes.push(outcome);
        return Promise.resolve();
      },
      whileIdle: async (_episode, store) => {
        if (bench.isIdle) await store();
        return bench.isIdle;
      },
      onChange: () => (bench.changes += 1),
      onEnd: (narrative) => bench.ended.push(narrative),
    }),
  };
  return bench;
}

function anEpisode(fingerprint: string, severity: Episode['severity'] = 'critical'): Episode {
  return {
    fingerprint: fingerprint as Episode['fingerprint'], number: 1, name: 'A', namespace: null,
    severity, startsAt: '2026-11-20T01:00:00Z', endsAt: null, notifications: 1,
    analysis: 'reported', attempts: 0, attemptsTotal: 1, conclusion: null, latest: null,
    identity: null, incident: null, feedback: [],
  };
}

function aReport(over: Partial<Report> = {}): Report {
  return { ...sampleReport(), narrative: pending, ...over };
}

function keep(bench: Bench, episode: Episode, report: Report = aReport()): Episode {
  bench.stored.set(episode.fingerprint, JSON.stringify(report));
  bench.narrations.add(episode);
  return episode;
}

async function settle(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await new Promise(setImmediate);
}

function done(report: Report): Outcome {
  return {
    kind: 'done',
    report: {
      json: JSON.stringify(report), status: 'ready', classification: 'actionable',
      certainty: report.verdict.certainty, headline: '', lookAgainAt: null, recording: null,
      failedChecks: 0,
    },
  };
}

function storedIn(bench: Bench, { fingerprint }: Episode): Report {
  return JSON.parse(bench.stored.get(fingerprint) ?? 'null') as Report;
}

test('Narrations asks about two alerts at a time, the worst first', async (t) => {
  const bench = await aBench(t);
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

test('Narrations records an outcome only when the verdict has changed', async (t) => {
  const bench = await aBench(t);
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

test('Narrations tells how far a model is', async (t) => {
  const bench = await aBench(t);
  const episode = keep(bench, anEpisode('a'));
  await settle();
  const before = bench.narrations.revisionOf(episode);
  bench.asked[0]?.hooks.onProgress({ step: 'The model looks', done: 0, of: 1 });
  assert.equal(bench.narrations.stepOf(episode), 'The model looks.');
  assert.ok(bench.narrations.revisionOf(episode) > before);
});

test('Narrations breaks off what is written of an alert that has ended', async (t) => {
  const bench = await aBench(t);
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

test('Narrations says in the report that a narration failed', async (t) => {
  const bench = await aBench(t);
  const episode = keep(bench, anEpisode('a'));
  await settle();
  bench.asked[0]?.end({ kind: 'failed', message: 'x', isDeadline: false });
  await settle();
  const { narrative } = storedIn(bench, episode);
  assert.ok(narrative.state === 'absent' && narrative.reason === 'failed');
});

test('Narrations asks once more, and alone, about those whose thread died', async (t) => {
  const bench = await aBench(t);
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

test('Narrations leaves all waiting while no thread is there', async (t) => {
  const bench = await aBench(t);
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

test('Narrations gives a report that came meanwhile what was written before', async (t) => {
  const bench = await aBench(t);
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

test('Narrations keeps what was written while the episode was analysed again', async (t) => {
  const bench = await aBench(t);
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

test('Narrations leaves a report alone whose narrative is not pending', async (t) => {
  const bench = await aBench(t);
  keep(bench, anEpisode('a'), aReport({ narrative: present }));
  await settle();
  assert.equal(bench.asked.length, 0);
});

test('Narrations that stops leaves what is under way pending', async (t) => {
  const bench = await aBench(t);
  const episode = keep(bench, anEpisode('a'));
  await settle();
  const stopped = bench.narrations.stop();
  assert.equal(bench.asked[0]?.hooks.signal?.aborted, true);
  bench.asked[0]?.end({ kind: 'stopped' });
  await stopped;
  const { narrative } = storedIn(bench, episode);
  assert.ok(narrative.state === 'absent' && narrative.reason === 'pending');
});

test('Narrations refuses more alerts than it may have waiting, and none that waited', async (t) => {
  const bench = await aBench(t);
  for (let n = 0; n < 210; n += 1) keep(bench, anEpisode(`e${n}`));
  const caseFile = aCaseFile();
  const coming = bench.narrations.comingFor(caseFile);
  assert.ok(coming.state === 'absent' && coming.reason === 'storm');
  await settle();
  assert.equal(bench.asked.length, 2);
  const reasons = [...bench.stored.values()].map((json) => {
    const { narrative } = JSON.parse(json) as Report;
    return narrative.state === 'absent' ? narrative.reason : 'present';
  });
  assert.deepEqual(new Set(reasons), new Set(['pending']));
});

test('Narrations asks nothing about an alert that ended while it waited', async (t) => {
  const bench = await aBench(t);
  const episodes = ['a', 'b', 'c'].map((name) => keep(bench, anEpisode(name)));
  await settle();
  const [, , waiting] = episodes;
  assert.ok(waiting !== undefined);
  bench.narrations.newsOf(Object.assign(waiting, { endsAt: '2026-11-20T01:30:00Z' }));
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.equal(bench.asked.length, 2);
});

test('Narrations leaves a report alone that was given a narrative meanwhile', async (t) => {
  const bench = await aBench(t);
  const episode = keep(bench, anEpisode('a'));
  await settle();
  const other = { ...present, text: 'It was something else.' };
  bench.stored.set('a', JSON.stringify(aReport({ narrative: other })));
  bench.asked[0]?.end(done(aReport({ narrative: present })));
  await settle();
  assert.deepEqual(storedIn(bench, episode).narrative, other);
});

test('Narrations goes on asking after one died whose request was the probe', async (t) => {
  const bench = await aBench(t);
  keep(bench, anEpisode('a'));
  await settle();
  const { hooks, end } = bench.asked[0] ?? assert.fail('nothing asked');
  for (let n = 0; n < 5; n += 1) {
    assert.equal(await hooks.onPermit?.(10), 'granted');
    hooks.onSpent?.({ tokens: 0, failure: 'retryable' });
  }
  assert.equal(await hooks.onPermit?.(10), 'breaker');
  await bench.clock.advance(60_000);
  assert.equal(await hooks.onPermit?.(10), 'granted', 'one alone');
  end({ kind: 'died', reason: 'memory' });
  await settle();
  const coming = bench.narrations.comingFor(aCaseFile());
  assert.equal(coming.state === 'absent' && coming.reason, 'pending');
});
