import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { Connections } from '../../../src/http/server/connections.ts';

function connectionsFor(connectionsMax: number, onCut: () => void = () => {}): Connections {
  return new Connections({ connectionsMax, onCut });
}

function opened(connections: Connections, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = new Socket();
    connections.opened(socket);
    return socket;
  });
}

function begun(
  connections: Connections,
  socket: Socket,
  { isWhole }: { readonly isWhole: boolean },
): ServerResponse {
  const request = new IncomingMessage(socket);
  request.complete = isWhole;
  const response = new ServerResponse(request);
  connections.asked(socket, response);
  connections.began(socket, response);
  return response;
}

function namesOfDestroyed(sockets: readonly Socket[]): number[] {
  return sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));
}

test('up to 90 % nobody is evicted; beyond that each new connection evicts the oldest', () => {
  let cut = 0;
  const connections = connectionsFor(10, () => (cut += 1));
  const sockets = opened(connections, 9);
  assert.deepEqual(namesOfDestroyed(sockets), []);
  opened(connections, 2);
  assert.deepEqual(namesOfDestroyed(sockets), [0, 1]);
  assert.equal(connections.size, 9);
  assert.equal(cut, 2);
});

test('a client that waits for an answer stays, one with half a request is evicted', () => {
  const connections = connectionsFor(10);
  const sockets = opened(connections, 9);
  const [owed, half] = sockets;
  assert.ok(owed !== undefined && half !== undefined);
  begun(connections, owed, { isWhole: true });
  begun(connections, half, { isWhole: false });
  opened(connections, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('a client that does not read its answer is evicted, too', () => {
  const connections = connectionsFor(10);
  const sockets = opened(connections, 9);
  const [reader] = sockets;
  assert.ok(reader !== undefined);
  begun(connections, reader, { isWhole: true }).end('unread');
  opened(connections, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [0]);
});

test('an answer moves its connection to the end of the line', () => {
  const connections = connectionsFor(10);
  const sockets = opened(connections, 9);
  const [answered] = sockets;
  assert.ok(answered !== undefined);
  begun(connections, answered, { isWhole: true });
  connections.ended(answered);
  opened(connections, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('an answer to one request does not count for the next one', () => {
  const connections = connectionsFor(10);
  const sockets = opened(connections, 9);
  const [first] = sockets;
  assert.ok(first !== undefined);
  begun(connections, first, { isWhole: true });
  connections.ended(first);
  begun(connections, first, { isWhole: true });
  for (const socket of sockets.slice(1)) {
    begun(connections, socket, { isWhole: true });
    connections.ended(socket);
  }
  opened(connections, 1);
  assert.deepEqual(namesOfDestroyed(sockets), [1]);
});

test('a closed connection is forgotten', () => {
  const connections = connectionsFor(10);
  const [socket] = opened(connections, 3);
  (socket as EventEmitter).emit('close');
  assert.equal(connections.size, 2);
});

/** A connection in its TLS handshake. */
function arrived(connections: Connections, remotePort: number): Socket {
  const socket = Object.defineProperty(new Socket(), 'remotePort', { value: remotePort });
  connections.arrived(socket);
  return socket;
}

test('beyond 90 % a new handshake evicts the oldest one, unless they are few', () => {
  let cut = 0;
  const connections = connectionsFor(20, () => (cut += 1));
  const sockets = Array.from({ length: 18 }, (_, port) => arrived(connections, port));
  assert.deepEqual(namesOfDestroyed(sockets), []);
  arrived(connections, 18);
  assert.deepEqual(namesOfDestroyed(sockets), [0]);
  assert.equal(cut, 1);
  const others = connectionsFor(20, () => (cut += 1));
  opened(others, 18);
  arrived(others, 0);
  arrived(others, 1);
  assert.equal(cut, 1);
});

test('a handshake ends when its connection is opened or closed', () => {
  const connections = connectionsFor(20);
  arrived(connections, 1);
  const closed = arrived(connections, 2);
  connections.opened(Object.defineProperty(new Socket(), 'remotePort', { value: 1 }));
  assert.equal(connections.size, 2);
  arrived(connections, 2); // Another connection from the same port.
  closed.emit('close');
  assert.equal(connections.size, 2);
  const last = arrived(connections, 3);
  last.emit('close');
  assert.equal(connections.size, 2);
});

test('nobody is evicted where everybody waits for an answer', () => {
  const connections = connectionsFor(10);
  const sockets = opened(connections, 9);
  for (const socket of sockets) begun(connections, socket, { isWhole: true });
  const [newcomer] = opened(connections, 1);
  assert.deepEqual(namesOfDestroyed([...sockets, newcomer ?? new Socket()]), []);
});
