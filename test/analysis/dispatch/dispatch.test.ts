import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../../src/analysis/threads/worker-thread.ts';
import { caseFileOf } from '../../../src/episodes/case-file-of.ts';
import { conclusionOf } from '../../../src/episodes/conclusion.ts';
import { ReceivedAlert } from '../../../src/episodes/received-alert.ts';
import { newReport } from '../../../src/report/new-report.ts';
import type { Certainty, Report } from '../../../src/report/report.ts';
import { done, setUpDispatch as setup, type DispatchSetup } from '../../support/dispatch-setup.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

const died: Outcome = { kind: 'died', reason: 'memory' };

function stored(s: DispatchSetup, name: string): Report {
  return JSON.parse(s.reports.get(`${name}/1`) ?? 'null') as Report;
}

test('Dispatch hands over the recording of a report, and none for that of a failure', async () => {
  const { dispatch, recordings, tell, end } = setup();
  const recording = Promise.resolve(Buffer.from('recording'));
  assert.ok(done.kind === 'done');
  dispatch.enqueueAll(['a', 'b'].map((name) => tell(name)));
  await new Promise(setImmediate);
  await end({ kind: 'done', report: { ...done.report, recording } });
  await end({ kind: 'failed', message: 'no', isDeadline: false });
  const kept = [...recordings.entries()];
  assert.deepEqual(kept.map(([, coming]) => coming), [recording, null]);
  await dispatch.stop();
});

test('Dispatch tells of an ended alert what was established while it fired', async () => {
  const hypothesis = {
    cause: 'The disk is full', mechanism: null, for: [{ text: 'It is full.', evidence: ['E1'] }],
    against: [], test: null,
  };
  const jsonOf = (certainty: Certainty, ...evidence: unknown[]): string =>
    JSON.stringify({
      ...sampleReport(), updated_at: 'then', hypotheses: [{ ...hypothesis, certainty }], evidence,
    });
  const json = jsonOf('confirmed');
  const toldAfter = async (
    certainty: Certainty, kind: 'refreshed' | 'resolved', text = json,
  ): Promise<unknown> => {
    const s = setup();
    s.tell('a');
    await s.clock.advance(0);
    assert.ok(done.kind === 'done');
    const conclusion = { ...done.report.conclusion, certainty };
    await s.end({ kind: 'done', report: { ...done.report, json: text, conclusion } });
    s.tell('a', kind);
    await s.clock.advance(0);
    assert.equal(s.told.length, 2);
    return s.told[1]?.foundBefore;
  };
  assert.deepEqual(await toldAfter('confirmed', 'resolved'), {
    at: 'then', cause: 'The disk is full', mechanism: null, certainty: 'confirmed',
    statements: ['It is full.'],
  });
  assert.equal(await toldAfter('confirmed', 'refreshed'), null);
  assert.equal(await toldAfter('possible', 'resolved', jsonOf('possible')), null);
  const open = jsonOf('possible', { id: 'E1', kind: 'related', title: '' });
  assert.ok(await toldAfter('possible', 'resolved', open), 'an alert that was open');
  assert.ok(await toldAfter('possible', 'refreshed', open), 'which may have ended meanwhile');
  assert.equal(await toldAfter('possible', 'refreshed', jsonOf('possible')), null);
  assert.equal(await toldAfter('inconclusive', 'resolved', jsonOf('inconclusive')), null);
  assert.equal(await toldAfter('confirmed', 'resolved', 'not JSON'), null);
});

test('Dispatch tells of an ended alert what it said while it fired', async () => {
  const s = setup();
  s.tell('a');
  await s.clock.advance(0);
  assert.ok(done.kind === 'done');
  const sent = { id: 'E4', kind: 'alert', role: 'sent_values', data: { values: { B: '2.41' } } };
  const sample = sampleReport();
  const generatorURL = 'http://prometheus/graph?g0.expr=lag+%3E+50000';
  const alert = { ...sample.alert, generatorURL };
  const json = JSON.stringify({ ...sample, alert, evidence: [sent] });
  await s.end({ kind: 'done', report: { ...done.report, json } });
  s.tell('a', 'resolved');
  await s.clock.advance(0);
  const [, ended] = s.told;
  assert.equal(ended?.alert.status, 'resolved');
  assert.deepEqual(ended.alert.values, { B: '2.41' });
  assert.equal(ended.alert.generatorURL, generatorURL);
});

test('Dispatch stores the report, then its outcome', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  assert.equal(episode.analysis, 'running');
  assert.equal(s.dispatch.progressOf(episode)?.step, 'Starting');
  await s.end(done);
  assert.equal(s.reports.get('a/1'), '{"by":"worker"}');
  assert.equal(episode.analysis, 'reported');
  assert.equal(episode.conclusion?.headline, 'CPU is high');
  assert.equal(s.dispatch.progressOf(episode), null);
  assert.deepEqual(s.ended, ['ready']);
  assert.deepEqual(s.changes, [null, 'Starting', null], 'told when it came, began and ended');
});

