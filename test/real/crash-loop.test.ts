import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCrashLoop } from '../../scripts/crash-loop.ts';
import { temporaryDirectory } from '../support/programs.ts';

const seed = Date.now() % 1_000_000;

test(`nothing acknowledged is lost or torn over 25 kills (seed ${seed})`, async (t) => {
  const directory = temporaryDirectory(t, 'crash');
  const result = await runCrashLoop({ cycles: 25, seed, directory });
  t.diagnostic(
    `${result.acknowledged} alerts and ${result.notes} pieces of feedback acknowledged, ` +
      `${result.episodes} episodes, ` +
      `slowest restart ${Math.max(...result.restartsMs).toFixed(0)} ms`,
  );
  assert.deepEqual(result.problems, []);
  assert.ok(result.acknowledged > 200, `only ${result.acknowledged} alerts acknowledged`);
  assert.ok(result.notes > 5, `only ${result.notes} pieces of feedback acknowledged`);
});
