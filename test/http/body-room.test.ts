import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyRoom, type Arriving } from '../../src/http/body-room.ts';

function arriving(gone: string[], name: string): Arriving {
  return { size: 0, giveWay: () => gone.push(name) };
}

test('the largest body gives way when all together take too much', () => {
  const room = new BodyRoom(100);
  const gone: string[] = [];
  const large = arriving(gone, 'large');
  const small = arriving(gone, 'small');
  room.received(large, 70);
  room.received(small, 30);
  assert.deepEqual(gone, []);
  room.received(small, 1);
  assert.deepEqual(gone, ['large']);
  assert.equal(room.bytes, 31);
});

test('a body that is alone takes what it needs, until another comes', () => {
  const room = new BodyRoom(100);
  const gone: string[] = [];
  room.received(arriving(gone, 'first'), 101);
  assert.deepEqual(gone, []);
  room.received(arriving(gone, 'second'), 1);
  assert.deepEqual(gone, ['first']);
  assert.equal(room.bytes, 1);
});

test('a body that has ended takes no room, however often that is told', () => {
  const room = new BodyRoom(100);
  const body = arriving([], 'only');
  room.received(body, 60);
  room.ended(body);
  room.ended(body);
  assert.equal(room.bytes, 0);
});
