import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Shutdown } from '../../src/lib/shutdown.ts';

test('Shutdown.stop() runs every step once, the last first, and tells all failures', async () => {
  const shutdown = new Shutdown();
  const stopped: string[] = [];
  shutdown.onStop('lock', () => void stopped.push('lock'));
  shutdown.onStop('disk', () => Promise.reject(new Error('EIO')));
  shutdown.onStop('port', async () => {
    await new Promise(setImmediate);
    stopped.push('port');
    throw new Error('in use');
  });
  const first = shutdown.stop();
  assert.equal(shutdown.stop(), first);
  await assert.rejects(first, (error) => {
    assert.ok(error instanceof AggregateError);
    const told = error.errors.map((each: Error) => [each.message, (each.cause as Error).message]);
    assert.deepEqual(told, [['Cannot stop port', 'in use'], ['Cannot stop disk', 'EIO']]);
    return true;
  });
  assert.deepEqual(stopped, ['port', 'lock']);
});