test('Dispatch takes no more than the free slots', async () => {
  const s = setup({ slots: 2 });
  for (const name of ['a', 'b', 'c']) s.tell(name);
  await s.clock.advance(0);
  assert.deepEqual(s.begun, ['a', 'b']);
  await s.end(done);
  assert.deepEqual(s.begun, ['a', 'b', 'c']);
});

test('Dispatch analyses an episode once at a time, and again after news', async () => {
  const s = setup();
  const episode = s.tell('a');
  s.tell('a', 'refreshed');
  await s.clock.advance(0);
  s.tell('a', 'refreshed');
  await s.clock.advance(0);
  assert.deepEqual(s.begun, ['a']);
  await s.end(done);
  assert.deepEqual(s.begun, ['a', 'a'], 'what it was told while it ran is still to be looked at');
  await s.end(done);
  assert.equal(episode.analysis, 'reported');
  assert.deepEqual(s.begun, ['a', 'a']);
});

test('Dispatch quarantines an alert whose worker died at every attempt', async () => {
  const s = setup();
  const episode = s.tell('poison');
  await s.clock.advance(0);
  for (let attempt = 1; attempt <= 3; attempt++) {
    assert.equal(s.begun.length, attempt);
    await s.end(died);
  }
  assert.equal(episode.analysis, 'quarantined');
  assert.equal(s.begun.length, 3);
  const report = stored(s, 'poison');
  assert.equal(report.status, 'failed');
  assert.equal(report.alert.name, 'HighCPU');
  assert.deepEqual(s.ended, ['quarantined']);
  s.tell('poison', 'refreshed');
  await s.clock.advance(0);
  assert.equal(s.begun.length, 3, 'it is not tried again');
  assert.equal(episode.analysis, 'quarantined');
});

test('Dispatch charges no attempt for a worker that was never ready, however often', async () => {
  const s = setup();
  const episode = s.tell('innocent');
  await s.clock.advance(0);
  for (let attempt = 1; attempt <= 5; attempt++) {
    assert.equal(s.begun.length, attempt);
    await s.end({ kind: 'unready' });
  }
  assert.deepEqual([episode.analysis, episode.attempts, s.ended], ['running', 1, []]);
  await s.end(done);
  assert.equal(episode.analysis, 'reported');
  assert.deepEqual(s.ended, ['ready']);
});

test('Dispatch runs an alert whose worker died alone, and charges no other', async () => {
  const s = setup();
  s.tell('poison');
  const other = s.tell('innocent');
  await s.clock.advance(0);
  await s.end(died);
  await s.end(died);
  assert.deepEqual(s.begun, ['poison', 'innocent', 'poison']);
  await s.end(died);
  await s.end(done);
  assert.equal(other.analysis, 'reported');
});

const failures: readonly [string, Outcome, RegExp][] = [
  [
    'says that it took too long',
    { kind: 'failed', message: 'deadline', isDeadline: true },
    /longer than allowed/,
  ],
  [
    'says that it failed, without the details',
    { kind: 'failed', message: 'TypeError: secret', isDeadline: false },
    /internal error/,
  ],
];
for (const [name, outcome, expected] of failures) {
  test(`Dispatch stores a readable report that ${name}`, async () => {
    const s = setup();
    const episode = s.tell('a');
    await s.clock.advance(0);
    await s.end(outcome);
    assert.equal(episode.analysis, 'failed');
    const text = s.reports.get('a/1') ?? '';
    assert.match(text, expected);
    assert.doesNotMatch(text, /secret/);
    assert.deepEqual(s.ended, ['failed']);
  });
}

const failing = [
  ['when one that was asked for fails', false],
  ['also where it cannot be read at that moment', true],
] as const;
for (const [when, isUnreadable] of failing) {
  test(`Dispatch keeps the good report that is there ${when}`, async () => {
    const s = setup();
    const episode = s.tell('a');
    await s.clock.advance(0);
    const { alert, group, receivedAt } = s.told[0] ?? assert.fail();
    const now = s.clock.now();
    const caseFile = caseFileOf(s.book, episode, { reportBase: 'http://localhost', now: 0 });
    const good = newReport(caseFile, {
      status: 'ready', now, version: '1.0.0',
    });
    assert.ok(done.kind === 'done');
    await s.end({ kind: 'done', report: { ...done.report, json: JSON.stringify(good) } });
    const told = ReceivedAlert.of({ alert, group }, Date.parse(receivedAt));
    s.book.applyAgain(100, { fingerprint: episode.fingerprint, number: 1, told });
    s.dispatch.enqueueAll([episode]);
    await s.clock.advance(0);
    assert.deepEqual(s.told[1]?.alert, alert);
    s.disk.readsFail = isUnreadable;
    await s.end({ kind: 'failed', message: 'deadline', isDeadline: true });
    s.disk.readsFail = false;
    await s.clock.advance(1_000);
    assert.equal(episode.analysis, 'reported');
    assert.deepEqual(episode.conclusion, conclusionOf(good));
    const kept = stored(s, 'a');
    assert.equal(kept.status, 'ready');
    assert.match(kept.provenance.checks[0]?.why ?? '', /longer than allowed/);
  });
}

