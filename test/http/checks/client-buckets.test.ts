import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientBuckets } from '../../../src/http/checks/client-buckets.ts';
import { TokenBucket } from '../../../src/lib/token-bucket.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function drain(bucket: TokenBucket): number {
  let drawn = 0;
  while (bucket.take()) drawn += 1;
  return drawn;
}

test('TokenBucket.take() refuses once the capacity is spent', () => {
  const bucket = new TokenBucket(3, new ManualClock());
  assert.deepEqual([1, 2, 3, 4].map(() => bucket.take()), [true, true, true, false]);
  assert.equal(bucket.left(), 0);
});

test('TokenBucket is refilled 60 s after the first draw, and not a moment before', async () => {
  const clock = new ManualClock(1_000_000);
  const bucket = new TokenBucket(2, clock);
  await clock.advance(5000);
  bucket.take();
  await clock.advance(30_000);
  bucket.take();
  await clock.advance(29_999);
  assert.equal(bucket.take(), false);
  assert.equal(bucket.refillInMs(), 1);
  await clock.advance(1);
  assert.equal(bucket.left(), 2);
});

test('TokenBucket allows no more than its capacity between two refills', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket(100, clock);
  let drawn = 0;
  for (let second = 0; second < 60; second += 1) {
    for (let index = 0; index < 10; index += 1) drawn += bucket.take() ? 1 : 0;
    await clock.advance(1000);
  }
  assert.equal(drawn, 100);
  assert.equal(drain(bucket), 100);
});

test('TokenBucket.refillWallTime() stays the same for the whole period', async () => {
  const clock = new ManualClock(1_700_000_000_000);
  const bucket = new TokenBucket(5, clock);
  assert.equal(bucket.refillWallTime(), 1_700_000_000_000);
  bucket.take();
  await clock.advance(12_345);
  bucket.take();
  assert.equal(bucket.refillWallTime(), 1_700_000_060_000);
});

test('TokenBucket ignores jumps of the wall clock', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const bucket = new TokenBucket(1, clock);
  bucket.take();
  clock.jumpWallTime(3_600_000);
  assert.equal(bucket.take(), false);
  assert.equal(bucket.refillInMs(), 60_000);
});

test('TokenBucket.giveBack() undoes a draw, also the one that began the period', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket(2, clock);
  bucket.take();
  bucket.giveBack();
  bucket.giveBack();
  assert.equal(bucket.left(), 2);
  await clock.advance(59_000);
  bucket.take();
  await clock.advance(2000);
  assert.equal(bucket.left(), 1);
});

test('ClientBuckets gives each client its own bucket, and the same one again', () => {
  const buckets = new ClientBuckets({ capacity: 2, clock: new ManualClock() });
  assert.equal(drain(buckets.bucketOf('10.0.0.1')), 2);
  assert.equal(buckets.bucketOf('10.0.0.1').left(), 0);
  assert.equal(buckets.bucketOf('10.0.0.2').left(), 2);
});

test('ClientBuckets never grows beyond its bound and forgets no bucket in use', () => {
  const buckets = new ClientBuckets({ capacity: 2, clock: new ManualClock(), clientsMax: 100 });
  drain(buckets.bucketOf('flooder'));
  for (let index = 0; index < 10_000; index += 1) buckets.bucketOf(`client ${index}`).take();
  assert.equal(buckets.size, 100);
  assert.equal(buckets.bucketOf('flooder').take(), false);
});

test('ClientBuckets still limits new clients when every place is in use', () => {
  const buckets = new ClientBuckets({ capacity: 2, clock: new ManualClock(), clientsMax: 10 });
  for (let index = 0; index < 10; index += 1) buckets.bucketOf(`client ${index}`).take();
  assert.equal(drain(buckets.bucketOf('newcomer')), 2);
  assert.equal(buckets.bucketOf('newcomer').take(), false);
  let allowed = 0;
  for (let index = 0; index < 100_000; index += 1) {
    allowed += buckets.bucketOf(`address ${index}`).take() ? 1 : 0;
  }
  assert.ok(allowed <= 256 * 2, `${allowed} requests were allowed`);
});

test('ClientBuckets takes no longer for a new client in a flood of addresses', () => {
  const clock = new ManualClock();
  const buckets = new ClientBuckets({ capacity: 2, clock });
  const timeOf = (from: number, to: number): number => {
    const cpuMs = cpuTimer();
    for (let i = from; i < to; i++) buckets.bucketOf(`2001:db8::${i}`).take();
    return cpuMs();
  };
  const first = timeOf(0, 50_000);
  timeOf(50_000, 100_000);
  const later = timeOf(100_000, 150_000);
  assert.ok(later < 10 * first, `${later} ms after ${first} ms`); // It was fifty times as long.
});

test('ClientBuckets shrinks again after a flood', async () => {
  const clock = new ManualClock();
  const buckets = new ClientBuckets({ capacity: 2, clock, clientsMax: 100 });
  for (let index = 0; index < 200; index += 1) buckets.bucketOf(`client ${index}`).take();
  await clock.advance(60_000);
  for (let index = 0; index < 20; index += 1) buckets.bucketOf(`later ${index}`).take();
  assert.ok(buckets.size < 40, `${buckets.size} buckets are left`);
  assert.equal(buckets.bucketOf('later 19').left(), 1);
});
