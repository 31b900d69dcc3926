import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyRoom, type TrackedBody } from '../../../src/http/server/body-room.ts';

const mb = 1024 * 1024;

function arriving(gone: string[], name: string): TrackedBody {
  return { size: 0, evict: () => gone.push(name) };
}

test('the largest body is evicted when all together take too much', () => {
  const room = new BodyRoom(100 * mb);
  const gone: string[] = [];
  const large = arriving(gone, 'large');
  const small = arriving(gone, 'small');
  room.received(large, 70 * mb);
  room.received(small, 30 * mb);
  assert.deepEqual(gone, []);
  room.received(small, 1);
  assert.deepEqual(gone, ['large']);
  assert.equal(room.bytes, 30 * mb + 1);
});

test('a single body may exceed the bound, until another comes', () => {
  const room = new BodyRoom(100 * mb);
  const gone: string[] = [];
  room.received(arriving(gone, 'first'), 101 * mb);
  assert.deepEqual(gone, []);
  room.received(arriving(gone, 'second'), 1);
  assert.deepEqual(gone, ['first']);
  assert.equal(room.bytes, 1);
});

test('a complete body counts until it has been processed, and is not evicted', () => {
  const room = new BodyRoom(100 * mb);
  const gone: string[] = [];
  const whole = arriving(gone, 'whole');
  room.received(whole, 90 * mb);
  room.completed(whole);
  room.received(arriving(gone, 'second'), 11 * mb);
  assert.deepEqual(gone, ['second']);
  room.received(arriving(gone, 'usual'), 10 * mb);
  room.received(arriving(gone, 'usual'), 64 * 1024);
  assert.deepEqual(gone, ['second', 'usual'], 'the smaller of them has the usual size');
  room.ended(whole);
  room.received(arriving(gone, 'third'), 11 * mb);
  assert.deepEqual(gone, ['second', 'usual']);
});

test('a body of usual size is never evicted, however little room there is', () => {
  const room = new BodyRoom(100 * mb);
  const gone: string[] = [];
  const whole = arriving(gone, 'whole');
  room.received(whole, 100 * mb);
  room.completed(whole);
  const usual = arriving(gone, 'usual');
  room.received(usual, 64 * 1024);
  assert.deepEqual(gone, []);
  room.received(usual, 1);
  assert.deepEqual(gone, ['usual'], 'larger than that it is not of usual size');
});

test('a body that ends leaves later ones tracked', () => {
  const room = new BodyRoom(100 * mb);
  const gone: string[] = [];
  const bodies = ['first', 'second', 'third'].map((name) => arriving(gone, name));
  for (const body of bodies) room.received(body, 20 * mb);
  room.ended(bodies[0] ?? assert.fail());
  room.received(arriving(gone, 'fourth'), 61 * mb);
  assert.deepEqual(gone, ['fourth']);
  room.received(bodies[2] ?? assert.fail(), 61 * mb);
  assert.deepEqual(gone, ['fourth', 'third']);
});

test('a body can be ended and completed again without effect', () => {
  const room = new BodyRoom(100);
  const body = arriving([], 'only');
  room.received(body, 60);
  room.completed(body);
  room.completed(body);
  room.ended(body);
  room.ended(body);
  room.completed(body);
  assert.equal(room.bytes, 0);
});
