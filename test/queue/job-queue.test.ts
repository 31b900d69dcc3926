import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobQueue, type Job } from '../../src/queue/job-queue.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

interface NamedJob extends Job {
  readonly name: string;
  readonly incident: string;
}

/** Jobs of one incident, unless they say otherwise. */
function newQueue(): JobQueue<NamedJob> {
  return new JobQueue(({ incident }) => incident);
}

function job(name: string, over: Partial<NamedJob> = {}): NamedJob {
  return {
    name, incident: 'i', severityRank: 1, queuedAt: 0,
    isUpdate: false, isRecheck: false, isSuspect: false, ...over,
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
  const queue = newQueue();
  queue.add(job('info', { severityRank: 2 }));
  queue.add(job('warning 1'));
  queue.add(job('warning 2', { queuedAt: 1 }));
  queue.add(job('critical', { severityRank: 0, queuedAt: 2 }));
  assert.deepEqual(drain(queue), ['critical', 'warning 1', 'warning 2', 'info']);
  assert.equal(queue.waiting + queue.running, 0);
});

const minute = 60_000;
const info = { severityRank: 2 };
const critical = { severityRank: 0 };

/** What is added, each named as in the order expected. */
const orders: readonly [what: string, added: readonly NamedJob[], expected: readonly string[]][] = [
  [
    'the first of a new incident before the second of a known one',
    [job('a1'), job('a2'), job('b1', { incident: 'j', queuedAt: 1 })],
    ['a1', 'b1', 'a2'],
  ],
  [
    'a more severe one of a known incident before a new one',
    [job('a1'), job('b1', { incident: 'j' }), job('a2', critical), job('a3', critical)],
    ['a2', 'a3', 'a1', 'b1'],
  ],
  [
    'what is overdue first',
    [job('old info', info), job('critical', { ...critical, queuedAt: 11 * minute })],
    ['old info', 'critical'],
  ],
  [
    'what is not overdue last',
    [job('info', info), job('critical', { ...critical, queuedAt: 9 * minute })],
    ['critical', 'info'],
  ],
  [
    'of what is overdue the oldest, whosever turn it is',
    [
      job('a1', info), job('a2', { ...info, queuedAt: 1 }),
      job('b1', { ...info, incident: 'j', queuedAt: 2 }),
      ...Array.from({ length: 6 }, (_, n) => job(`c${n}`, { ...critical, queuedAt: 60 * minute })),
    ],
    ['a1', 'c0', 'c1', 'c2', 'c3', 'a2', 'c4', 'c5', 'b1'],
  ],
  [
    'news of a reported episode after new ones, but not after all of them',
    [
      job('n0'), job('update', { isUpdate: true }),
      ...Array.from({ length: 6 }, (_, n) => job(`n${n + 1}`, { queuedAt: minute })),
    ],
    ['n0', 'n1', 'n2', 'n3', 'n4', 'update', 'n5', 'n6'],
  ],
  [
    'a second look that is overdue',
    [
      job('look', { isRecheck: true }), job('new', { queuedAt: 16 * minute }),
    ],
    ['look', 'new'],
  ],
];
for (const [what, added, expected] of orders) {
  test(`JobQueue.claim() takes ${what}`, () => {
    const queue = newQueue();
    for (const each of added) queue.add(each);
    assert.deepEqual(drain(queue), expected);
  });
}

test('JobQueue.claim() keeps nothing urgent waiting for what is overdue, however much', () => {
  const queue = newQueue();
  for (let n = 0; n < 10_000; n += 1) queue.add(job(`old ${n}`, { incident: `${n % 20}` }));
  assert.equal(queue.claim()?.name, 'old 0');
  for (let n = 0; n < 8; n += 1) queue.add(job('urgent', { ...critical, queuedAt: 60 * minute }));
  const claimed = Array.from({ length: 10 }, () => queue.claim()?.name);
  assert.equal(claimed.filter((name) => name === 'urgent').length, 8);
});

test('JobQueue.firstReports counts what has no report yet, until it is released', () => {
  const queue = newQueue();
  queue.add(job('new'));
  queue.add(job('suspect', { isSuspect: true }));
  queue.add(job('update', { isUpdate: true }));
  queue.add(job('second look', { isRecheck: true }));
  assert.equal(queue.firstReports, 2);
  const claimed = queue.claim();
  assert.ok(claimed);
  assert.equal(queue.firstReports, 2);
  queue.release(claimed);
  assert.equal(queue.firstReports, 1);
  drain(queue);
  assert.equal(queue.firstReports, 0);
});

test('JobQueue.claim() finds a single critical alert behind 10 000 noisy ones', () => {
  const queue = newQueue();
  for (let i = 0; i < 10_000; i++) queue.add(job(`noise ${i}`));
  queue.add(job('critical', { severityRank: 0, queuedAt: 60_000 }));
  assert.equal(queue.claim()?.name, 'critical');
});

test('JobQueue.claim() takes thousands in their order', () => {
  const queue = newQueue();
  const names = Array.from({ length: 3_000 }, (_, index) => String(index));
  for (const name of names) queue.add(job(name));
  assert.deepEqual(drain(queue), names);
});

test('JobQueue.claim() takes news of a reported episode after new ones', () => {
  const queue = newQueue();
  queue.add(job('update', { isUpdate: true }));
  queue.add(job('new', { queuedAt: 10 }));
  assert.deepEqual(drain(queue), ['new', 'update']);
});

test('JobQueue.claim() takes a recheck after all news', () => {
  const queue = newQueue();
  queue.add(job('second look', { severityRank: 0, isUpdate: true, isRecheck: true }));
  queue.add(job('harmless', { severityRank: 3, queuedAt: 10 }));
  queue.add(job('update', { severityRank: 3, isUpdate: true, queuedAt: 4 * 60_000 }));
  assert.deepEqual(drain(queue), ['harmless', 'update', 'second look']);
});

test('JobQueue.claim() lets a suspect run alone', () => {
  const queue = newQueue();
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
  const queue = newQueue();
  for (let i = 0; i < 3; i++) queue.add(job(`suspect ${i}`, { isSuspect: true }));
  for (let i = 0; i < 50; i++) queue.add(job(`ordinary ${i}`));
  const names = drain(queue);
  assert.equal(names.indexOf('suspect 0'), 32, 'what a restart found waiting goes first');
  assert.equal(names.indexOf('suspect 1'), 51);
  assert.equal(names.length, 53);
});

test('JobQueue.oldestQueuedAt tells the longest wait, suspects included', () => {
  const queue = newQueue();
  assert.equal(queue.oldestQueuedAt, null);
  queue.add(job('a', { queuedAt: 3, isSuspect: true }));
  queue.add(job('b', { queuedAt: 7 }));
  queue.add(job('c', { queuedAt: 8 }));
  assert.equal(queue.oldestQueuedAt, 3);
  assert.equal(queue.claim()?.name, 'b');
  assert.equal(queue.oldestQueuedAt, 3);
});

test('JobQueue keeps no job in memory that was claimed and released', async () => {
  const queue = newQueue();
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
  const queue = newQueue();
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
