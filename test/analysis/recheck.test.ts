import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitedAnswers, recheckAt } from '../../src/analysis/awaited-answers.ts';
import { Rechecks, rechecksMax } from '../../src/analysis/dispatch/rechecks.ts';
import { newEpisode } from '../../src/episodes/book/new-episode.ts';
import { changeOf } from '../../src/episodes/records.ts';
import { Ledger } from '../../src/evidence/ledger.ts';
import type { ChangeAtEnd } from '../../src/evidence/metric-facts.ts';
import { noFacts, type SourceFacts } from '../../src/evidence/source-facts.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { someLogFacts } from '../support/samples/log-facts.ts';
import { latencyCase, someFacts } from '../support/samples/metric-facts.ts';

const minute = 60_000;
const end = Date.parse('2026-11-20T10:20:00Z');
const endsAt = new Date(end).toISOString();
const { alert, episode } = latencyCase();
const ended = latencyCase({
  alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
});

const explained = (now: number): Parameters<typeof recheckAt>[2] => ({ now, isExplained: true });

const rows: readonly (readonly [ChangeAtEnd['state'], minutes: number, expected: number | null])[] =
  [['unsettled', 1, end + 5 * minute], ['unsettled', 5, null], ['unsettled', 30, null],
    ['back', 1, null], ['changed', 1, null], ['partly', 1, null], ['unseen', 1, null]];
for (const [state, minutes, expected] of rows) {
  const then = expected === null ? 'does not look again' : 'looks again';
  test(`recheckAt ${then} ${minutes} min after an end at which a change is ${state}`, () => {
    const metrics = someFacts(new Ledger(), {
      atEnd: { settled: { state: 'back' }, a: { state } },
    });
    const shown = { ...noFacts, metrics };
    assert.equal(recheckAt(ended, shown, explained(end + minutes * minute)), expected);
  });
}

test('recheckAt looks again after an end if it is too early to test causes again', () => {
  const due = (answersAtEnd: null | undefined): number | null => {
    const metrics = someFacts(new Ledger(), { ...(answersAtEnd === null && { answersAtEnd }) });
    return recheckAt(ended, { ...noFacts, metrics }, explained(end + minute));
  };
  assert.equal(due(null), end + 5 * minute);
  assert.equal(due(undefined), null);
});

const start = Date.parse(latencyCase().alert.startsAt ?? '');
const answered = { ...noFacts, metrics: someFacts(new Ledger()), logs: someLogFacts() };

/** Minutes after the start: when the report is made, and when the next one is due. */
const firing: readonly (readonly [made: number, due: number | null, dueWhenSlow?: number])[] = [
  [0, 5, 2], [1, 5, 2], [2, 5], [5, 10], [9, 10], [10, 20], [60, 80], [1279, 1280], [1280, null],
  [-5, 5, 2], [-60, null],
];
for (const [made, due, dueWhenSlow = due] of firing) {
  test(`a report made ${made} min after the start of an alert is made again at ${due}`, () => {
    const again = (shown: Parameters<typeof recheckAt>[1]): number | null => {
      const at = recheckAt(latencyCase(), shown, explained(start + made * minute));
      return at === null ? null : (at - start) / minute;
    };
    const source = { mayAnswerLater: true };
    assert.equal(again(answered), due);
    assert.equal(again({ ...noFacts, logs: someLogFacts() }), due);
    assert.equal(again({ ...answered, metrics: someFacts(new Ledger(), { source }) }), dueWhenSlow);
    assert.equal(again({ ...answered, logs: someLogFacts({ source }) }), dueWhenSlow);
    assert.equal(again(noFacts), null, 'nobody was asked');
  });
}

/** Seconds after the start: when a report that explains nothing is made, and the next one. */
for (const [made, due] of [[3, 30], [21, 60], [31, 60], [62, 120], [119, 300], [301, 600]]) {
  test(`a report that explains nothing, made ${made} s after the start, is made again at ${due}`,
    () => {
      const metrics = someFacts(new Ledger());
      const window = { ...metrics.window, onMs: start - 15_000 };
      const shown = { ...noFacts, metrics: { ...metrics, window } };
      const now = start + (made ?? 0) * 1000;
      const of = (...[caseFile, facts, isExplained]: [CaseFile, SourceFacts, boolean]) =>
        ((recheckAt(caseFile, facts, { now, isExplained }) ?? 0) - start) / 1000;
      assert.equal(of(latencyCase(), shown, false), due);
      const usual = now < start + 5 * minute ? 300 : 600;
      assert.equal(of(latencyCase(), shown, true), usual, 'it is explained');
      const storm = { size: 12, representative: null };
      assert.equal(of(latencyCase({ storm }), shown, false), usual, 'a storm');
      const old = { ...window, onMs: start - 10 * minute };
      assert.equal(of(latencyCase(), { ...shown, metrics: { ...metrics, window: old } }, false),
        usual, 'the problem is older than its alert');
    });
}

