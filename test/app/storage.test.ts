import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { MaintenancePace } from '../../src/app/maintenance.ts';
import { openStorage, type Storage } from '../../src/app/storage.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { encodeNotification } from '../../src/episodes/records.ts';
import type { RetentionLimits } from '../../src/episodes/retention.ts';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import type { Logger } from '../../src/telemetry/log.ts';
import { Registry } from '../../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../../src/telemetry/service-metrics.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const everything = { ageMs: Infinity, episodesMax: Infinity };

interface Opened {
  readonly storage: Storage;
  /** Looks after the directory so many times in a row; says how often that compacted. */
  lookAfter(rounds: number, limits?: RetentionLimits): Promise<number>;
  /** How often it was told that episodes are forgotten. */
  readonly forgotten: () => number;
}

async function open(
  t: TestContext,
  directory: string,
  pace: Pick<MaintenancePace, 'compactFromBytes' | 'compactGrowth'>,
  { stopsOnceForgotten = false } = {},
): Promise<Opened> {
  let compactions = 0;
  let forgotten = 0;
  let roundsLeft = 0;
  let stop = new AbortController();
  const log: Logger = {
    ...silentLog, with: () => log,
    info: (message) => (compactions += message === 'Journal compacted' ? 1 : 0),
  };
  /** Its pauses pass at once. */
  const clock: Clock = {
    ...systemClock,
    sleep: async () => {
      roundsLeft -= 1;
      if (roundsLeft === 0) stop.abort();
    },
  };
  const metrics = createServiceMetrics(new Registry(), {
    version: '1', nodeVersion: '20', model: null,
  });
  const storage = await openStorage({
    settings: loadSettings({ DATA_DIR: directory }, { cores: 1, isTerminal: false }),
    clock, log, metrics,
  }, {
    onForgotten() {
      forgotten += 1;
      if (stopsOnceForgotten) stop.abort();
    },
    pace: { everyMs: 1, retentionEveryRounds: 1, ...pace },
  });
  t.after(() => storage.close());
  return {
    storage,
    forgotten: () => forgotten,
    async lookAfter(rounds, limits = everything) {
      const before = compactions;
      roundsLeft = rounds;
      stop = new AbortController();
      await storage.maintain(limits, stop.signal);
      return compactions - before;
    },
  };
}

/** An open alert whose report is there: its labels are all that is kept of its text. */
async function report(storage: Storage, name: string, labelLength: number): Promise<void> {
  const alert = anAlert({ labels: { alertname: name, told: 'x'.repeat(labelLength) } });
  const { fingerprint } = alert;
  const text = JSON.stringify({ version: '4', ...aGroup, status: 'firing', alerts: [alert] });
  const accepted = [{ fingerprint, kind: 'opened', number: 1, index: 0 }] as const;
  const body = Buffer.from(text);
  const receivedAt = systemClock.now();
  const parts = encodeNotification({ receivedAt, accepted, body });
  const sequence = await storage.storeNotification(parts);
  storage.book.applyNotification(sequence, {
    receivedAt, text, accepted: accepted.map((each) => ({ ...each, alert })),
  });
  await storage.episodeJournal.attempt({ fingerprint, number: 1 });
  await storage.episodeJournal.outcome({
    fingerprint, number: 1, state: 'reported', revision: 1,
    conclusion: { classification: 'actionable', certainty: 'likely', headline: 'It is slow.' },
  });
}

test('the journal is not compacted repeatedly, however long the labels of its alerts are',
  async (t) => {
    const directory = temporaryDirectory();
    const pace = { compactFromBytes: 1, compactGrowth: 2 };
    const { storage, lookAfter } = await open(t, directory, pace);
    for (let index = 0; index < 20; index += 1) await report(storage, `A${index}`, 8_000);
    assert.equal(await lookAfter(1), 1);
    assert.equal(await lookAfter(10), 0);
    await storage.close();
    const again = await open(t, directory, pace);
    assert.equal(again.storage.book.total, 20);
    assert.equal(await again.lookAfter(10), 0);
  });

test('the journal is compacted once it has outgrown its live data, not before',
  async (t) => {
    const pace = { compactFromBytes: 64 * 1024, compactGrowth: 2 };
    const { storage, lookAfter } = await open(t, temporaryDirectory(), pace);
    await report(storage, 'First', 8_000);
    assert.equal(await lookAfter(3), 0);
    for (let index = 0; index < 7; index += 1) await report(storage, `A${index}`, 8_000);
    assert.equal(await lookAfter(3), 1);
    for (let index = 0; index < 4; index += 1) await report(storage, `B${index}`, 8_000);
    assert.equal(await lookAfter(3), 0);
    for (let index = 0; index < 8; index += 1) await report(storage, `C${index}`, 8_000);
    assert.equal(await lookAfter(3), 1);
  });

const neverCompacted = { compactFromBytes: 1e9, compactGrowth: 2 };

test('episodes beyond the limits are removed, and readers are told', async (t) => {
  const directory = temporaryDirectory();
  const { storage, lookAfter, forgotten } = await open(t, directory, neverCompacted);
  for (let index = 0; index < 5; index += 1) await report(storage, `A${index}`, 10);
  await lookAfter(2);
  assert.deepEqual([storage.book.total, forgotten()], [5, 0]);
  await lookAfter(2, { ageMs: Infinity, episodesMax: 3 });
  assert.deepEqual([storage.book.total, forgotten()], [3, 1]);
});

test('episodes beyond the limits are removed even if no snapshot can be written', async (t) => {
  const directory = temporaryDirectory();
  const pace = { compactFromBytes: 1, compactGrowth: 2 };
  const { storage, lookAfter } = await open(t, directory, pace);
  for (let index = 0; index < 5; index += 1) await report(storage, `A${index}`, 8_000);
  for (let index = 1; index < 9; index += 1) {
    await mkdir(join(directory, 'journal', `snapshot-0000000${index}.journal.tmp`));
  }
  assert.equal(await lookAfter(1, { ageMs: Infinity, episodesMax: 3 }), 0);
  assert.equal(storage.book.total, 3);
});

for (const [name, pace] of [
  ['the journal', neverCompacted], ['a snapshot', { compactFromBytes: 1, compactGrowth: 0 }],
] as const) {
  test(`the numbers of removed episodes are known from ${name}`, async (t) => {
    const directory = temporaryDirectory();
    const { storage, lookAfter } = await open(t, directory, pace);
    await report(storage, 'Monthly', 10);
    const [{ fingerprint } = assert.fail()] = storage.book.all();
    assert.equal(storage.book.retired.lastOf(fingerprint), 0);
    await lookAfter(2, { ageMs: Infinity, episodesMax: 0 });
    assert.equal(storage.book.total, 0);
    await storage.close();
    const again = await open(t, directory, pace);
    assert.equal(again.storage.book.retired.lastOf(fingerprint), 1);
  });
}

test('a stop does not wait until all episodes beyond the limits are removed', async (t) => {
  const directory = temporaryDirectory();
  const opened = await open(t, directory, neverCompacted, { stopsOnceForgotten: true });
  const { storage, lookAfter } = opened;
  const names = Array.from({ length: 600 }, (_, index) => `A${index}`);
  await Promise.all(names.map((name) => report(storage, name, 10)));
  await lookAfter(1, { ageMs: Infinity, episodesMax: 0 });
  assert.equal(opened.forgotten(), 1);
  assert.equal(storage.book.total, 100);
});
