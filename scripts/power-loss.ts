/**
 * Simulates thousands of power losses, and checks that everything acknowledged survives them.
 *
 *   npx tsx scripts/power-loss.ts [--runs 20000] [--seed 1] [--intake | --reports]
 *       [--bug NAME]
 *
 * Tests the journal alone; with --intake, the intake and the episode book on top of it; with
 * --reports, the stored reports, which the journal says where to find.
 * --bug plants a known defect, which the checks must find. Exits with 1 when anything was lost.
 */
import { DedupWindow } from '../src/intake/dedup-window.ts';
import { systemClock } from '../src/lib/clock.ts';
import { HastyWindow, runIntakeLosses } from '../test/support/disk/intake-losses.ts';
import { plantedBugs } from '../test/support/disk/planted-bugs.ts';
import { runPowerLosses, type Tally } from '../test/support/disk/power-loss.ts';
import { plantedStoreBugs, runReportLosses } from '../test/support/disk/report-losses.ts';
import { refuse, scriptOptions } from './script-options.ts';

const values = scriptOptions(import.meta.url, {
  runs: { type: 'number', default: 20_000 },
  seed: { type: 'number', default: 1 },
  bug: { type: 'string' },
  intake: { type: 'boolean', default: false },
  reports: { type: 'boolean', default: false },
});
const intakeBugs: Readonly<Record<string, typeof DedupWindow>> = { 'dedup-early': HastyWindow };
const { run, what } = testOf(values);

const startedAt = systemClock.monotonic();
let losses = 0;
let acknowledged = 0;
let badRuns = 0;
for (let seed = values.seed; seed < values.seed + values.runs; seed += 1) {
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
  `${values.runs} runs, ${losses} power losses, ${acknowledged} acknowledged ${what}, ` +
    `${badRuns} runs with a problem, ` +
    `${Math.round(losses / seconds)} power losses per second\n`,
);
process.exit(badRuns === 0 ? 0 : 1);

interface Test {
  readonly run: (seed: number) => Promise<Tally>;
  /** What is acknowledged. */
  readonly what: string;
}

function testOf({ intake, reports, bug }: typeof values): Test {
  if (intake && reports) refuse('--intake and --reports exclude each other');
  if (intake) {
    const Window = known(intakeBugs, bug) ?? DedupWindow;
    return { run: (seed) => runIntakeLosses(seed, Window), what: 'alerts' };
  }
  if (reports) {
    const planted = known(plantedStoreBugs, bug);
    return { run: (seed) => runReportLosses(seed, planted), what: 'reports' };
  }
  const planted = known(plantedBugs, bug);
  return { run: (seed) => runPowerLosses(seed, planted), what: 'records' };
}

function known<T>(bugs: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  if (name === undefined) return undefined;
  if (!Object.hasOwn(bugs, name)) {
    refuse(`--bug must be one of ${Object.keys(bugs).join(', ')}, not '${name}'`);
  }
  return bugs[name];
}
