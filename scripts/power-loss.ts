/**
 * Simulated power losses, by the thousand:
 *
 *   npx tsx scripts/power-loss.ts --runs 20000 --seed 1
 *
 * They strike the journal alone, or with `--intake` what takes alerts in together with it.
 * `--bug NAME` plants a defect, which must be found. Exits with 1 when anything was lost.
 */
import { DedupWindow } from '../src/intake/dedup-window.ts';
import { systemClock } from '../src/lib/clock.ts';
import { HastyWindow, runIntakeLosses } from '../test/support/disk/intake-losses.ts';
import { plantedBugs } from '../test/support/disk/planted-bugs.ts';
import { runPowerLosses, type Tally } from '../test/support/disk/power-loss.ts';
import { scriptOptions } from './script-options.ts';

const values = scriptOptions(import.meta.url, {
  runs: { type: 'string', default: '20000' },
  seed: { type: 'string', default: '1' },
  bug: { type: 'string' },
  intake: { type: 'boolean', default: false },
});
const intakeBugs: Readonly<Record<string, typeof DedupWindow>> = { 'dedup-early': HastyWindow };
const runs = Number(values.runs);
const firstSeed = Number(values.seed);
const run = runOf(values.intake, values.bug);
if (run === null) {
  const known = Object.keys(values.intake ? intakeBugs : plantedBugs).join(', ');
  process.stderr.write(`Unknown bug; known are: ${known}\n`);
  process.exit(2);
}

const startedAt = systemClock.monotonic();
let losses = 0;
let acknowledged = 0;
let badRuns = 0;
for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
  const tally = await run(seed);
  losses += tally.losses;
  acknowledged += tally.acknowledged;
  if (tally.problems.length === 0) continue;
  badRuns += 1;
  const problems = tally.problems.slice(0, 3).join('; ');
  if (badRuns <= 5) process.stdout.write(`seed ${seed}: ${problems}\n`);
}
const seconds = (systemClock.monotonic() - startedAt) / 1000;
process.stdout.write(
  `${runs} runs, ${losses} power losses, ${acknowledged} acknowledged, ${badRuns} bad runs, ` +
    `${Math.round(losses / seconds)} power losses per second\n`,
);
process.exit(badRuns === 0 ? 0 : 1);

/** Null when there is no such bug. */
function runOf(
  isOfIntake: boolean,
  name: string | undefined,
): ((seed: number) => Promise<Tally>) | null {
  if (isOfIntake) {
    const window = name === undefined ? DedupWindow : intakeBugs[name];
    return window === undefined ? null : (seed) => runIntakeLosses(seed, window);
  }
  const bug = name === undefined ? {} : plantedBugs[name];
  return bug === undefined ? null : (seed) => runPowerLosses(seed, bug);
}
