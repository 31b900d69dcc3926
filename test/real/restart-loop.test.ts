import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runRestartLoop } from '../../scripts/restart-loop.ts';

test('every alert that Alertmanager sends over 10 restarts arrives exactly once', async (t) => {
  const result = await runRestartLoop(t, { restarts: 10, seed: Date.now() % 1_000_000 });
  t.diagnostic(`delivered ${(result.deliveredInMs / 1_000).toFixed(1)} s after the last restart`);
  assert.deepEqual(result.problems, []);
  assert.equal(result.alerts, 30);
  assert.ok(result.resolved >= 7, `${result.resolved} resolved`);
});
