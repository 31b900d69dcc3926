/**
 * Runs a journal on the simulated disk through kills and power losses, and checks after each start
 * that it replays everything acknowledged once, intact and in order, and nothing that was never
 * appended.
 */
import type { FileSystem } from '../../../src/lib/file-system.ts';
import { Journal } from '../../../src/queue/journal.ts';
import type { Checksum } from '../../../src/queue/journal-record.ts';
import { ManualClock } from '../manual-clock.ts';
import { seededRandom } from '../random.ts';
import { silentLog } from '../silent-log.ts';
import { SimulatedDisk } from './simulated-disk.ts';

/** A bug planted below the journal, which the simulation must find. */
export interface PlantedBug {
  readonly wrap?: (files: FileSystem) => FileSystem;
  readonly checksum?: Checksum;
}

export interface Tally {
  /** Power losses; kills are not counted. */
  losses: number;
  acknowledged: number;
  /** Descriptions of what went wrong. */
  readonly problems: string[];
}

const directory = '/data';
const startsMax = 5;
const segmentBytes = 12_000;

/** One run: a few starts on the same data directory, each ended at a random step. */
export async function runPowerLosses(seed: number, bug: PlantedBug = {}): Promise<Tally> {
  const random = seededRandom(seed);
  const disk = new SimulatedDisk({ random, shortWriteOneIn: 100, failedSyncOneIn: 100 });
  const life = new Life(random, disk, bug);
  const starts = 2 + (random() % (startsMax - 1));
  for (let start = 0; start < starts && life.tally.problems.length === 0; start += 1) {
    await life.start();
    if (random() % 4 === 0) {
      disk.kill();
    } else {
      disk.losePower();
      life.tally.losses += 1;
    }
  }
  await life.check();
  return life.tally;
}

interface Known {
  readonly sequence: number;
  readonly text: string;
}

class Life {
  readonly tally: Tally = { losses: 0, acknowledged: 0, problems: [] };
  readonly #random: () => number;
  readonly #disk: SimulatedDisk;
  readonly #bug: PlantedBug;
  /** Everything ever passed to `append`. */
  readonly #offered = new Set<string>();
  /** What every later start must replay, by name. */
  #promised = new Map<string, Known>();
  #counter = 0;

  constructor(random: () => number, disk: SimulatedDisk, bug: PlantedBug) {
    this.#random = random;
    this.#disk = disk;
    this.#bug = bug;
  }

  /** Starts, checks and appends until the disk stops. */
  async start(): Promise<void> {
    const clock = new ManualClock();
    // Opening takes about 15 steps, so some runs stop during it.
    const isShort = this.#random() % 3 === 0;
    this.#disk.stopAfter(isShort ? this.#random() % 30 : 10 + (this.#random() % 90));
    let journal: Journal;
    try {
      journal = await this.#open(clock);
    } catch {
      return; // The disk stopped during the start.
    }
    const bursts = 1 + (this.#random() % 10);
    const work: Promise<void>[] = [];
    for (let burst = 0; burst < bursts; burst += 1) {
      if (this.#random() % 6 === 0) work.push(this.#compact(journal));
      const burstWork = this.#burst(journal);
      if (this.#random() % 4 === 0) work.push(burstWork);
      else await burstWork;
      if (this.#disk.isStopped) break;
      if (!journal.isAvailable) await clock.advance(1000);
    }
    await Promise.all(work);
    if (this.#random() % 4 === 0) await journal.close().catch(() => {}); // May have stopped.
  }

  /** The last start, on a disk that does not stop: everything promised must be there. */
  async check(): Promise<void> {
    if (this.tally.problems.length > 0) return;
    this.#disk.stopAfter(Infinity);
    const journal = await this.#open(new ManualClock());
    await journal.close().catch(() => {}); // One sync in a hundred fails here as well.
  }

  async #open(clock: ManualClock): Promise<Journal> {
    const files = this.#bug.wrap?.(this.#disk) ?? this.#disk;
    const found = new Map<string, Known>();
    let lastSeen = 0;
    const journal = await Journal.open({
      directory,
      files,
      clock,
      log: silentLog,
      segmentBytes,
      random: this.#random,
      ...(this.#bug.checksum && { checksum: this.#bug.checksum }),
      onRecord: ({ sequence, payload }) => {
        const text = payload.toString('latin1');
        const [ownSequence = '', body = ''] =
          sequence === 0 ? split(text) : [String(sequence), text];
        if (sequence !== 0 && sequence <= lastSeen) {
          this.#problem(`sequence ${sequence} after ${lastSeen}`);
        }
        lastSeen = Math.max(lastSeen, sequence);
        const known = { sequence: Number(ownSequence), text: body };
        const before = found.get(nameOf(body));
        if (before !== undefined && (sequence === 0 || before.sequence !== sequence)) {
          this.#problem(`twice: ${nameOf(body)} at ${before.sequence} and ${sequence}`);
        }
        found.set(nameOf(body), known);
      },
    });
    this.#compare(found);
    // The owner relies on what was replayed, for example to recognise a duplicate.
    if (journal.isAvailable) this.#promised = found;
    return journal;
  }

  #compare(found: ReadonlyMap<string, Known>): void {
    for (const [name, { sequence, text }] of this.#promised) {
      const there = found.get(name);
      if (there === undefined) this.#problem(`lost: ${name}`);
      else if (there.text !== text) this.#problem(`changed: ${name}`);
      else if (there.sequence !== sequence) this.#problem(`renumbered: ${name}`);
    }
    for (const { text } of found.values()) {
      if (!this.#offered.has(text)) this.#problem(`invented: ${text.slice(0, 20)}`);
    }
  }

  #problem(text: string): void {
    this.tally.problems.push(text);
  }

  async #burst(journal: Journal): Promise<void> {
    const count = 1 + (this.#random() % 6);
    await Promise.all(Array.from({ length: count }, () => this.#append(journal)));
  }

  async #append(journal: Journal): Promise<void> {
    this.#counter += 1;
    const filler = 'abcdefgh'[this.#random() % 8] ?? '';
    const text = `${this.#counter}.${filler.repeat(this.#random() % 1200)}`;
    this.#offered.add(text);
    try {
      const sequence = await journal.append(1, [Buffer.from(text, 'latin1')]);
      this.#promised.set(nameOf(text), { sequence, text });
      this.tally.acknowledged += 1;
    } catch {
      // Refused: it may or may not be on disk until a start has replayed it.
    }
  }

  async #compact(journal: Journal): Promise<void> {
    try {
      await journal.compact(this.#entries());
    } catch {
      // The old files stay in use.
    }
  }

  *#entries(): Iterable<{ type: number; payload: Buffer }> {
    for (const { sequence, text } of this.#promised.values()) {
      yield { type: 1, payload: Buffer.from(`${sequence}|${text}`, 'latin1') };
    }
  }
}

function nameOf(text: string): string {
  return text.slice(0, text.indexOf('.'));
}

function split(text: string): [string, string] {
  const bar = text.indexOf('|');
  return [text.slice(0, bar), text.slice(bar + 1)];
}
