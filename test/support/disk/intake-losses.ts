/**
 * Runs intake, episode book and journal together on the simulated disk, connected as in `core.ts`:
 * an alert that was answered with 200 must survive every kill and power loss, also if it was
 * acknowledged as a duplicate.
 */
import type { AlertStatus } from '../../../src/alert/alert.ts';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { applyRecord, recordKinds } from '../../../src/episodes/episode-journal.ts';
import { Intake } from '../../../src/intake/accept.ts';
import { DedupWindow } from '../../../src/intake/dedup-window.ts';
import { Journal } from '../../../src/queue/journal.ts';
import { ManualClock } from '../manual-clock.ts';
import { seededRandom } from '../random.ts';
import { fingerprint, received } from '../samples/alerts.ts';
import { silentLog } from '../silent-log.ts';
import type { Tally } from './power-loss.ts';
import { SimulatedDisk } from './simulated-disk.ts';

/** The planted bug: remembers an alert when it is first seen, before it is on disk. */
export class HastyWindow extends DedupWindow {
  override has(name: string, status: AlertStatus, now: number): boolean {
    const isKnown = super.has(name, status, now);
    if (!isKnown) this.add(name, status, now);
    return isKnown;
  }
}

type WindowClass = new (windowMs: number, entriesMax: number) => DedupWindow;

const startsAt = '2026-11-20T10:00:00Z';
const alertsMax = 12;
const windowMs = 60_000;

interface Started {
  readonly book: EpisodeBook;
  readonly intake: Intake;
  readonly journal: Journal;
  readonly clock: ManualClock;
}

/** One run: a few starts on the same data directory, each ended at a random step. */
export async function runIntakeLosses(
  seed: number,
  Window: WindowClass = DedupWindow,
): Promise<Tally> {
  const random = seededRandom(seed);
  const disk = new SimulatedDisk({ random, shortWriteOneIn: 60, failedSyncOneIn: 60 });
  const tally: Tally = { losses: 0, acknowledged: 0, problems: [] };
  const promised = new Set<string>();
  for (let start = 0; start < 3 && tally.problems.length === 0; start += 1) {
    disk.stopAfter(10 + (random() % 80));
    const started = await open({ disk, random, Window }).catch(() => null);
    if (started !== null) {
      compare(started.book, promised, tally);
      await work(started, { random, disk, promised, tally });
    }
    const isKill = random() % 4 === 0;
    if (isKill) disk.kill();
    else disk.losePower();
    if (!isKill) tally.losses += 1;
  }
  const { book } = await open({ disk, random, Window });
  compare(book, promised, tally);
  return tally;
}

async function open({ disk, random, Window }: {
  disk: SimulatedDisk; random: () => number; Window: WindowClass;
}): Promise<Started> {
  const clock = new ManualClock(Date.parse(startsAt));
  const book = new EpisodeBook();
  const journal = await Journal.open({
    directory: '/data', files: disk, clock, log: silentLog, random,
    onRecord: ({ sequence, type, payload }) => applyRecord(book, { sequence, type, payload }),
  });
  book.finishReplay();
  const dedup = new Window(windowMs, 1_000);
  for (const [name, { status, at }] of book.acceptances()) {
    dedup.restore(name, status, clock.now() - at, clock.monotonic());
  }
  const intake = new Intake({
    book, dedup, clock,
    reportBase: 'http://analyst',
    backlog: { admit: () => () => {} },
    canStore: () => journal.isAvailable,
    store: (parts) => journal.append(recordKinds.notification.type, parts),
    enqueue: () => {},
    count: () => {},
  });
  return { book, intake, journal, clock };
}

/** Several senders at once, each of which retries what was refused, as Alertmanager does. */
async function work(
  { intake, journal, clock }: Started,
  { random, disk, promised, tally }: {
    random: () => number; disk: SimulatedDisk; promised: Set<string>; tally: Tally;
  },
): Promise<void> {
  const post = async (): Promise<void> => {
    const names = Array.from({ length: 1 + (random() % 3) }, () => `f${random() % alertsMax}`);
    const alerts = names.map((name) =>
      ({ labels: { alertname: name }, fingerprint: name, startsAt }));
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { kind } = await intake.accept(received(alerts, clock.now()));
      if (kind !== 'accepted') continue;
      for (const name of names) promised.add(name);
      tally.acknowledged += names.length;
      return;
    }
  };
  for (let round = 0; round < 6 && !disk.isStopped; round += 1) {
    await Promise.all([post(), post(), post()]);
    if (!journal.isAvailable) await clock.advance(1_000);
  }
}

function compare(book: EpisodeBook, promised: ReadonlySet<string>, tally: Tally): void {
  for (const name of promised) {
    const episodes = book.episodesOf(fingerprint(name)).length;
    if (episodes !== 1) tally.problems.push(`${name} has ${episodes} episodes`);
  }
}
