import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Limiter } from '../../src/lib/limiter.ts';

/** Tasks that begin when the limiter says so and end when the test says so. */
function heldTasks(limiter: Limiter, count: number): { began: number[]; ends: (() => void)[] } {
  const began: number[] = [];
  const ends: (() => void)[] = [];
  for (let number = 0; number < count; number += 1) {
    void limiter.run(() => {
      began.push(number);
      return new Promise<void>((resolve) => (ends[number] = resolve));
    });
  }
  return { began, ends };
}

test('Limiter.run() begins so many tasks at once, and the next when one ends', async () => {
  const { began, ends } = heldTasks(new Limiter(2), 4);
  assert.deepEqual(began, [0, 1]);
  ends[1]?.();
  await new Promise(setImmediate);
  assert.deepEqual(began, [0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await new Promise(setImmediate);
  assert.deepEqual(began, [0, 1, 2, 3]);
});

test('Limiter.run() settles as its task does, and goes on after a failure', async () => {
  const limiter = new Limiter(1);
  const failing = limiter.run(() => Promise.reject(new Error('EIO')));
  const following = limiter.run(() => Promise.resolve('done'));
  await assert.rejects(failing, /EIO/);
  assert.equal(await following, 'done');
  assert.equal(await limiter.run(() => Promise.resolve('again')), 'again');
});

test('Limiter.run() lets nobody overtake what waits', async () => {
  const limiter = new Limiter(1);
  const order: string[] = [];
  const first = limiter.run(async () => void order.push('first'));
  const second = limiter.run(async () => void order.push('second'));
  await first;
  await Promise.all([limiter.run(async () => void order.push('third')), second]);
  assert.deepEqual(order, ['first', 'second', 'third']);
});
