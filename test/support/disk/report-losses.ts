/**
 * Runs the report store, the episode book and the journal together on the simulated disk, connected
 * as in `storage.ts`: once a report and its outcome are stored, exactly that report is read after
 * every kill and power loss, until it is replaced or forgotten.
 */
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import {
  applyRecord, createEpisodeJournal, recordKinds, snapshotOf, type EpisodeJournal,
} from '../../../src/episodes/episode-journal.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { FileSystem } from '../../../src/lib/file-system.ts';
import { Journal } from '../../../src/queue/journal.ts';
import { ReportStore } from '../../../src/report/store/report-store.ts';
import { hastyClock } from '../hasty-clock.ts';
import { seededRandom } from '../random.ts';
import { aKey } from '../samples/alerts.ts';
import { silentLog } from '../silent-log.ts';
import { delegate } from './planted-bugs.ts';
import type { Tally } from './power-loss.ts';
import { SimulatedDisk } from './simulated-disk.ts';

/** A bug planted between the store and the disk, which the simulation must find. */
export type PlantedStoreBug = (files: FileSystem) => FileSystem;

export const plantedStoreBugs: Readonly<Record<string, PlantedStoreBug>> = {
  'report-not-synced': (files) => ({
    ...delegate(files),
    open: (path, mode) => {
      const isWritten = path.startsWith('/data/reports') && mode !== 'read';
      return files.open(path, isWritten ? 'replace' : mode);
    },
  }),
  'directory-not-synced': (files) => ({
    ...delegate(files),
    syncDirectory: (path) => {
      return path === '/data/reports' ? Promise.resolve() : files.syncDirectory(path);
    },
  }),
};

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const startsAt = '2026-11-20T10:00:00Z';
const conclusion = {
  classification: 'actionable', certainty: 'possible', headline: 'CPU is high',
} as const;

interface Life {
  readonly journal: Journal;
  readonly book: EpisodeBook;
  readonly store: ReportStore;
  readonly records: EpisodeJournal;
}

interface World {
  readonly random: () => number;
  readonly disk: SimulatedDisk;
  readonly bug: PlantedStoreBug | undefined;
  readonly tally: Tally;
  /** The clock of the present life: those of earlier ones have stopped. */
  clock: Clock;
  /** What may be read of each episode: several while a change was cut short; null for none. */
  readonly allowed: Map<string, Set<string | null>>;
}

/** One run: a few starts on the same data directory, each ended at a random step. */
export async function runReportLosses(seed: number, bug?: PlantedStoreBug): Promise<Tally> {
  const random = seededRandom(seed);
  const disk = new SimulatedDisk({ random, shortWriteOneIn: 60, failedSyncOneIn: 60 });
  const tally: Tally = { losses: 0, acknowledged: 0, problems: [] };
  const world: World = { random, disk, bug, tally, allowed: new Map(), clock: hastyClock };
  for (let start = 0; start < 4 && tally.problems.length === 0; start += 1) {
    disk.stopAfter(20 + (random() % 120));
    const life = await open(world).catch(() => null);
    if (life !== null) {
      await compare(life, world);
      await work(life, world).catch(() => {}); // The disk has stopped.
    }
    const isKill = random() % 4 === 0;
    if (isKill) disk.kill();
    else disk.losePower();
    if (!isKill) tally.losses += 1;
  }
  disk.stopAfter(Infinity);
  for (;;) {
    const life = await open(world).catch(() => null); // One sync in sixty fails here as well.
    if (life === null) continue;
    await compare(life, world);
    return tally;
  }
}

