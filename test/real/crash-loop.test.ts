import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCrashLoop, type CrashLoopResult } from '../../scripts/crash-loop.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const seed = Date.now() % 1_000_000;
/** Each of the two; fewer where the machine is slow or busy. */
const kills = 150;
const withinMs = 50_000;

const name = `nothing acknowledged is lost or torn over up to ${2 * kills} kills (seed ${seed})`;

test(name, async (t) => {
  const directory = temporaryDirectory();
  const results = await Promise.all([seed, seed + 1].map((each) => runCrashLoop({
    cycles: kills, withinMs, seed: each, directory: join(directory, String(each)),
  })));
  const sum = (of: (result: CrashLoopResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const cycles = sum((result) => result.cycles);
  const acknowledged = sum((result) => result.acknowledged);
  t.diagnostic(
    `${cycles} kills; ${acknowledged} alerts and ${sum(({ notes }) => notes)} pieces of feedback ` +
      `acknowledged, ${sum(({ episodes }) => episodes)} episodes, ` +
      `${sum(({ struck }) => struck.compacting)} kills amid a compaction`,
  );
  assert.deepEqual(results.flatMap(({ problems }) => problems), []);
  assert.ok(cycles >= 20, `only ${cycles} kills`);
  assert.ok(acknowledged > cycles, `only ${acknowledged} alerts acknowledged`);
  assert.ok(sum(({ notes }) => notes) > 0);
});
