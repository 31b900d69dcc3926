import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Deliveries, type Delivery, type DeliveryOutcome, type Rejection,
} from '../../src/delivery/deliveries.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { aKey } from '../support/samples/alerts.ts';

interface Receiver {
  readonly clock: ManualClock;
  readonly deliveries: Deliveries;
  readonly posted: string[];
  readonly counted: DeliveryOutcome[];
  readonly logged: string[];
  /** Those whose maker was told that they were taken. */
  readonly taken: string[];
  /** What the receiver answers from now on; null takes everything. */
  answer: Rejection | null;
  /** What a report says now; what is not there says its own fingerprint. */
  readonly reports: Map<string, string | null>;
}

const away: Rejection = {
  detail: 'the connection was refused', isTransient: true, retryAfterMs: null,
};
const minuteMs = 60_000;
/** All others are of rank 0, the worst; of these the first is worse. */
const ranks: readonly string[] = ['worse', 'bad'];

function receiver({ pauseMs = 0, isSlow = false } = {}): Receiver {
  const clock = new ManualClock();
  const logged: string[] = [];
  const log = createLogger({
    level: 'info', format: 'pretty', now: () => clock.now(),
    write: (line) => logged.push(line.slice('00:00:00.000 '.length).trimEnd()),
  });
  const made: Receiver = {
    clock, logged, posted: [], counted: [], taken: [], answer: null, reports: new Map(),
    deliveries: new Deliveries({
      clock, log, setting: 'DELIVER_WEBHOOK_URL',
      receiver: {
        pauseMs,
        rankOf: ({ fingerprint }) => ranks.indexOf(fingerprint) + 1,
        deliveryOf: ({ fingerprint }) => Promise.resolve(deliveryOf(made, fingerprint)),
      },
      post: async (body, signal) => {
        made.posted.push(body);
        if (isSlow) await clock.sleep(minuteMs, signal).catch(() => undefined);
        return signal.aborted ? away : made.answer;
      },
      count: (outcome) => made.counted.push(outcome),
    }),
  };
  return made;
}

function deliveryOf({ reports, taken }: Receiver, fingerprint: string): Delivery | null {
  if (fingerprint === 'unreadable') throw new Error('EIO');
  const body = reports.has(fingerprint) ? reports.get(fingerprint) : fingerprint;
  if (body === null || body === undefined) return null;
  const pause = fingerprint === 'long pause' ? { pauseMs: 30_000 } : {};
  return { body, onTaken: () => taken.push(fingerprint), ...pause };
}

function offer({ deliveries }: Receiver, ...fingerprints: readonly string[]): void {
  for (const each of fingerprints) deliveries.offer(aKey(each));
}

async function settle(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await new Promise(setImmediate);
}

test('Deliveries posts reports in order, one at a time', async () => {
  const to = receiver({ pauseMs: 1_000 });
  offer(to, 'a', 'b');
  await settle();
  assert.deepEqual(to.posted, ['a']);
  await to.clock.advance(1_000);
  await settle();
  assert.deepEqual(to.posted, ['a', 'b']);
  assert.deepEqual(to.counted, ['delivered', 'delivered']);
  offer(to, 'c');
  await to.clock.advance(1_000);
  await settle();
  assert.deepEqual(to.posted, ['a', 'b', 'c']);
  await to.clock.advance(minuteMs);
  offer(to, 'd');
  await settle();
  assert.deepEqual(to.posted, ['a', 'b', 'c', 'd'], 'also after it had nothing to do');
});

test('Deliveries posts the worst first, and lets one that fails hold up no other', async () => {
  const to = receiver({ pauseMs: 1_000 });
  to.answer = away;
  offer(to, 'first', 'bad', 'worse', 'worst', 'worst 2');
  await settle();
  await to.clock.advance(3 * minuteMs);
  await settle();
  assert.deepEqual(to.posted.slice(0, 6),
    ['first', 'worst', 'worst 2', 'worse', 'first', 'worst']);
  to.answer = null;
  await to.clock.advance(10 * minuteMs);
  await settle();
  assert.equal(to.counted.length, 5, 'all are posted in the end');
});

