import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { ClientGoneError } from '../../../src/http/http-errors.ts';
import { BodyRoom } from '../../../src/http/server/body-room.ts';
import { readBody } from '../../../src/http/server/read-body.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

interface Reading {
  readonly request: IncomingMessage;
  readonly room: BodyRoom;
  readonly body: Promise<Buffer>;
}

function reading(request: IncomingMessage = new IncomingMessage(new Socket())): Reading {
  const room = new BodyRoom(1000);
  const tracked = { size: 0, evict() {} };
  const body = readBody(request, { limitBytes: 10, room, body: tracked, beforeReading() {} })
    .finally(() => room.ended(tracked));
  return { request, room, body };
}

test('readBody() keeps nothing of what comes after a refusal', async () => {
  const { request, room, body } = reading();
  request.push(Buffer.alloc(11));
  await assert.rejects(body, { status: 413 });
  request.push(Buffer.alloc(500));
  await new Promise(setImmediate);
  assert.equal(room.bytes, 0);
});

test('readBody() rejects and gives back its room when the client is gone', async () => {
  const { request, room, body } = reading();
  request.push(Buffer.alloc(5));
  await new Promise(setImmediate);
  assert.equal(room.bytes, 5);
  request.destroy();
  await assert.rejects(body, ClientGoneError);
  assert.equal(room.bytes, 0);
  await assert.rejects(reading(request).body, ClientGoneError);
});

test('readBody() joins what comes in parts', async () => {
  const { request, room, body } = reading();
  for (const part of ['{"a"', ':', '1}', null]) request.push(part);
  assert.equal((await body).toString(), '{"a":1}');
  assert.equal(room.bytes, 0);
});

test('a request that has been read does not keep its body in memory', async () => {
  const { request, body } = reading();
  const part = new WeakRef(Buffer.alloc(4));
  request.push(part.deref());
  request.push(Buffer.alloc(4));
  request.push(null);
  assert.equal((await body).length, 8);
  await new Promise(setImmediate);
  collectGarbage();
  assert.equal(part.deref(), undefined);
  assert.equal(request.complete, false, 'the request is still there');
});
