import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Maintenance } from '../../src/app/maintenance.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import type { JournalStats } from '../../src/queue/journal.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

const nothing = (): Promise<void> => Promise.resolve();
const emptyStores = {
  reports: {
    removeOlder: nothing, tidy: nothing, sparsest: () => null, free() {},
    copy: () => Promise.resolve(null),
  },
  recordings: { removeOlder: nothing, tidy: nothing },
  episodeJournal: { forget: nothing, moved: nothing },
};

test('Maintenance compacts a short journal once after each failure, even one during compaction',
  async () => {
    const everyMs = 1_000;
    const clock = new ManualClock(0);
    const stop = new AbortController();
    let stats: JournalStats = {
      damagedRegions: 0, tornTails: 0, missingRecords: 0,
      bytes: 10, snapshotBytes: 0, segments: 1, recoveries: 0,
    };
    const recovered = (): void => {
      stats = { ...stats, recoveries: stats.recoveries + 1 };
    };
    const compactions: (() => void)[] = [];
    const upkeep = new Maintenance({
      clock, log: silentLog, book: new EpisodeBook(), onForgotten() {},
      assignIncidents: () => Promise.resolve(),
      journal: {
        get stats() {
          return stats;
        },
        checkPlace: () => Promise.resolve(),
        compact: () => new Promise((resolve) => compactions.push(resolve)),
        removeCopies: () => Promise.resolve(),
      },
      ...emptyStores,
      pace: { everyMs, retentionEveryRounds: 1, compactFromBytes: 1_000, compactGrowth: 2 },
    });
    const done = upkeep.maintain({ ageMs: Infinity, episodesMax: Infinity }, stop.signal);
    await clock.advance(everyMs);
    assert.equal(compactions.length, 0);
    recovered();
    await clock.advance(everyMs);
    assert.equal(compactions.length, 1);
    recovered();
    compactions[0]?.();
    await clock.advance(0);
    await clock.advance(everyMs);
    assert.equal(compactions.length, 2);
    compactions[1]?.();
    await clock.advance(0);
    await clock.advance(everyMs);
    await clock.advance(everyMs);
    assert.equal(compactions.length, 2);
    stop.abort();
    await done;
  });

test('Maintenance keeps copies of damaged data no longer than reports', async () => {
  const clock = new ManualClock(50_000);
  const stop = new AbortController();
  const removedBefore: number[] = [];
  const upkeep = new Maintenance({
    clock, log: silentLog, book: new EpisodeBook(), onForgotten() {},
    assignIncidents: () => Promise.resolve(),
    journal: {
      stats: {
        damagedRegions: 0, tornTails: 0, missingRecords: 0,
        bytes: 10, snapshotBytes: 0, segments: 1, recoveries: 0,
      },
      checkPlace: nothing, compact: nothing,
      removeCopies: (beforeMs) => {
        removedBefore.push(beforeMs);
        return Promise.reject(new Error('EIO'));
      },
    },
    ...emptyStores,
    pace: { everyMs: 1_000, retentionEveryRounds: 2, compactFromBytes: 1_000, compactGrowth: 2 },
  });
  const done = upkeep.maintain({ ageMs: 20_000, episodesMax: Infinity }, stop.signal);
  for (const ms of [0, 1_000, 1_000]) await clock.advance(ms);
  assert.deepEqual(removedBefore, [30_000, 32_000]);
  stop.abort();
  await done;
});
