import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome, RecordedReport } from '../../../src/analysis/threads/worker-thread.ts';
import { ReceivedAlert } from '../../../src/episodes/received-alert.ts';
import type { Report } from '../../../src/report/report.ts';
import { done, setUpDispatch as setup } from '../../support/dispatch-setup.ts';
import { aCaseFile, investigated } from '../../support/samples/case-files.ts';

/** Ready, and worth another recheck at the time given. */
function doneUntil(recheckAt: number, over: Partial<RecordedReport> = {}): Outcome {
  assert.ok(done.kind === 'done');
  return { kind: 'done', report: { ...done.report, ...over, recheckAt } };
}

/** Awaits answers, after the first notification. */
async function firstReport(): Promise<Report> {
  const unknowns = [
    { is_awaited: true as const, what: 'Questions.', why: 'It was slow.', how_to_get: 'Wait.' },
  ];
  const report = await investigated(aCaseFile());
  return { ...report, unknowns, episode: { ...report.episode, notifications: 1 } };
}

function toldOfAnother({ provenance }: Report): string {
  return provenance.checks.find(({ name }) => name === 'a new analysis')?.why ?? '';
}

const died: Outcome = { kind: 'died', reason: 'memory' };

test('Dispatch rechecks once, when it is told to, at what was told before', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 600_000));
  await s.clock.advance(599_999);
  assert.equal(s.begun.length, 1);
  await s.clock.advance(1);
  assert.deepEqual(s.begun, ['a', 'a']);
  assert.deepEqual(s.told[1]?.alert, s.told[0]?.alert, 'whole, though the episode forgot it');
  assert.deepEqual(s.told[1]?.group, s.told[0]?.group);
  assert.ok(done.kind === 'done');
  const conclusion = { ...done.report.conclusion, headline: 'More is known' };
  const report = { ...done.report, json: '{"by":"second"}', conclusion };
  await s.end({ kind: 'done', report });
  assert.equal(s.reports.get('a/1'), '{"by":"second"}');
  assert.equal(episode.analysis, 'reported');
  assert.equal(episode.conclusion?.headline, 'More is known');
  assert.deepEqual([episode.attempts, episode.attemptsTotal], [0, 1], 'no attempt is charged');
  assert.deepEqual(s.ended, ['ready', 'ready']);
  await s.clock.advance(3_600_000);
  assert.equal(s.begun.length, 2);
});

test('Dispatch does not recheck what had news meanwhile', async () => {
  const s = setup();
  s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 600_000));
  s.tell('a', 'refreshed');
  await s.clock.advance(0);
  await s.end(done);
  assert.equal(s.begun.length, 2);
  await s.clock.advance(600_000);
  assert.equal(s.begun.length, 2);
});

test('Dispatch rechecks for the report that was made last, and for no earlier one', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  const { alert, group, receivedAt } = s.told[0] ?? assert.fail();
  const { fingerprint, number } = episode;
  const told = ReceivedAlert.of({ alert, group }, Date.parse(receivedAt));
  const at = s.clock.now() + 600_000;
  await s.end(doneUntil(at, { failedChecks: 2 }));
  const askAnew = async (sequence: number): Promise<void> => {
    s.book.applyAgain(sequence, { fingerprint, number, told });
    s.dispatch.enqueueAll([episode]);
    await s.clock.advance(0);
  };
  const whole = JSON.stringify(await firstReport());
  await askAnew(100);
  await s.end(doneUntil(at, { json: whole }));
  await s.clock.advance(600_000);
  assert.equal(s.begun.length, 3);
  await s.end(doneUntil(at, { json: '{"by":"less"}', failedChecks: 1 }));
  const kept = JSON.parse(s.reports.get('a/1') ?? 'null') as Report;
  assert.match(toldOfAnother(kept), /^The sources answered fewer questions/);
  await askAnew(101);
  await s.end(doneUntil(s.clock.now() + 600_000));
  await askAnew(102);
  await s.end(done);
  await s.clock.advance(3_600_000);
  assert.equal(s.begun.length, 5, 'the last one asked for no other look');
});

test('Dispatch repeats a recheck that no worker was ready for', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 1_000));
  await s.clock.advance(1_000);
  await s.end({ kind: 'unready' });
  assert.deepEqual([s.begun.length, episode.analysis], [2, 'reported']);
  await s.clock.advance(60_000);
  assert.equal(s.begun.length, 3);
});

