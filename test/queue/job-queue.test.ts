import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobQueue, type Job } from '../../src/queue/job-queue.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

interface NamedJob extends Job {
  readonly name: string;
}

function job(name: string, over: Partial<Job> = {}): NamedJob {
  return {
    name, severityRank: 1, queuedAt: 0, isUpdate: false, isSecondLook: false, isSuspect: false,
    ...over,
  };
}

function drain(queue: JobQueue<NamedJob>): string[] {
  const names: string[] = [];
  for (let next = queue.claim(); next !== null; next = queue.claim()) {
    names.push(next.name);
    queue.release(next);
  }
  return names;
}

test('JobQueue.claim() takes the worst first, and the oldest of equals', () => {
  const queue = new JobQueue<NamedJob>();
  queue.add(job('info', { severityRank: 2 }));
  queue.add(job('warning 1'));
  queue.add(job('warning 2', { queuedAt: 1 }));
  queue.add(job('critical', { severityRank: 0, queuedAt: 2 }));
  assert.deepEqual(drain(queue), ['critical', 'warning 1', 'warning 2', 'info']);
  assert.equal(queue.waiting + queue.running, 0);
});

test('JobQueue.claim() lets no job starve behind more severe ones', () => {
  const queue = new JobQueue<NamedJob>();
  queue.add(job('old info', { severityRank: 2, queuedAt: 0 }));
  queue.add(job('new critical', { severityRank: 0, queuedAt: 11 * 60_000 }));
  assert.equal(queue.claim()?.name, 'old info');
});

test('JobQueue.claim() finds a single critical alert behind 10 000 noisy ones', () => {
  const queue = new JobQueue<NamedJob>();
  for (let i = 0; i < 10_000; i++) queue.add(job(`noise ${i}`));
  queue.add(job('critical', { severityRank: 0, queuedAt: 60_000 }));
  assert.equal(queue.claim()?.name, 'critical');
});

test('JobQueue.claim() takes thousands in their order', () => {
  const queue = new JobQueue<NamedJob>();
  const names = Array.from({ length: 3_000 }, (_, index) => String(index));
  for (const name of names) queue.add(job(name));
  assert.deepEqual(drain(queue), names);
});

test('JobQueue.claim() takes news of a reported episode after new ones', () => {
  const queue = new JobQueue<NamedJob>();
  queue.add(job('update', { isUpdate: true }));
  queue.add(job('new', { queuedAt: 10 }));
  assert.deepEqual(drain(queue), ['new', 'update']);
});

test('JobQueue.claim() lets news wait for half a minute, and no longer', () => {
  const queue = new JobQueue<NamedJob>();
  queue.add(job('update', { isUpdate: true }));
  queue.add(job('soon', { queuedAt: 29_999 }));
  queue.add(job('late', { queuedAt: 30_001 }));
  assert.deepEqual(drain(queue), ['soon', 'update', 'late']);
});

test('JobQueue.claim() takes a second look after all news, but does not let it starve', () => {
  const queue = new JobQueue<NamedJob>();
  queue.add(job('second look', { severityRank: 0, isUpdate: true, isSecondLook: true }));
  queue.add(job('harmless', { severityRank: 3, queuedAt: 10 }));
  queue.add(job('update', { severityRank: 3, isUpdate: true, queuedAt: 4 * 60_000 }));
  queue.add(job('late', { queuedAt: 15 * 60_000 + 1 }));
  assert.deepEqual(drain(queue), ['harmless', 'update', 'second look', 'late']);
});

test('JobQueue.claim() lets a suspect run alone', () => {
  const queue = new JobQueue<NamedJob>();
  queue.add(job('before'));
  const before = queue.claim();
  queue.add(job('suspect', { isSuspect: true }));
  assert.equal(queue.claim(), null, 'the suspect waits for what runs');
  queue.add(job('after'));
  assert.ok(before);
  queue.release(before);
  const suspect = queue.claim();
  assert.equal(suspect?.name, 'suspect');
  assert.equal(queue.claim(), null, 'nothing beside the suspect');
  assert.ok(suspect);
  queue.release(suspect);
  assert.equal(queue.claim()?.name, 'after');
});

test('JobQueue.claim() does not let a row of suspects stop the others', () => {
  const queue = new JobQueue<NamedJob>();
  for (let i = 0; i < 3; i++) queue.add(job(`suspect ${i}`, { isSuspect: true }));
  for (let i = 0; i < 50; i++) queue.add(job(`ordinary ${i}`));
  const names = drain(queue);
  assert.equal(names.indexOf('suspect 0'), 32, 'what a restart found waiting goes first');
  assert.equal(names.indexOf('suspect 1'), 51);
  assert.equal(names.length, 53);
});

test('JobQueue.oldestQueuedAt tells the longest wait, suspects included', () => {
  const queue = new JobQueue<NamedJob>();
  assert.equal(queue.oldestQueuedAt, null);
  queue.add(job('a', { queuedAt: 7 }));
  queue.add(job('b', { queuedAt: 3, isSuspect: true }));
  assert.equal(queue.oldestQueuedAt, 3);
});

test('JobQueue keeps no job in memory that was claimed and released', async () => {
  const queue = new JobQueue<NamedJob>();
  const claimed = [1, 2, 3].map((n) => {
    queue.add(job(`${n}`));
    const next = queue.claim();
    assert.ok(next);
    queue.release(next);
    return new WeakRef(next);
  });
  await new Promise(setImmediate); // A WeakRef holds its target until the turn ends.
  collectGarbage();
  assert.deepEqual(claimed.map((each) => each.deref()), [undefined, undefined, undefined]);
  assert.equal(queue.waiting, 0);
});

test('JobQueue keeps its counts over a long random life', () => {
  const queue = new JobQueue<NamedJob>();
  const running: NamedJob[] = [];
  let seed = 42;
  const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
  let added = 0;
  let finished = 0;
  for (let step = 0; step < 20_000; step++) {
    if (random(3) > 0) {
      const rank = random(4);
      const isSuspect = random(20) === 0;
      queue.add(job(`${added}`, { severityRank: rank, queuedAt: step, isSuspect }));
      added += 1;
    }
    const claimed = running.length < 4 ? queue.claim() : null;
    if (claimed !== null) running.push(claimed);
    const suspects = running.filter(({ isSuspect }) => isSuspect).length;
    assert.ok(suspects === 0 || running.length === 1, 'a suspect has company');
    if (random(3) > 0 && running.length > 0) {
      const [done] = running.splice(random(running.length), 1);
      if (done) queue.release(done);
      finished += 1;
    }
    assert.equal(queue.running, running.length);
    assert.equal(queue.waiting, added - finished - running.length);
  }
});