async function open(world: World): Promise<Life> {
  const { disk, random, bug, tally } = world;
  const clock: Clock = {
    ...hastyClock,
    // A promise for each: what waits on a shared one would never be collected.
    sleep: () => hastyClock.sleep(0).then(() => {
      return world.clock === clock ? undefined : new Promise(() => {});
    }),
  };
  world.clock = clock;
  const files = bug?.(disk) ?? disk;
  const book = new EpisodeBook();
  await files.mkdir('/data');
  await files.mkdir('/data/journal');
  const journal = await Journal.open({
    directory: '/data/journal', files, clock, log: silentLog, random,
    onRecord: (record) => applyRecord(book, record),
  });
  book.finishReplay();
  const { damagedRegions, missingRecords } = journal.stats;
  const store = await ReportStore.open({
    directory: '/data/reports', files, clock, packBytes: 3_000, spareBytes: 6_000,
    isIncomplete: damagedRegions + missingRecords > 0,
    extentOf: (key) => book.extentsOf(key)?.report ?? null,
    onDamage: ({ path, offset }) => tally.problems.push(`${path} is damaged at ${offset}`),
  }, [...book.all()].flatMap(({ report }) => report ?? []));
  book.extents.onFreed({ report: (extent) => store.free(extent), recording() {} });
  const records = createEpisodeJournal(journal.append.bind(journal), book);
  return { journal, book, store, records };
}

async function work(life: Life, world: World): Promise<void> {
  const { random, disk } = world;
  for (let round = 0; round < 12 && !disk.isStopped; round += 1) {
    const chosen = names.filter(() => random() % 2 === 0);
    const changes = chosen.map((name) => change(life, world, name));
    await Promise.allSettled(changes); // Refused by a disk that fails or has stopped.
    if (random() % 3 === 0) await life.store.tidy();
    if (random() % 3 === 0) await clearSparsest(life);
    if (random() % 8 === 0) await life.journal.compact(snapshotOf(life.book)).catch(() => {});
  }
}

/** Stores a report of the episode, or forgets the episode. */
async function change(life: Life, { random, allowed, tally }: World, name: string): Promise<void> {
  const { book, records, store } = life;
  const key = aKey(name);
  const possible = allowed.get(name) ?? new Set([null]);
  allowed.set(name, possible);
  const become = (now: string | null): void => {
    possible.clear();
    possible.add(now);
    tally.acknowledged += 1;
  };
  if (book.find(name, 1) === null) await begin(life, name);
  else if (random() % 6 === 0) {
    possible.add(null);
    await records.forget(key);
    return become(null);
  }
  if (book.find(name, 1) === null) return; // It was forgotten, and its number is not used again.
  const text = `${name}${random()}`.repeat(1 + (random() % 60));
  possible.add(text);
  const report = await store.write(key, text);
  await records.outcome({ ...key, state: 'reported', revision: 1, conclusion, report });
  become(text);
}

async function begin({ journal, book }: Life, name: string): Promise<void> {
  const body = Buffer.from(JSON.stringify({ alerts: [{
    labels: { alertname: name }, fingerprint: name, startsAt,
  }] }));
  const accepted = [{ ...aKey(name), kind: 'opened', index: 0 }] as const;
  const record = { receivedAt: Date.parse(startsAt), accepted, body };
  const { type, encode, apply } = recordKinds.notification;
  apply(book, await journal.append(type, encode(record)), record);
}

async function clearSparsest({ store, book, records }: Life): Promise<void> {
  const file = store.sparsest();
  if (file === null) return;
  for (const { fingerprint, number, report: from } of book.all()) {
    if (from?.file !== file) continue;
    const key = { fingerprint, number };
    const report = await store.copy(key, from);
    if (report !== null) await records.moved({ ...key, from, report });
  }
}

async function compare({ store, book }: Life, { allowed, tally, disk }: World): Promise<void> {
  for (const [name, possible] of allowed) {
    const isKnown = book.find(name, 1) !== null;
    const found = isKnown ? await store.read(aKey(name)).catch(() => undefined) : null;
    if (disk.isStopped) return;
    if (found === undefined || possible.has(found)) continue;
    tally.problems.push(`of ${name} is read ${String(found).slice(0, 20)}`);
  }
}