for (const ending of [died, { kind: 'failed', message: 'no', isDeadline: false }] as const) {
  test(`Dispatch keeps a report whose recheck ${ending.kind}, and awaits none`, async () => {
    const s = setup();
    const first = await firstReport();
    const episode = s.tell('a');
    await s.clock.advance(0);
    await s.end(doneUntil(s.clock.now() + 1_000, { json: JSON.stringify(first) }));
    await s.clock.advance(1_000);
    await s.end(ending);
    assert.equal(s.begun.length, 2);
    assert.equal(episode.analysis, 'reported');
    const kept = JSON.parse(s.reports.get('a/1') ?? 'null') as Report;
    assert.deepEqual(kept.evidence, JSON.parse(JSON.stringify(first.evidence)));
    assert.deepEqual(kept.unknowns, []);
    assert.match(toldOfAnother(kept), /^It ended without/);
    await s.clock.advance(3_600_000);
    assert.equal(s.begun.length, 2, 'it is not tried again');
  });
}

test('Dispatch makes the first report of a harmless alert before rechecks of grave ones',
  async () => {
    const s = setup({ slots: 1 });
    for (const name of ['a', 'b']) {
      s.tell(name, 'opened', 'critical');
      await s.clock.advance(0);
      await s.end(doneUntil(s.clock.now() + 1_000));
    }
    s.tell('c');
    await s.clock.advance(60_000);
    s.tell('d', 'opened', 'info');
    for (let job = 0; job < 4; job += 1) await s.end(done);
    assert.deepEqual(s.begun, ['a', 'b', 'c', 'd', 'a', 'b']);
  });

test('Dispatch takes no more rechecks at once than there are free slots', async () => {
  const s = setup({ slots: 2 });
  for (const name of ['a', 'b', 'c', 'd']) {
    s.tell(name);
    await s.clock.advance(0);
    await s.end(doneUntil(s.clock.now() + 1_000));
  }
  for (const name of ['x', 'y']) s.tell(name);
  await s.clock.advance(1_000);
  assert.deepEqual(s.begun.slice(4), ['x', 'y'], 'all looks are due and wait');
  await s.end(done);
  assert.deepEqual(s.begun.slice(6), ['a']);
  await s.end(done);
  assert.deepEqual(s.begun.slice(6), ['a', 'b']);
});

test('Dispatch lets news of an alert wait for no recheck of it', async () => {
  const s = setup({ slots: 1 });
  const episode = s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 1_000));
  s.tell('b');
  await s.clock.advance(1_000);
  assert.equal(await s.claims.whileIdle(episode, () => assert.fail('it waits')), false);
  s.tell('a', 'refreshed');
  s.tell('c', 'opened', 'info');
  for (let job = 0; job < 3; job += 1) await s.end(done);
  assert.deepEqual(s.begun, ['a', 'b', 'a', 'c'], 'the look is not wanted any more');
  assert.equal(episode.analysis, 'reported');
  assert.equal(await s.claims.whileIdle(episode, () => Promise.resolve()), true);
});

test('Dispatch takes a recheck again that the disk refused', async () => {
  const s = setup();
  s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 1_000));
  await s.clock.advance(1_000);
  s.disk.reportsFail = true;
  await s.end(done);
  assert.equal(s.dispatch.canStoreReports, false);
  s.disk.reportsFail = false;
  await s.clock.advance(59_000);
  assert.equal(s.begun.length, 2, 'not at once: it asks the sources anew');
  await s.clock.advance(1_000);
  assert.equal(s.begun.length, 3);
  assert.ok(done.kind === 'done');
  await s.end({ kind: 'done', report: { ...done.report, json: '{"by":"second"}' } });
  assert.equal(s.reports.get('a/1'), '{"by":"second"}');
  assert.equal(s.dispatch.canStoreReports, true);
});

test('Dispatch takes no recheck while nothing can be stored', async () => {
  const s = setup();
  s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 1_000));
  s.disk.journalFails = true;
  await s.clock.advance(600_000);
  assert.equal(s.begun.length, 1, 'no source is asked');
  s.disk.journalFails = false;
  await s.clock.advance(60_000);
  assert.equal(s.begun.length, 2);
  await s.end(done);
  await s.clock.advance(600_000);
  assert.equal(s.begun.length, 2);
});

test('Dispatch does not loop when the existing report cannot be read', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 1_000));
  s.disk.readsFail = true;
  await s.clock.advance(1_000);
  await s.end(died);
  assert.equal(s.reports.get('a/1'), '{"by":"worker"}', 'of a second look nothing is said then');
  s.tell('a', 'refreshed');
  await s.clock.advance(0);
  await s.end({ kind: 'failed', message: 'no', isDeadline: true });
  await s.clock.advance(4_000);
  assert.equal((JSON.parse(s.reports.get('a/1') ?? 'null') as Report).status, 'failed');
  assert.equal(episode.analysis, 'failed');
  await s.clock.advance(3_600_000);
  assert.equal(s.begun.length, 3);
  const told = s.logged.filter((line) => line === 'Cannot read the stored report');
  assert.equal(told.length, 2);
});

