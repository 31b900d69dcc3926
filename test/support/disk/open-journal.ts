import { Journal, type JournalOptions } from '../../../src/queue/journal.ts';
import { ManualClock } from '../manual-clock.ts';
import { seededRandom } from '../random.ts';
import { silentLog } from '../silent-log.ts';
import { SimulatedDisk } from './simulated-disk.ts';

export interface Told {
  readonly sequence: number;
  readonly type: number;
  readonly text: string;
}

export interface OpenedJournal {
  readonly journal: Journal;
  /** The records replayed at the start, with their payloads as text. */
  readonly told: Told[];
  readonly clock: ManualClock;
}

const journalDirectory = '/data';

/** A simulated disk without random faults. */
export function reliableDisk(seed = 1): SimulatedDisk {
  return new SimulatedDisk({ random: seededRandom(seed) });
}

/** Opens a journal on `files`, with defaults for all other options. */
export async function openJournal(
  files: JournalOptions['files'],
  options: Partial<JournalOptions> = {},
): Promise<OpenedJournal> {
  const clock = new ManualClock();
  const told: Told[] = [];
  const journal = await Journal.open({
    directory: journalDirectory,
    files,
    clock,
    log: silentLog,
    random: seededRandom(7),
    onRecord: ({ sequence, type, payload }) => {
      told.push({ sequence, type, text: payload.toString('latin1') });
    },
    ...options,
  });
  return { journal, told, clock };
}

export function appendText(journal: Journal, text: string): Promise<number> {
  return journal.append(1, [Buffer.from(text, 'latin1')]);
}

/** Appends texts one after another, each with its own flush. */
export async function appendEach(journal: Journal, texts: readonly string[]): Promise<void> {
  for (const text of texts) await appendText(journal, text);
}

export function textsOf(told: readonly Told[]): string[] {
  return told.map(({ text }) => text);
}

export function numbered(count: number, bytes = 10): string[] {
  return Array.from({ length: count }, (_, index) => `${index + 1}`.padEnd(bytes, '-'));
}

/** Lets pending work reach its next sleep, then advances the clock. */
export async function pass(clock: ManualClock, ms: number): Promise<void> {
  await new Promise(setImmediate);
  await clock.advance(ms);
}
