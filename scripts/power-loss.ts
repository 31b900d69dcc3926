/**
 * Simulated power losses, by the thousand:
 *
 *   npx tsx scripts/power-loss.ts --runs 20000 --seed 1
 *
 * `--bug NAME` plants a defect, which must be found. Exits with 1 when anything was lost.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../src/lib/clock.ts';
import { plantedBugs } from '../test/support/planted-bugs.ts';
import { runPowerLosses } from '../test/support/power-loss.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
  },
});
const runs = Number(values.runs);
const firstSeed = Number(values.seed);
const bug = values.bug === undefined ? {} : plantedBugs[values.bug];
if (bug === undefined) {
  process.stderr.write(`Unknown bug; known are: ${Object.keys(plantedBugs).join(', ')}\n`);
  process.exit(2);
}

const startedAt = systemClock.monotonic();
let losses = 0;
let acknowledged = 0;
let badRuns = 0;
for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
  const tally = await runPowerLosses(seed, bug);
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