test('awaitedAnswers tells when a slow source is asked again, and nothing of other looks', () => {
  const now = start + minute;
  const others = { ...noFacts, now };
  const slow = someFacts(new Ledger(), { source: { mayAnswerLater: true } });
  const [awaited] = awaitedAnswers(start + 2 * minute, { ...others, metrics: slow });
  assert.match(awaited?.how_to_get ?? '', /^Wait for the next query at \d\d:\d\d UTC; an open/);
  for (const metrics of [someFacts(new Ledger()), null]) {
    assert.deepEqual(awaitedAnswers(start + 10 * minute, { ...others, metrics }), []);
  }
  assert.deepEqual(awaitedAnswers(null, { ...others, metrics: slow }), []);
  const logs = someLogFacts({ source: { mayAnswerLater: true } });
  const { source } = logs;
  const alertmanager = { source, findings: [], isGroupListed: false, others: [], inhibitors: [] };
  const facts = { ...others, metrics: slow, logs };
  const [all] = awaitedAnswers(start + 2 * minute, { ...facts, alertmanager });
  assert.match(all?.why ?? '', /: Prometheus, Loki and Alertmanager\.$/);
  const [both] = awaitedAnswers(start + 2 * minute, facts);
  assert.match(both?.why ?? '', /: Prometheus and Loki\.$/);
});

test('recheckAt asks again where a source was slow as the alert ended', () => {
  const facts = someFacts(new Ledger(), { source: { mayAnswerLater: true } });
  const shown = { ...noFacts, metrics: facts };
  assert.equal(recheckAt(ended, shown, explained(end + minute)), end + 5 * minute);
});

test('recheckAt has no reason to look again where nothing had changed', () => {
  const metrics = someFacts(new Ledger());
  const shown = { ...noFacts, metrics, logs: someLogFacts() };
  assert.equal(recheckAt(ended, shown, explained(end + minute)), null);
  const nobody = { ...shown, metrics: null, logs: null };
  assert.equal(recheckAt(ended, nobody, explained(end + minute)), null);
});

/** An episode that has its report, and what that was told of it. */
function aLook(now: number): Parameters<Rechecks['add']> {
  const { alert: told, group } = latencyCase();
  const accepted = { fingerprint: told.fingerprint, kind: 'opened', number: 1, index: 0 } as const;
  const first = { labels: told.labels, change: changeOf(told), at: now };
  const reported = { ...newEpisode(accepted, first), analysis: 'reported' } as const;
  const receivedAt = new Date(now).toISOString();
  const toldAlert = { alert: told, group, receivedAt, revision: 1, failedChecks: 0 };
  return [reported, toldAlert, now + 70 * 60 * minute];
}

test('Rechecks waits hours, even where a clock that was set back says days', async () => {
  const clock = new ManualClock(Date.parse('2026-11-20T10:00:00Z'));
  let due = 0;
  const looks = new Rechecks({ clock, onDue: () => (due += 1) });
  looks.add(...aLook(clock.now()));
  await clock.advance(12 * 60 * minute);
  assert.equal(due, 1);
});

test('Rechecks gives up those that are due last when there are too many', async () => {
  const clock = new ManualClock(Date.parse('2026-11-20T10:00:00Z'));
  let due = 0;
  const looks = new Rechecks({ clock, onDue: () => (due += 1) });
  const add = (minutes: number): void => {
    const [episode, told] = aLook(clock.now());
    looks.add(episode, told, clock.now() + minutes * minute);
  };
  for (let i = 0; i < rechecksMax - 1; i += 1) add(10);
  add(20);
  add(5);
  add(15);
  await clock.advance(6 * minute);
  assert.equal(due, 1, 'it took the place of the one due last');
  await clock.advance(30 * minute);
  assert.equal(due, rechecksMax, 'there was no place for a later one');
});

test('Rechecks waits for many without Node warning of a leak', async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): unknown => warnings.push(name);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const looks = new Rechecks({ clock: systemClock, onDue: () => {} });
  for (let i = 0; i < 30; i++) looks.add(...aLook(systemClock.now()));
  await new Promise(setImmediate);
  looks.stop();
  assert.deepEqual(warnings, []);
});
