/**
 * How long a start takes until alerts are answered, and how much memory is resident some seconds
 * later: with an empty directory, with 100 000 reports, and with a journal of 1 GB.
 *
 *   npx tsx scripts/bench-start.ts [--rounds 3] [--episodes 100000] [--bytes 1000000000]
 *       [--dir FOLDER] [--main dist/main.js]
 *
 * Files of reports are read when somebody asks for them and not at a start: there are none here.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { peakMemoryMb, residentMemoryMb } from '../test/support/programs/process-memory.ts';
import { startAnalyst } from '../test/support/programs/running-analyst.ts';
import { machine, median } from './bench/figures.ts';
import { fillData, type Filling } from './bench/filled-data.ts';
import { scriptOptions } from './script-options.ts';

const startsWithinMs = 120_000;
/** The threads have loaded what they need by then. */
const restMs = 3_000;

const values = scriptOptions(import.meta.url, {
  rounds: { type: 'string', default: '3' },
  episodes: { type: 'string', default: '100000' },
  bytes: { type: 'string', default: '1000000000' },
  dir: { type: 'string', default: tmpdir() },
  main: { type: 'string' },
});
const directory = mkdtempSync(join(values.dir, 'alert-analyst-start-'));
try {
  console.log(`${machine()}, ${values.rounds} starts each`);
  await measure('an empty directory', null);
  const episodes = Number(values.episodes);
  await measure(`${episodes} reports`, { episodes, open: Math.floor(episodes / 100) });
  const journalBytes = Number(values.bytes);
  await measure(`a journal of ${journalBytes / 1e6} MB`, {
    episodes: 10_000, open: 1_000, journalBytes,
  });
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measure(name: string, filling: Filling | null): Promise<void> {
  const dataDirectory = join(directory, name.replaceAll(' ', '-'));
  const bytes = filling === null ? 0 : await fillData(dataDirectory, filling);
  const starts: number[] = [];
  const resident: number[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const { program, startedInMs } = await startAnalyst({
      dataDirectory, startsWithinMs, ...(values.main !== undefined && { main: values.main }),
    });
    starts.push(startedInMs);
    await delay(restMs);
    resident.push(residentMemoryMb(program.pid));
    peaks.push(peakMemoryMb(program.pid));
    await program.stop('SIGKILL');
  }
  const shown = (figures: readonly number[]): string => Math.max(...figures).toFixed(0);
  // The first may compact the journal: the later ones then read something else.
  const [first = NaN, ...later] = starts;
  const then = later.length === 0 ? '' : `, later starts after ${median(later).toFixed(0)} ms`;
  console.log(`${name.padEnd(26)} journal ${(bytes / 1e6).toFixed(0).padStart(5)} MB, ` +
    `ready after ${first.toFixed(0)} ms${then}, ` +
    `${shown(resident)} MB resident, ${shown(peaks)} MB at most`);
}
