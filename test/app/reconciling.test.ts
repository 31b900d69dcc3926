import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Suppression } from '../../src/alert/alert.ts';
import { fingerprintOf } from '../../src/alert/fingerprint.ts';
import { startReconciling } from '../../src/app/reconciling.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import type { DecisionKind } from '../../src/episodes/decide.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import {
  applyRecord, createEpisodeJournal, type EpisodeJournal,
} from '../../src/episodes/episode-journal.ts';
import { newReport } from '../../src/report/new-report.ts';
import type { EvidenceItem } from '../../src/report/report.ts';
import type { HeldAlerts } from '../../src/sources/alertmanager.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow } from '../support/samples/case-files.ts';
import { sampleReport } from '../support/samples/sample-report.ts';
import { silentLog } from '../support/silent-log.ts';

const everyMs = 5 * 60_000;
const quiet = anAlert({ fingerprint: fingerprintOf({ alertname: 'Quiet' }) });
const other = anAlert({ fingerprint: fingerprintOf({ alertname: 'Other' }) });
const onlyOther: HeldAlerts['alerts'] = new Map([[other.fingerprint, null]]);
const both: HeldAlerts['alerts'] = new Map([...onlyOther, [quiet.fingerprint, null]]);
const quietKey = { fingerprint: quiet.fingerprint, number: 1 };
const conclusion = {
  classification: 'actionable', certainty: 'possible', headline: 'It is slow',
} as const;
const ownItem = {
  ...sampleReport().evidence[0], source: 'alertmanager', title: 'This alert in Alertmanager',
  state: 'ok',
} as EvidenceItem;

interface Setup {
  readonly clock: ManualClock;
  readonly book: EpisodeBook;
  readonly record: EpisodeJournal;
  readonly written: { type: number; payload: Buffer }[];
  readonly enqueued: Episode[];
  /** How often pages were told to look again. */
  changes: number;
  /** Messages of warnings. */
  readonly warned: string[];
  /** Null: does not answer. */
  presence: HeldAlerts | null;
  /** The evidence of every report. */
  evidence: readonly EvidenceItem[];
  /** Called when a report is read. */
  onRead: () => void;
  tell(kind: DecisionKind, over?: { startsAt?: string; endsAt?: string }): void;
  stop(): Promise<void>;
  quietOne(): Episode;
}

/** Two reported episodes, `quiet` and `other`, and an Alertmanager that has only the latter. */
async function setup(): Promise<Setup> {
  const clock = new ManualClock(caseNow);
  const book = new EpisodeBook();
  const written: Setup['written'] = [];
  let sequence = 0;
  const record = createEpisodeJournal((type, parts) => {
    written.push({ type, payload: Buffer.concat(parts) });
    return Promise.resolve(++sequence);
  }, book);
  for (const alert of [quiet, other]) {
    const key = { fingerprint: alert.fingerprint, number: 1 };
    const text = JSON.stringify({ alerts: [alert] });
    const accepted = [{ ...key, kind: 'opened', index: 0, alert }] as const;
    book.applyNotification(++sequence, { receivedAt: caseNow, text, accepted });
    await record.attempt(key);
    await record.outcome({ ...key, state: 'reported', revision: 1, conclusion });
  }
  const stops: (() => void | Promise<void>)[] = [];
  const s: Setup = {
    clock, book, record, written, enqueued: [], changes: 0, warned: [], evidence: [ownItem],
    onRead() {},
    presence: { startedAt: 0, alerts: onlyOther },
    tell(kind, over = {}) {
      const status = kind === 'resolved' ? 'resolved' : 'firing';
      const alert = { ...quiet, status, ...over } as const;
      const text = JSON.stringify({ alerts: [alert] });
      const { fingerprint } = quiet;
      book.applyNotification(++sequence, {
        receivedAt: clock.now(), text,
        accepted: [{ fingerprint, number: 1, kind, index: 0, alert }],
      });
    },
    async stop() {
      for (const stop of stops) await stop();
    },
    quietOne() {
      const episode = book.find(quiet.fingerprint, null);
      assert.ok(episode);
      return episode;
    },
  };
  startReconciling({
    clock, everyMs,
    log: { ...silentLog, warn: (message) => void s.warned.push(message) },
    ask: async () => {
      const unanswered = s.presence === null ? [{ url: 'http://a', error: new Error('down') }] : [];
      return { ...s.presence ?? { startedAt: null, alerts: new Map() }, unanswered };
    },
    shutdown: { onStop: (_name, stop) => void stops.push(stop) },
    book, journal: record,
    reports: {
      async read() {
        s.onRead();
        const report = newReport(aCaseFile({ alert: quiet }), {
          status: 'ready', now: caseNow, version: '1',
        });
        return JSON.stringify({ ...report, evidence: s.evidence });
      },
    },
    enqueue: (episode) => void s.enqueued.push(episode),
    onChange: () => void (s.changes += 1),
  });
  return s;
}

