/**
 * How long the service takes to start until it accepts alerts, and how much memory is resident some
 * seconds later: with an empty directory, with 100 000 reports, and with a journal of 1 GB.
 *
 *   npx tsx scripts/bench-start.ts [--rounds 3] [--episodes 100000] [--bytes 1000000000]
 *       [--dir FOLDER] [--main dist/main.js]
 *
 * Report files are read on request and not at start, so none are created here.
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
/** By then the worker threads have loaded their code. */
const restMs = 3_000;

const values = scriptOptions(import.meta.url, {
  rounds: { type: 'number', default: 3 },
  episodes: { type: 'number', default: 100_000 },
  bytes: { type: 'number', default: 1_000_000_000 },
  dir: { type: 'string', default: tmpdir() },
  main: { type: 'string' },
});
const directory = mkdtempSync(join(values.dir, 'alert-analyst-start-'));
try {
  const { rounds, episodes, bytes: journalBytes } = values;
  console.log(`${machine()}, ${rounds} starts each`);
  await measure('an empty directory', null);
  await measure(`${episodes} reports`, { episodes, open: Math.floor(episodes / 100) });
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
  for (let round = 0; round < values.rounds; round += 1) {
    const { program, startedInMs } = await startAnalyst({
      dataDirectory, startsWithinMs, main: values.main,
    });
    starts.push(startedInMs);
    await delay(restMs);
    resident.push(residentMemoryMb(program.pid));
    peaks.push(peakMemoryMb(program.pid));
    await program.stop('SIGKILL');
  }
  const shown = (figures: readonly number[]): string => Math.max(...figures).toFixed(0);
  // The first start may compact the journal, so later ones read less.
  const [first = NaN, ...later] = starts;
  const then = later.length === 0 ? '' : `, later starts after ${median(later).toFixed(0)} ms`;
  console.log(`${name.padEnd(26)} journal ${(bytes / 1e6).toFixed(0).padStart(5)} MB, ` +
    `ready after ${first.toFixed(0)} ms${then}, ` +
    `${shown(resident)} MB resident, ${shown(peaks)} MB at most`);
}
