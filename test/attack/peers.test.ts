/** Whatever a source, a model or a receiver answers: the question ends, and nothing else does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { post } from '../../src/delivery/post.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ModelClient } from '../../src/model/client/model-client.ts';
import { ModelError } from '../../src/model/client/model-error.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import { testClient } from '../support/sources/source-clients.ts';

/** How long the service may wait for an answer. */
const deadlineMs = 150;
/** When a connection breaks that breaks later: within the deadline. */
const laterMs = 30;

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const seven = `Content-Encoding: ${Array.from({ length: 7 }, () => 'gzip').join(', ')}\r\n`;
const packed = gzipSync('{"status":"success"}'.repeat(500));

type Answer = (socket: Socket) => void;

function saying(...parts: readonly (string | Buffer)[]): Answer {
  return (socket) => socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
}

function thenReset(...parts: readonly (string | Buffer)[]): Answer {
  return (socket) => {
    for (const part of parts) socket.write(part);
    setTimeout(() => socket.resetAndDestroy(), laterMs);
  };
}

function again(text: string, first = ''): Answer {
  return (socket) => {
    socket.write(first);
    const repeating = setInterval(() => socket.write(text), 5);
    socket.on('close', () => clearInterval(repeating));
  };
}

const answers: Readonly<Record<string, Answer>> = {
  'hangs up': saying(),
  'resets': thenReset(),
  'is no HTTP': saying('SSH-2.0-OpenSSH_9.6\r\n'),
  'switches protocols': saying('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxx'),
  'says 100 without end': again('HTTP/1.1 100 Continue\r\n\r\n'),
  'says 103 without end': again('HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'),
  'has headers of 2 MB': saying('HTTP/1.1 200 OK\r\nX: ', 'a'.repeat(2e6), '\r\n\r\n'),
  'has two lengths': saying(ok, 'Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}    '),
  'has a body that is shorter than announced': saying(ok, 'Content-Length: 99\r\n\r\n{}'),
  'has a body that is reset': thenReset(ok, 'Content-Length: 99\r\n\r\n{"a":'),
  'has a body that never ends': again('1\r\n \r\n', `${ok}Transfer-Encoding: chunked\r\n\r\n`),
  'has chunks that are none': saying(ok, 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}'),
  'has endless trailers': again('X: y\r\n', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`),
  'has seven encodings': saying(ok, seven, '\r\nx'),
  'has seven encodings, and a body that is reset':
    thenReset(ok, seven, 'Content-Length: 99\r\n\r\nx'),
  'has seven encodings, and a body that never ends':
    again('1\r\nx\r\n', `${ok}${seven}Transfer-Encoding: chunked\r\n\r\n`),
  'has 800 encodings': saying(ok, 'Content-Encoding: ', 'gzip,'.repeat(800), 'gzip\r\n\r\nx'),
  'has an unknown encoding': saying(ok, 'Content-Encoding: zstd\r\n\r\nx'),
  'has an encoding that it has not': saying(ok, 'Content-Encoding: gzip\r\n\r\nnot gzip'),
  'has an encoding of nothing': saying(ok, 'Content-Encoding: gzip\r\n\r\n'),
  'is packed and cut off': saying(ok, 'Content-Encoding: gzip\r\n\r\n', packed.subarray(0, 30)),
  'is packed and reset':
    thenReset(ok, 'Content-Encoding: gzip\r\nContent-Length: 999\r\n\r\n', packed.subarray(0, 30)),
  'is packed and stands still': (socket) => {
    socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: 999\r\n\r\n`);
    socket.write(packed.subarray(0, 30));
  },
  'is a refusal, packed badly': saying('HTTP/1.1 500 X\r\nContent-Encoding: gzip\r\n\r\nnot gzip'),
  'is a refusal that is reset': thenReset('HTTP/1.1 403 X\r\nContent-Length: 99\r\n\r\nno'),
  'is a redirect to nowhere': saying('HTTP/1.1 301 M\r\nLocation: \u0000\r\n\r\n'),
  'is a redirect that is reset':
    thenReset('HTTP/1.1 302 F\r\nLocation: file:///x\r\nContent-Length: 99\r\n\r\n'),
};

interface Peer {
  readonly url: string;
  /** Resolves once all of its connections are closed. */
  quiet(): Promise<void>;
}

async function startPeer(t: TestContext, answer: Answer): Promise<Peer> {
  const open = new Set<Promise<unknown>>();
  const server = createServer((socket) => {
    const closed = new Promise((resolve) => void socket.once('close', resolve))
      .finally(() => open.delete(closed));
    open.add(closed);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}`,
    quiet: async () => {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

const clock = systemClock;
const random = (): number => 0;

/** All who ask others anything; each with its way to say that there was no usable answer. */
const askers: Readonly<Record<string, (url: string, signal: AbortSignal) => Promise<unknown>>> = {
  source: async (url) => {
    const asked = testClient({ url, timeoutMs: deadlineMs })
      .ask({ path: '/api' }, (body) => JSON.parse(body.toString()) as unknown);
    await assert.rejects(asked, SourceFailure);
  },
  model: async (url, signal) => {
    const access = {
      provider: 'openai-chat', name: 'm', url, apiKey: null, effort: null, requestMs: 60_000,
    } as const;
    const client = new ModelClient(access, { clock, random, memory: { learned: {} } });
    const request = { system: '', turns: [], tools: [], schema: null, maxOutput: 10, signal };
    await assert.rejects(client.ask(request), ModelError);
  },
  receiver: (url, signal) => post({ clock, url: `${url}/hook`, body: '{}', signal }),
};

// Side by side, as a connection that the peer leaves open is closed after seconds.
test('nothing ends but the question', { concurrency: true }, async (t) => {
  await Promise.all(Object.entries(askers).flatMap(([asker, ask]) =>
    Object.entries(answers).map(([name, answer]) =>
      t.test(`to a ${asker} whose answer ${name}`, async (each) => {
        const peer = await startPeer(each, answer);
        await ask(peer.url, AbortSignal.timeout(deadlineMs));
        await peer.quiet();
      }))));
});