/** So many further answers of Alertmanager. */
async function answers(s: Setup, count: number): Promise<void> {
  for (let each = 0; each < count; each++) {
    await s.clock.advance(everyMs);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  }
}

test('an open episode ends once Alertmanager has lacked its alert three times in ten minutes',
  async () => {
    const s = await setup();
    await answers(s, 2);
    assert.equal(s.quietOne().endsAt, null);
    await answers(s, 1);
    const { endsAt, isEndUnknown, analysis, latest } = s.quietOne();
    assert.deepEqual([endsAt, isEndUnknown, analysis],
      [new Date(caseNow + everyMs).toISOString(), true, 'queued']);
    assert.deepEqual(latest?.read().alert.status, 'resolved');
    assert.deepEqual(s.enqueued.map(({ fingerprint }) => fingerprint), [quiet.fingerprint]);
    assert.equal(s.book.open.size, 1, 'the other one goes on');
    await s.stop();
  });

test('an open episode ends although the clock was set back since it was told', async () => {
  const s = await setup();
  s.clock.jumpWallTime(-24 * 60 * 60_000);
  await answers(s, 3);
  assert.equal(s.quietOne().isEndUnknown, true);
  await s.stop();
});

test('an open episode is not ended by an Alertmanager that proves nothing', async () => {
  const cases: readonly [string, (s: Setup) => void][] = [
    ['it does not answer', (s) => void (s.presence = null)],
    ['it has just been started', (s) => {
      s.presence = { startedAt: s.clock.now(), alerts: onlyOther };
    }],
    ['it was started after the last evaluation of an hourly rule', (s) => {
      s.presence = { startedAt: caseNow - 45 * 60_000, alerts: onlyOther };
    }],
    ['it does not say when it was started', (s) => {
      s.presence = { startedAt: null, alerts: onlyOther };
    }],
    ['it has nothing at all', (s) => {
      s.presence = { startedAt: 0, alerts: new Map() };
    }],
    ['it never had the alert', (s) => void (s.evidence = [])],
    ['it was down in between', (s) => {
      const { presence } = s;
      void s.clock.sleep(everyMs + 1).then(() => {
        s.presence = null;
        return s.clock.sleep(everyMs);
      }).then(() => void (s.presence = presence));
    }],
    ['the alert was notified of', (s) => {
      void s.clock.sleep(everyMs + 1).then(() => s.tell('refreshed'));
    }],
  ];
  for (const [name, change] of cases) {
    const s = await setup();
    change(s);
    await answers(s, 3);
    assert.equal(s.quietOne().endsAt, null, name);
    await s.stop();
  }
});

test('an open episode is shown as suppressed for as long as Alertmanager says so', async () => {
  const s = await setup();
  const { open } = s.book;
  const shown = (): unknown => [open.suppressionOf(s.quietOne()), s.changes];
  // Alertmanager may say so before it has been told of all alerts.
  const startedAt = s.clock.now();
  const says = (suppression: Suppression | null): HeldAlerts =>
    ({ startedAt, alerts: new Map([...onlyOther, [quiet.fingerprint, suppression]]) });
  const steps: readonly [HeldAlerts | null, Suppression | null, changes: number][] = [
    [says(null), null, 0], [says('silenced'), 'silenced', 1], [says('silenced'), 'silenced', 1],
    [says('inhibited'), 'inhibited', 2], [null, null, 3], [says('muted'), 'muted', 4],
  ];
  for (const [presence, suppression, changes] of steps) {
    s.presence = presence;
    await answers(s, 1);
    assert.deepEqual(shown(), [suppression, changes]);
  }
  s.tell('resolved', { endsAt: new Date(s.clock.now()).toISOString() });
  assert.equal(open.suppressionOf(s.quietOne()), null);
  await s.stop();
});

