import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { Places } from '../../../src/http/server/places.ts';

function placesFor(connectionsMax: number, onCut: () => void = () => {}): Places {
  return new Places({ connectionsMax, onCut });
}

function opened(places: Places, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = new Socket();
    places.opened(socket);
    return socket;
  });
}

function begun(
  places: Places,
  socket: Socket,
  { isWhole }: { readonly isWhole: boolean },
): ServerResponse {
  const request = new IncomingMessage(socket);
  request.complete = isWhole;
  const response = new ServerResponse(request);
  places.began(request, response);
  return response;
}

function namesOfDestroyed(sockets: readonly Socket[]): number[] {
  return sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));
}

test('up to 90 % nobody is evicted; beyond that each new connection evicts the oldest', () => {
  let cut = 0;
  const places = placesFor(10, () => (cut += 1));
  const sockets = opened(places, 9);
  assert.deepEqual(namesOfDestroyed(sockets), []);
  opened(places, 2);
  assert.deepEqual(namesOfDestroyed(sockets), [0, 1]);
  assert.equal(places.size, 9);
  assert.equal(cut, 2);
});

test('a client that waits for an answer stays, one with half a request is evicted', () => {
  const places = placesFor(10);
  const sockets = opened(places, 9);
  const [owed, half] = sockets;
  assert.ok(owed !== undefined && half !== undefined);
  begun(places, owed, { isWhole: true });
  begun(places, half, { isWhole: false });
  opened(places, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('a client that does not read its answer is evicted, too', () => {
  const places = placesFor(10);
  const sockets = opened(places, 9);
  const [reader] = sockets;
  assert.ok(reader !== undefined);
  begun(places, reader, { isWhole: true }).end('unread');
  opened(places, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [0]);
});

test('an answer moves its connection to the end of the line', () => {
  const places = placesFor(10);
  const sockets = opened(places, 9);
  const [answered] = sockets;
  assert.ok(answered !== undefined);
  places.ended(answered, begun(places, answered, { isWhole: true }));
  opened(places, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('an answer to one request does not count for the next one', () => {
  const places = placesFor(10);
  const sockets = opened(places, 9);
  const [first] = sockets;
  assert.ok(first !== undefined);
  const response = begun(places, first, { isWhole: true });
  begun(places, first, { isWhole: true });
  places.ended(first, response);
  for (const socket of sockets.slice(1)) {
    places.ended(socket, begun(places, socket, { isWhole: true }));
  }
  opened(places, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('a closed connection is forgotten', () => {
  const places = placesFor(10);
  const [socket] = opened(places, 3);
  (socket as EventEmitter).emit('close');
  assert.equal(places.size, 2);
});

/** A connection in its TLS handshake. */
function arrived(places: Places, remotePort: number): Socket {
  const socket = Object.defineProperty(new Socket(), 'remotePort', { value: remotePort });
  places.arrived(socket);
  return socket;
}

test('beyond 90 % a new handshake evicts the oldest one, unless they are few', () => {
  let cut = 0;
  const places = placesFor(20, () => (cut += 1));
  const sockets = Array.from({ length: 18 }, (_, port) => arrived(places, port));
  assert.deepEqual(namesOfDestroyed(sockets), []);
  arrived(places, 18);
  assert.deepEqual(namesOfDestroyed(sockets), [0]);
  assert.equal(cut, 1);
  const others = placesFor(20, () => (cut += 1));
  opened(others, 18);
  arrived(others, 0);
  arrived(others, 1);
  assert.equal(cut, 1);
});

test('a handshake ends when its connection is opened or closed', () => {
  const places = placesFor(20);
  arrived(places, 1);
  const closed = arrived(places, 2);
  places.opened(Object.defineProperty(new Socket(), 'remotePort', { value: 1 }));
  assert.equal(places.size, 2);
  arrived(places, 2); // Another connection from the same port.
  closed.emit('close');
  assert.equal(places.size, 2);
  const last = arrived(places, 3);
  last.emit('close');
  assert.equal(places.size, 2);
});

test('nobody is evicted where everybody waits for an answer', () => {
  const places = placesFor(10);
  const sockets = opened(places, 9);
  for (const socket of sockets) begun(places, socket, { isWhole: true });
  const [newcomer] = opened(places, 1);
  assert.deepEqual(namesOfDestroyed([...sockets, newcomer ?? new Socket()]), []);
});