test('Deliveries pauses for as long as a post asks', async () => {
  const to = receiver({ pauseMs: 1_000 });
  offer(to, 'long pause', 'b');
  await settle();
  await to.clock.advance(29_000);
  await settle();
  assert.deepEqual(to.posted, ['long pause']);
  await to.clock.advance(1_000);
  await settle();
  assert.deepEqual(to.posted, ['long pause', 'b']);
});

test('Deliveries posts a report that changes while it waits once, in its latest form', async () => {
  const to = receiver({ pauseMs: 1_000 });
  offer(to, 'a', 'b');
  await settle();
  offer(to, 'b', 'b');
  to.reports.set('b', 'b, revised');
  await to.clock.advance(5_000);
  await settle();
  assert.deepEqual(to.posted, ['a', 'b, revised']);
});

test('Deliveries posts a report again that changes while it is posted', async () => {
  const to = receiver({ isSlow: true });
  offer(to, 'a');
  await settle();
  offer(to, 'a');
  await to.clock.advance(2 * minuteMs);
  await settle();
  assert.deepEqual(to.posted, ['a', 'a']);
});

test('Deliveries tells who made a post once the receiver has taken it', async () => {
  const to = receiver();
  to.answer = away;
  offer(to, 'a');
  await settle();
  assert.deepEqual(to.taken, []);
  to.answer = null;
  await to.clock.advance(2_000);
  await settle();
  assert.deepEqual(to.taken, ['a']);
});

test('Deliveries skips reports that are no news or cannot be read', async () => {
  const to = receiver();
  to.reports.set('a', null);
  offer(to, 'a', 'unreadable', 'c');
  await to.clock.advance(1);
  await settle();
  assert.deepEqual(to.posted, ['c']);
  assert.deepEqual(to.counted, ['failed', 'delivered']);
  assert.match(to.logged.join(), /Cannot read a report to deliver it/);
});

test('Deliveries pauses only after a post, not after a report that is no news', async () => {
  const to = receiver({ pauseMs: 1_000 });
  for (const name of ['a', 'b', 'c']) to.reports.set(name, null);
  offer(to, 'a', 'b', 'c', 'urgent', 'e');
  await settle();
  assert.deepEqual(to.posted, ['urgent']);
});

test('Deliveries retries a report, after those that waited behind it', async () => {
  const to = receiver();
  to.answer = away;
  offer(to, 'a', 'b');
  await settle();
  assert.deepEqual(to.posted, ['a']);
  await to.clock.advance(2_000);
  await settle();
  assert.deepEqual(to.posted, ['a', 'b']);
  to.answer = null;
  await to.clock.advance(minuteMs);
  await settle();
  assert.deepEqual(to.posted, ['a', 'b', 'a', 'b']);
  assert.deepEqual(to.counted, ['delivered', 'delivered']);
  assert.deepEqual(to.logged, [
    'WARN  Cannot deliver a report setting="DELIVER_WEBHOOK_URL" ' +
      'detail="the connection was refused" then="it is retried for an hour"',
    'INFO  Reports are delivered again setting="DELIVER_WEBHOOK_URL"',
  ]);
});

test('Deliveries logs a refusal that is final, also after one that was not', async () => {
  const to = receiver();
  to.answer = away;
  offer(to, 'a', 'b', 'c');
  await settle();
  to.answer = { detail: 'it answered 404', isTransient: false, retryAfterMs: null };
  await to.clock.advance(4 * minuteMs);
  await settle();
  assert.deepEqual(to.counted, ['failed', 'failed', 'failed']);
  assert.deepEqual(to.logged.map((line) => / then="(.*)"/.exec(line)?.[1]), [
    'it is retried for an hour', 'it is not retried',
  ]);
});