test('an Alertmanager that does not answer is logged once, and again after it did', async () => {
  const s = await setup();
  const { presence } = s;
  const told = 'Cannot ask Alertmanager which alerts are silenced or gone';
  s.presence = null;
  await answers(s, 3);
  assert.deepEqual(s.warned, [told]);
  s.presence = presence;
  await answers(s, 1);
  s.presence = null;
  await answers(s, 2);
  assert.deepEqual(s.warned, [told, told]);
  await s.stop();
});

test('an Alertmanager without any open alert is believed after an hour', async () => {
  const s = await setup();
  s.presence = { startedAt: 0, alerts: new Map() };
  await answers(s, 12);
  assert.equal(s.book.open.size, 2);
  await answers(s, 1);
  assert.equal(s.book.open.size, 0);
  await s.stop();
});

test('an alert seen in Alertmanager is its own, whatever its report says', async () => {
  const s = await setup();
  s.evidence = [];
  const { presence } = s;
  s.presence = { startedAt: 0, alerts: both };
  await answers(s, 1);
  s.presence = presence;
  await answers(s, 3);
  assert.notEqual(s.quietOne().endsAt, null);
  await s.stop();
});

test('an episode whose report cannot be read ends after a later answer', async () => {
  const s = await setup();
  s.onRead = () => {
    throw new Error('EIO');
  };
  await answers(s, 3);
  assert.equal(s.quietOne().endsAt, null);
  s.onRead = () => {};
  await answers(s, 1);
  assert.notEqual(s.quietOne().endsAt, null);
  await s.stop();
});

test('the report of an alert of another Alertmanager is read once, until it has news', async () => {
  const s = await setup();
  let reads = 0;
  s.evidence = [];
  s.onRead = () => void (reads += 1);
  await answers(s, 6);
  assert.equal(reads, 1);
  s.evidence = [ownItem];
  s.tell('refreshed');
  await s.record.attempt(quietKey);
  await s.record.outcome({ ...quietKey, state: 'reported', revision: 2, conclusion });
  await answers(s, 4);
  assert.deepEqual([reads, s.quietOne().isEndUnknown], [2, true]);
  await s.stop();
});

test('an episode that only seemed to have ended is open again with its next notification',
  async () => {
    const s = await setup();
    await answers(s, 3);
    assert.equal(s.book.newestSpan(quiet.fingerprint)?.isEndUnknown, true);
    s.tell('refreshed');
    const { endsAt, isEndUnknown } = s.quietOne();
    assert.deepEqual([endsAt, isEndUnknown, s.book.open.size, s.book.closed.size],
      [null, false, 2, 0]);
    await s.stop();
  });

test('an episode whose end comes later has that end', async () => {
  const s = await setup();
  await answers(s, 3);
  const end = new Date(caseNow + 60_000).toISOString();
  s.tell('resolved', { endsAt: end });
  const { endsAt, isEndUnknown } = s.quietOne();
  assert.deepEqual([endsAt, isEndUnknown, s.book.closed.size], [end, false, 1]);
  await s.stop();
});

test('a replay ends what was ended, and news that came first keeps it open', async () => {
  const s = await setup();
  await answers(s, 3);
  await s.stop();
  const ended = s.written.at(-1);
  assert.ok(ended);
  for (const isNews of [false, true]) {
    const fresh = await setup();
    if (isNews) fresh.tell('refreshed');
    applyRecord(fresh.book, { ...ended, sequence: 100 });
    assert.equal(fresh.quietOne().isEndUnknown, !isNews);
    await fresh.stop();
  }
});