test('Dispatch keeps a report that knows more than a recheck, and says so', async () => {
  const s = setup();
  const first = await firstReport();
  const recording = Promise.resolve(new Uint8Array());
  const episode = s.tell('a');
  await s.clock.advance(0);
  assert.ok(done.kind === 'done');
  const at = s.clock.now() + 1_000;
  await s.end(doneUntil(at, { json: JSON.stringify(first), recording }));
  await s.clock.advance(1_000);
  const less = { ...done.report, json: '{"by":"second"}', failedChecks: 1 };
  await s.end({ kind: 'done', report: { ...less, recheckAt: at + 1_000 } });
  const kept = JSON.parse(s.reports.get('a/1') ?? 'null') as Report;
  assert.deepEqual(kept.evidence, JSON.parse(JSON.stringify(first.evidence)));
  assert.deepEqual(kept.unknowns, [], 'it is not awaited any more');
  assert.match(toldOfAnother(kept), /^The sources answered fewer questions/);
  assert.equal(s.recordings.get('a/1'), recording, 'its recording stays');
  assert.equal(episode.analysis, 'reported');
  await s.clock.advance(1_000);
  assert.equal(s.begun.length, 3, 'it is tried once more');
  await s.end(done);
  assert.equal(s.reports.get('a/1'), '{"by":"worker"}');
});

test('Dispatch ignores a forgotten episode, and a new one with its number', async () => {
  for (const isRunning of [false, true]) {
    const s = setup();
    const episode = s.tell('a');
    await s.clock.advance(0);
    await s.end(doneUntil(s.clock.now() + 1_000));
    if (isRunning) await s.clock.advance(1_000);
    s.book.applyForget(100, { fingerprint: episode.fingerprint, number: 1 });
    s.reports.delete('a/1');
    if (!isRunning) await s.clock.advance(1_000);
    assert.equal(s.begun.length, isRunning ? 2 : 1);
    assert.ok(done.kind === 'done');
    if (isRunning) await s.end({ kind: 'done', report: { ...done.report, json: '{"old":1}' } });
    assert.equal(s.reports.size, 0);
    const next = s.tell('a');
    assert.notEqual(next, episode);
    await s.clock.advance(0);
    await s.end(done);
    assert.equal(s.reports.get('a/1'), '{"by":"worker"}');
    assert.equal(next.analysis, 'reported');
  }
});

test('Dispatch does not loop when an episode is forgotten while news comes', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  await s.end(done);
  s.tell('a', 'refreshed');
  s.book.applyForget(100, { fingerprint: episode.fingerprint, number: 1 });
  await s.clock.advance(0);
  assert.equal(s.begun.length, 2, 'the news is analysed');
  await s.end(done);
  assert.equal(episode.analysis, 'reported');
  s.book.applyForget(101, { fingerprint: episode.fingerprint, number: 1 });
  Object.assign(episode, { analysis: 'queued' });
  s.dispatch.enqueueAll([episode]);
  await s.clock.advance(0);
  assert.equal(s.begun.length, 2);
});

test('Dispatch rechecks a second time where the recheck asks for it', async () => {
  const s = setup();
  s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 1_000));
  await s.clock.advance(1_000);
  await s.end(doneUntil(s.clock.now() + 1_000));
  await s.clock.advance(1_000);
  assert.equal(s.begun.length, 3);
});

test('Dispatch stores news that came during a recheck, and not the recheck', async () => {
  const s = setup();
  const episode = s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 1_000));
  await s.clock.advance(1_000);
  s.tell('a', 'refreshed');
  await s.clock.advance(0);
  assert.equal(s.begun.length, 2);
  assert.ok(done.kind === 'done');
  await s.end({ kind: 'done', report: { ...done.report, json: '{"by":"second"}' } });
  assert.equal(s.reports.get('a/1'), '{"by":"worker"}');
  assert.equal(s.begun.length, 3);
  await s.end(done);
  assert.equal(episode.analysis, 'reported');
});

test('Dispatch takes a recheck that is due while something is stored over the report',
  async () => {
    const s = setup();
    const episode = s.tell('a');
    await s.clock.advance(0);
    await s.end(doneUntil(s.clock.now() + 600_000));
    let release = (): void => {};
    const held = s.claims.whileIdle(episode, () => new Promise((resolve) => (release = resolve)));
    await s.clock.advance(600_000);
    assert.equal(s.begun.length, 1);
    release();
    await held;
    await s.clock.advance(5_000);
    assert.deepEqual(s.begun, ['a', 'a']);
  });

test('Dispatch.stop() forgets rechecks', async () => {
  const s = setup();
  s.tell('a');
  await s.clock.advance(0);
  await s.end(doneUntil(s.clock.now() + 1_000));
  await s.dispatch.stop();
  await s.clock.advance(1_000);
  assert.equal(s.begun.length, 1);
});