test('Deliveries waits as long as a receiver asks, for a minute at most', async () => {
  const to = receiver();
  to.answer = { ...away, retryAfterMs: 30_000 };
  offer(to, 'a');
  await settle();
  // What is asked next, after a wait of so long: the longer of what it asked before and of ours.
  for (const [askedMs, waitedMs] of [[1_000, 30_000], [7_200_000, 4_000], [0, minuteMs]] as const) {
    const { length } = to.posted;
    to.answer = { ...away, retryAfterMs: askedMs };
    await to.clock.advance(waitedMs - 1);
    await settle();
    assert.equal(to.posted.length, length, `before ${waitedMs} ms`);
    await to.clock.advance(1);
    await settle();
    assert.equal(to.posted.length, length + 1, `after ${waitedMs} ms`);
  }
});

test('Deliveries backs off anew after a success', async () => {
  const to = receiver();
  to.answer = away;
  offer(to, 'a');
  await settle();
  await to.clock.advance(10 * minuteMs);
  to.answer = null;
  await to.clock.advance(minuteMs);
  await settle();
  to.answer = away;
  to.posted.length = 0;
  offer(to, 'b');
  await settle();
  await to.clock.advance(2_000);
  await settle();
  assert.deepEqual(to.posted, ['b', 'b']);
});

test('Deliveries retries at least once a minute', async () => {
  const to = receiver();
  to.answer = away;
  offer(to, 'a');
  await settle();
  await to.clock.advance(10 * minuteMs);
  const before = to.posted.length;
  await to.clock.advance(10 * minuteMs);
  assert.equal(to.posted.length - before, 10);
  assert.equal(to.logged.length, 1);
});

test('Deliveries gives up an hour after a report has last changed', async () => {
  const to = receiver();
  to.answer = away;
  offer(to, 'a', 'b');
  await settle();
  await to.clock.advance(30 * minuteMs);
  offer(to, 'a');
  await to.clock.advance(32 * minuteMs);
  await settle();
  assert.deepEqual(to.counted, ['failed']);
  assert.equal(to.deliveries.waiting, 1, 'the changed one');
  await to.clock.advance(30 * minuteMs);
  await settle();
  assert.deepEqual(to.counted, ['failed', 'failed']);
  assert.equal(to.deliveries.waiting, 0);
});

test('Deliveries posts nothing that waited for an hour when the receiver is back', async () => {
  const to = receiver();
  to.answer = away;
  for (let n = 0; n < 100; n += 1) offer(to, `old ${n}`);
  await settle();
  await to.clock.advance(60 * minuteMs);
  offer(to, 'new');
  to.answer = null;
  to.posted.length = 0;
  await to.clock.advance(2 * minuteMs);
  await settle();
  assert.deepEqual(to.posted, ['new']);
});

test('Deliveries does not retry after a permanent failure', async () => {
  const to = receiver();
  to.answer = { ...away, detail: 'it answered 404: no_service', isTransient: false };
  offer(to, 'a');
  await settle();
  assert.deepEqual(to.counted, ['failed']);
  assert.match(to.logged.join(), /404: no_service.*not retried/);
});

test('Deliveries drops the oldest when too many wait', async () => {
  const to = receiver();
  to.answer = away;
  offer(to, 'first');
  await settle();
  for (let n = 0; n < 10_200; n += 1) offer(to, `waits ${n}`);
  assert.equal(to.deliveries.waiting, 10_000);
  assert.equal(to.counted.filter((outcome) => outcome === 'dropped').length, 201);
});

test('Deliveries aborts the post when it is stopped, and logs what was not delivered', async () => {
  const to = receiver({ isSlow: true });
  offer(to, 'a', 'b');
  await settle();
  await to.deliveries.stop();
  assert.deepEqual(to.posted, ['a']);
  assert.deepEqual(to.logged, [
    'WARN  Stopped before all reports were delivered setting="DELIVER_WEBHOOK_URL" reports=2',
  ]);
  offer(to, 'c');
  await settle();
  assert.deepEqual(to.posted, ['a']);
});

test('Deliveries says nothing when it is stopped and all is delivered', async () => {
  const to = receiver();
  offer(to, 'a');
  await settle();
  await to.deliveries.stop();
  assert.deepEqual([to.posted, to.logged], [['a'], []]);
});
