/**
 * Feeds mutated input to every parser that reads text from outside, and checks what it returns.
 *
 *   npx tsx scripts/fuzz.ts --seconds 120
 *   npx tsx scripts/fuzz.ts --seed 4711 --target promql --cases 1    runs one case again
 *
 * --target NAME fuzzes one target instead of all; --cases N stops after N cases of each.
 * Prints the seed of every case that fails; exits with 1 if there are any.
 */
import { systemClock } from '../src/lib/clock.ts';
import { fuzz } from './fuzz/target.ts';
import { allTargets } from './fuzz/targets.ts';
import { scriptOptions } from './script-options.ts';

const values = scriptOptions(import.meta.url, {
  seconds: { type: 'number', default: 60 },
  seed: { type: 'number', default: 1 },
  cases: { type: 'number', default: Infinity },
  target: { type: 'string', oneOf: allTargets.map(({ name }) => name) },
});
const targets = allTargets.filter(({ name }) => (values.target ?? name) === name);

/** Failures printed of one target; further ones are usually the same. */
const shownMax = 5;
const caseMsMax = 2000;
const startedAt = systemClock.monotonic();
const endsAt = startedAt + values.seconds * 1000;
const shown = new Map<string, number>();
const { cases, broken, slowestMs } = await fuzz({
  targets,
  firstSeed: values.seed,
  goesOn: (rounds) => rounds < values.cases && systemClock.monotonic() < endsAt,
  now: () => systemClock.monotonic(),
  caseMsMax,
  onBroken({ target, seed, message }) {
    const count = (shown.get(target) ?? 0) + 1;
    shown.set(target, count);
    if (count > shownMax) return;
    process.stdout.write(`--target ${target} --seed ${seed} --cases 1\n${message}\n\n`);
  },
});
const seconds = (systemClock.monotonic() - startedAt) / 1000;
process.stdout.write(
  `${cases} cases of ${targets.length} ${targets.length === 1 ? 'target' : 'targets'} in ` +
    `${Math.round(seconds)} s, slowest ${Math.round(slowestMs)} ms, ${broken.length} failed\n`,
);
process.exit(broken.length === 0 ? 0 : 1);
