import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { ClientGoneError } from '../../../src/http/exchange.ts';
import { BodyRoom } from '../../../src/http/server/body-room.ts';
import { readBody } from '../../../src/http/server/read-body.ts';

interface Reading {
  readonly request: IncomingMessage;
  readonly room: BodyRoom;
  readonly body: Promise<Buffer>;
}

function reading(request: IncomingMessage = new IncomingMessage(new Socket())): Reading {
  const room = new BodyRoom(1000);
  const body = readBody(request, {
    limitBytes: 10, room, onCompleted: (each) => room.ended(each), beforeReading() {},
  });
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
