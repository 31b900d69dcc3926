import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCleanup } from './cleanup.ts';

test('createCleanup() undoes every step, the last one first, even if one fails', async () => {
  const undone: string[] = [];
  const cleanup = createCleanup();
  cleanup.after(() => void undone.push('first'));
  cleanup.after(() => Promise.reject(new Error('it does not stop')));
  cleanup.after(() => void undone.push('last'));
  await assert.rejects(cleanup.undo(), ({ errors }: AggregateError) => {
    return /it does not stop/.test(String(errors));
  });
  assert.deepEqual(undone, ['last', 'first']);
});
