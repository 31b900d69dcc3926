import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { ConnectionSlots } from '../../../src/http/server/connection-slots.ts';

function slotsFor(connectionsMax: number, onCut: () => void = () => {}): ConnectionSlots {
  return new ConnectionSlots({ connectionsMax, onCut });
}

function opened(slots: ConnectionSlots, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = new Socket();
    slots.opened(socket);
    return socket;
  });
}

function begun(
  slots: ConnectionSlots,
  socket: Socket,
  { isWhole }: { readonly isWhole: boolean },
): ServerResponse {
  const request = new IncomingMessage(socket);
  request.complete = isWhole;
  const response = new ServerResponse(request);
  slots.began(request, response);
  return response;
}

function namesOfDestroyed(sockets: readonly Socket[]): number[] {
  return sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));
}

test('up to 90 % nobody is evicted; beyond that each new connection evicts the oldest', () => {
  let cut = 0;
  const slots = slotsFor(10, () => (cut += 1));
  const sockets = opened(slots, 9);
  assert.deepEqual(namesOfDestroyed(sockets), []);
  opened(slots, 2);
  assert.deepEqual(namesOfDestroyed(sockets), [0, 1]);
  assert.equal(slots.size, 9);
  assert.equal(cut, 2);
});

test('a client that waits for an answer stays, one with half a request is evicted', () => {
  const slots = slotsFor(10);
  const sockets = opened(slots, 9);
  const [owed, half] = sockets;
  assert.ok(owed !== undefined && half !== undefined);
  begun(slots, owed, { isWhole: true });
  begun(slots, half, { isWhole: false });
  opened(slots, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('a client that does not read its answer is evicted, too', () => {
  const slots = slotsFor(10);
  const sockets = opened(slots, 9);
  const [reader] = sockets;
  assert.ok(reader !== undefined);
  begun(slots, reader, { isWhole: true }).end('unread');
  opened(slots, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [0]);
});

test('an answer moves its connection to the end of the line', () => {
  const slots = slotsFor(10);
  const sockets = opened(slots, 9);
  const [answered] = sockets;
  assert.ok(answered !== undefined);
  slots.ended(answered, begun(slots, answered, { isWhole: true }));
  opened(slots, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('an answer to one request does not count for the next one', () => {
  const slots = slotsFor(10);
  const sockets = opened(slots, 9);
  const [first] = sockets;
  assert.ok(first !== undefined);
  const response = begun(slots, first, { isWhole: true });
  begun(slots, first, { isWhole: true });
  slots.ended(first, response);
  for (const socket of sockets.slice(1)) {
    slots.ended(socket, begun(slots, socket, { isWhole: true }));
  }
  opened(slots, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('a closed connection is forgotten', () => {
  const slots = slotsFor(10);
  const [socket] = opened(slots, 3);
  (socket as EventEmitter).emit('close');
  assert.equal(slots.size, 2);
});

/** A connection in its TLS handshake. */
function arrived(slots: ConnectionSlots, remotePort: number): Socket {
  const socket = Object.defineProperty(new Socket(), 'remotePort', { value: remotePort });
  slots.arrived(socket);
  return socket;
}

test('beyond 90 % a new handshake evicts the oldest one, unless they are few', () => {
  let cut = 0;
  const slots = slotsFor(20, () => (cut += 1));
  const sockets = Array.from({ length: 18 }, (_, port) => arrived(slots, port));
  assert.deepEqual(namesOfDestroyed(sockets), []);
  arrived(slots, 18);
  assert.deepEqual(namesOfDestroyed(sockets), [0]);
  assert.equal(cut, 1);
  const others = slotsFor(20, () => (cut += 1));
  opened(others, 18);
  arrived(others, 0);
  arrived(others, 1);
  assert.equal(cut, 1);
});

test('a handshake ends when its connection is opened or closed', () => {
  const slots = slotsFor(20);
  arrived(slots, 1);
  const closed = arrived(slots, 2);
  slots.opened(Object.defineProperty(new Socket(), 'remotePort', { value: 1 }));
  assert.equal(slots.size, 2);
  arrived(slots, 2); // Another connection from the same port.
  closed.emit('close');
  assert.equal(slots.size, 2);
  const last = arrived(slots, 3);
  last.emit('close');
  assert.equal(slots.size, 2);
});

test('nobody is evicted where everybody waits for an answer', () => {
  const slots = slotsFor(10);
  const sockets = opened(slots, 9);
  for (const socket of sockets) begun(slots, socket, { isWhole: true });
  const [newcomer] = opened(slots, 1);
  assert.deepEqual(namesOfDestroyed([...sockets, newcomer ?? new Socket()]), []);
});
