import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { liveState } from '../../../src/episodes/view/live-state.ts';
import type { LiveState, LiveSubject } from '../../../src/report/live-state.ts';
import type { Progress } from '../../../src/report/report.ts';
import { anAlert, fingerprint } from '../../support/samples/alerts.ts';
import { settled } from '../../support/settled.ts';

const conclusion = {
  classification: 'actionable', certainty: 'possible', headline: 'CPU is high',
} as const;

interface Setup {
  readonly book: EpisodeBook;
  /** The sequence number of the next record. */
  next(): number;
  /** Journals the alert of that name, of its own or of a group; the number of its episode. */
  tell(name: string, kind?: 'opened' | 'resolved' | 'refreshed', groupKey?: string): void;
  state(subject: LiveSubject, progress?: Progress): LiveState | null;
}

function setup(): Setup {
  const book = new EpisodeBook();
  let sequence = 0;
  return {
    book,
    next: () => ++sequence,
    tell(name, kind = 'opened', groupKey = '') {
      const labels = { alertname: name, instance: `${name}:9100` };
      const alert = anAlert({ labels, fingerprint: fingerprint(name) });
      const text = JSON.stringify({ version: '4', status: 'firing', alerts: [alert], groupKey });
      book.applyNotification(++sequence, {
        receivedAt: Date.parse('2026-11-20T10:01:00Z'), text,
        accepted: [{ fingerprint: fingerprint(name), number: 1, index: 0, kind, alert }],
      });
    },
    state: (subject, progress) => liveState(settled(book), subject, {
      progressOf: () => progress ?? null, narrationRevisionOf: () => 0,
    }),
  };
}

const report = (name: string, episode: number | null = null): LiveSubject =>
  ({ kind: 'report', fingerprint: name, episode });

test('liveState() is absent for an unknown fingerprint, null for an episode of it', () => {
  const { state } = setup();
  assert.deepEqual(state(report('a')), {
    revision: 'absent', episode: null, status: null, progress: null,
  });
  assert.equal(state(report('a', 1)), null);
  assert.equal(state({ kind: 'incident', id: '00c0ffee00c0ffee' }), null);
});

test('liveState() has another revision after each record about the fingerprint', () => {
  const { book, tell, state, next } = setup();
  const key = { fingerprint: fingerprint('a'), number: 1 };
  tell('a');
  const steps: readonly (() => void)[] = [
    () => book.applyAttempt(next(), key),
    () => book.applyRelease(next(), key),
    () => tell('a', 'refreshed'),
    () => book.applyOutcome(next(), { ...key, state: 'reported', revision: 2, conclusion }),
    () => book.applyOutcome(next(), { ...key, state: 'reported', revision: 2, conclusion }),
  ];
  const seen = new Set([state(report('a'))?.revision]);
  for (const [index, step] of steps.entries()) {
    step();
    const { revision } = state(report('a')) ?? {};
    assert.ok(!seen.has(revision), `step ${index} has a revision of its own`);
    seen.add(revision);
    assert.equal(state(report('a', 1))?.revision, revision);
  }
  const before = state(report('a'));
  book.applyAttempt(next(), { fingerprint: fingerprint('b'), number: 1 });
  assert.deepEqual(state(report('a')), before);
});

test('liveState() tells queued from analysing, and both from ended', () => {
  const { book, tell, state, next } = setup();
  const key = { fingerprint: fingerprint('a'), number: 1 };
  const progress = { step: 'Reading', done: 0, of: 4 };
  tell('a');
  assert.equal(state(report('a'))?.status, 'queued');
  book.applyAttempt(next(), key);
  assert.deepEqual(state(report('a'), progress)?.progress, progress);
  assert.equal(state(report('a'), progress)?.status, 'analysing');
  book.applyOutcome(next(), { ...key, state: 'reported', revision: 1, conclusion });
  assert.equal(state(report('a'))?.status, 'ready');
  tell('a', 'resolved');
  book.applyAttempt(next(), key);
  book.applyOutcome(next(), { ...key, state: 'reported', revision: 2, conclusion });
  assert.equal(state(report('a'))?.status, 'final');
});

test('liveState() of a report changes when its incident grows; of the incident, with each', () => {
  const { tell, state, book } = setup();
  tell('a', 'opened', 'one');
  const alone = state(report('a'))?.revision;
  tell('b', 'opened', 'one');
  const together = state(report('a'))?.revision;
  assert.notEqual(together, alone);
  const id = settled(book).find('a', null)?.incident?.id ?? '';
  const before = state({ kind: 'incident', id });
  assert.equal(before?.episode, null);
  tell('b', 'refreshed', 'one');
  assert.equal(state(report('a'))?.revision, together);
  assert.notEqual(state({ kind: 'incident', id })?.revision, before?.revision);
});

test('liveState() changes when Alertmanager notifies nobody any more', () => {
  const { tell, state, book } = setup();
  tell('a', 'opened', 'one');
  tell('b', 'opened', 'one');
  const id = settled(book).find('a', null)?.incident?.id ?? '';
  const revisions = (): (string | undefined)[] =>
    [report('a'), { kind: 'incident', id } as const, { kind: 'list' } as const, report('b')]
      .map((subject) => state(subject)?.revision);
  const before = revisions();
  book.open.suppress(new Map([['a', 'silenced'], ['b', null]]));
  const after = revisions();
  assert.deepEqual(after.map((revision, index) => revision !== before[index]),
    [true, true, true, false]);
  book.open.suppress(new Map([['a', 'silenced']]));
  assert.deepEqual(revisions(), after);
});

test('liveState() of the list changes with every record', () => {
  const { tell, state } = setup();
  const revisions = new Set<string | undefined>();
  for (const name of ['a', 'b', 'a']) {
    revisions.add(state({ kind: 'list' })?.revision);
    tell(name);
  }
  revisions.add(state({ kind: 'list' })?.revision);
  assert.equal(revisions.size, 4);
});