test('Dispatch analyses anew what the disk refuses, after a pause, and counts no attempt',
  async () => {
    const s = setup({ slots: 1 });
    const episode = s.tell('a');
    s.disk.reportsFail = true;
    await s.clock.advance(0);
    for (let analysis = 1; analysis <= 4; analysis++) {
      assert.equal(s.begun.length, analysis);
      await s.end(done);
      assert.deepEqual([episode.analysis, episode.attempts], ['queued', 0]);
      assert.equal(s.dispatch.canStoreReports, false);
      await s.clock.advance(4_999);
      assert.equal(s.begun.length, analysis, 'the sources are not asked all the time');
      await s.clock.advance(1);
    }
    s.tell('b');
    s.disk.reportsFail = false;
    await s.end(done);
    await s.end(done);
    assert.deepEqual([episode.analysis, episode.attempts], ['reported', 0]);
    assert.deepEqual([...s.reports.keys()], ['a/1', 'b/1']);
    assert.equal(s.dispatch.canStoreReports, true);
    const refused = 'Cannot store an analysis; trying again';
    assert.deepEqual(s.logged, [refused, 'Analyses can be stored again'], 'and floods no log');
  });

test('Dispatch charges nobody for a journal that fails amid an analysis, however often',
  async () => {
    const s = setup();
    const episode = s.tell('a');
    for (let outage = 0; outage < 5; outage += 1) {
      await s.clock.advance(5_000);
      assert.equal(s.begun.length, outage + 1);
      s.disk.journalFails = true;
      await s.end(done);
      await s.clock.advance(15_000);
      s.disk.journalFails = false;
    }
    await s.clock.advance(5_000);
    await s.end(done);
    assert.deepEqual([episode.analysis, episode.attempts], ['reported', 0]);
    assert.equal(episode.attemptsTotal, 6);
  });

test('Dispatch makes the first report of an alert before a newer one of another', async () => {
  const s = setup({ slots: 1 });
  s.tell('a');
  await s.clock.advance(0);
  await s.end(done);
  s.tell('b');
  await s.clock.advance(0);
  s.tell('a', 'refreshed');
  s.tell('c');
  await s.end(done);
  await s.end(done);
  assert.deepEqual(s.begun, ['a', 'b', 'c', 'a']);
});

test('Dispatch begins no attempt that it cannot journal', async () => {
  const s = setup();
  s.disk.journalFails = true;
  s.tell('a');
  await s.clock.advance(0);
  assert.deepEqual(s.begun, []);
  s.disk.journalFails = false;
  await s.clock.advance(5_000);
  assert.deepEqual(s.begun, ['a']);
});

test('Dispatch.stop() gives back analyses without counting the attempt', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  const stopped = s.dispatch.stop();
  await s.end({ kind: 'stopped' });
  await stopped;
  assert.equal(episode.analysis, 'queued');
  assert.equal(episode.attempts, 0);
  assert.deepEqual(s.begun, ['a']);
  assert.deepEqual(s.ended, []);
});

test('Dispatch.stop() gives back analyses even if that cannot be journalled', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  s.disk.journalFails = true;
  const stopped = s.dispatch.stop();
  await s.end({ kind: 'stopped' });
  await stopped;
  assert.equal(episode.analysis, 'queued');
});

test('Dispatch lets nothing begin on an episode while something is stored over its report',
  async () => {
    const s = setup();
    const episode = s.tell('a');
    await s.clock.advance(0);
    assert.equal(await s.claims.whileIdle(episode, () => assert.fail('is running')), false);
    await s.end(done);
    let release = (): void => {};
    const held = s.claims.whileIdle(episode, () => new Promise((resolve) => (release = resolve)));
    s.tell('a', 'refreshed');
    await s.clock.advance(0);
    assert.deepEqual(s.begun, ['a']);
    release();
    assert.equal(await held, true);
    await s.clock.advance(0);
    assert.deepEqual(s.begun, ['a', 'a']);
    await s.end(done);
    await s.dispatch.stop();
    assert.equal(await s.claims.whileIdle(episode, () => assert.fail('it stops')), false);
  });
