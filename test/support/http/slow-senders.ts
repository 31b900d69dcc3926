/** Clients that hold connections and send little; each reconnects soon after a disconnect. */
import { connect, type Socket } from 'node:net';

export interface SlowSenders {
  /** Connections made so far, closed ones included. */
  readonly connected: () => number;
  stop(): void;
}

type Kind = 'silent' | 'headers' | 'body' | 'reader';
const kinds: readonly Kind[] = ['silent', 'headers', 'body', 'reader'];

/** What each kind sends first, and then every second. */
const sent: Readonly<Record<Kind, { readonly first: string; readonly then: string }>> = {
  silent: { first: '', then: '' },
  headers: { first: 'POST /webhook HTTP/1.1\r\nHost: slow\r\n', then: 'X-More: 1\r\n' },
  body: {
    first: 'POST /webhook HTTP/1.1\r\nHost: slow\r\nContent-Length: 100000\r\n\r\n{', then: ' ',
  },
  reader: {
    first: 'GET / HTTP/1.1\r\nHost: slow\r\n\r\n'.repeat(20),
    then: 'GET / HTTP/1.1\r\nHost: slow\r\n\r\n',
  },
};

const sendEveryMs = 1_000;
/** Time over which the first connections are spread. */
const connectWithinMs = 1_000;
const reconnectMs = 200;

/** `count` clients, a quarter each of: silent, slow headers, slow body, never reading. */
export function startSlowSenders(port: number, count: number): SlowSenders {
  const sockets = new Map<Socket, Kind>();
  let connected = 0;
  let isOver = false;
  const begin = (kind: Kind): void => {
    if (isOver) return;
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.set(socket, kind);
    socket.on('error', () => {}); // Being disconnected is expected.
    socket.once('connect', () => {
      connected += 1;
      socket.write(sent[kind].first);
      if (kind === 'reader') socket.pause();
      else socket.resume();
    });
    socket.once('close', () => {
      sockets.delete(socket);
      setTimeout(() => begin(kind), reconnectMs).unref();
    });
  };
  for (let index = 0; index < count; index += 1) {
    const kind = kinds[index % kinds.length] ?? 'silent';
    setTimeout(() => begin(kind), (index / count) * connectWithinMs).unref();
  }
  const sending = setInterval(() => {
    for (const [socket, kind] of sockets) {
      if (socket.writable && sent[kind].then !== '') socket.write(sent[kind].then);
    }
  }, sendEveryMs);
  return {
    connected: () => connected,
    stop() {
      isOver = true;
      clearInterval(sending);
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}
