import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Limiter, LineFullError } from '../../src/lib/limiter.ts';

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

interface HeldTask {
  readonly task: () => Promise<string>;
  readonly isRunning: () => boolean;
  readonly end: () => void;
}

/** A task that begins when the limiter says so and ends when the test says so. */
function held(name: string): HeldTask {
  let [isRunning, end] = [false, (): void => {}];
  const ended = new Promise<string>((resolve) => (end = () => resolve(name)));
  const task = (): Promise<string> => {
    isRunning = true;
    return ended;
  };
  return { task, isRunning: () => isRunning, end: () => end() };
}

const settle = (): Promise<void> => new Promise(setImmediate);

test('Limiter.run() removes an aborted task from the line', async () => {
  const limiter = new Limiter(1);
  const [first, second, third] = [held('first'), held('second'), held('third')];
  const cancelled = new AbortController();
  const firstResult = limiter.run(first.task);
  const secondResult = limiter.run(second.task, cancelled.signal);
  const thirdResult = limiter.run(third.task, cancelled.signal);
  await settle();
  cancelled.abort(new Error('stopping'));
  await assert.rejects(secondResult, /stopping/);
  await assert.rejects(thirdResult, /stopping/);
  first.end();
  assert.equal(await firstResult, 'first');
  await assert.rejects(limiter.run(second.task, cancelled.signal), /stopping/);
  assert.ok(!second.isRunning());
  assert.equal(await limiter.run(async () => 'the slot is free'), 'the slot is free');
});

test('Limiter.run() does not reject a task whose turn has come', async () => {
  const limiter = new Limiter(1);
  const [first, second] = [held('first'), held('second')];
  const cancelled = new AbortController();
  const firstResult = limiter.run(first.task);
  const secondResult = limiter.run(second.task, cancelled.signal);
  first.end();
  await firstResult;
  await settle();
  cancelled.abort(new Error('too late'));
  second.end();
  assert.equal(await secondResult, 'second');
  assert.equal(await limiter.run(async () => 'the slot is free'), 'the slot is free');
});

test('Limiter.run() refuses a task when too many wait', async () => {
  const limiter = new Limiter(1, 1);
  const tasks = ['a', 'b'].map(held);
  const results = tasks.map(({ task }) => limiter.run(task));
  await assert.rejects(limiter.run(held('c').task), LineFullError);
  for (const task of tasks) task.end();
  assert.deepEqual(await Promise.all(results), ['a', 'b']);
});
