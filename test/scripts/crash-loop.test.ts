import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restartsText } from '../../scripts/crash-loop.ts';

test('restartsText() says so if nothing was restarted', () => {
  assert.equal(restartsText([]), 'restart to ready: 0 restarts');
  assert.equal(restartsText([420, 400, 900]), 'restart to ready: median 420 ms, max 900 ms');
});
