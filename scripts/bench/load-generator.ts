/**
 * A process that posts as fast as it is answered, or at a fixed rate, over keep-alive connections
 * that it holds open to every target. The client does as little as possible, and the same for every
 * target: requests are built beforehand, and only the slots that make alerts new are rewritten.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { fillSlots, makeBody, type TakenBy } from './body.ts';

export const loadGeneratorPath: string = fileURLToPath(import.meta.url);

export interface SliceOrder {
  readonly port: number;
  readonly takenBy: TakenBy;
  readonly ms: number;
  readonly alerts: number;
  readonly connections: number;
  /** Requests per second over all connections; null posts as fast as it is answered. */
  readonly perSecond: number | null;
}

export interface SliceResult {
  readonly count: number;
  /** Answers other than 200, and connections that broke. */
  readonly errors: number;
  readonly ms: number;
  readonly latenciesMs: Float64Array;
}

interface Lane {
  readonly socket: Socket;
  readonly request: Buffer;
  readonly slots: readonly number[];
  sentAt: number;
  dueAt: number;
  received: number;
  /** Length of the whole answer; 0 until its head has arrived. */
  expected: number;
  head: Buffer | null;
  onAnswer: (ok: boolean) => void;
}

const headEnd = Buffer.from('\r\n\r\n');
const pools = new Map<string, readonly Lane[]>();
let lastNumber = Date.now() * 1_000;

async function runSlice(order: SliceOrder): Promise<SliceResult> {
  const lanes = await lanesFor(order);
  const latencies: number[] = [];
  let errors = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + order.ms;
  const betweenMs = order.perSecond === null ? 0 : (order.connections / order.perSecond) * 1_000;
  await Promise.all(
    lanes.map(
      (lane, index) =>
        new Promise<void>((resolve) => {
          lane.dueAt = startedAt + (betweenMs * index) / lanes.length;
          lane.onAnswer = (ok) => {
            const now = performance.now();
            if (ok) latencies.push(now - lane.sentAt);
            else errors += 1;
            lane.dueAt = betweenMs === 0 ? now : lane.dueAt + betweenMs;
            if (Math.max(now, lane.dueAt) < endsAt && !lane.socket.destroyed) sendWhenDue(lane);
            else resolve();
          };
          sendWhenDue(lane);
        }),
    ),
  );
  const ms = performance.now() - startedAt;
  return { count: latencies.length, errors, ms, latenciesMs: Float64Array.from(latencies) };
}

/** A request that is late because the previous answer was late is timed from when it was due. */
function sendWhenDue(lane: Lane): void {
  const waitMs = lane.dueAt - performance.now();
  if (waitMs <= 0) send(lane, lane.dueAt);
  else setTimeout(() => send(lane, performance.now()), waitMs);
}

function send(lane: Lane, at: number): void {
  lastNumber = fillSlots(lane.request, lane.slots, lastNumber);
  lane.sentAt = at;
  lane.received = 0;
  lane.expected = 0;
  lane.head = null;
  lane.socket.write(lane.request);
}

async function lanesFor(order: SliceOrder): Promise<readonly Lane[]> {
  const { port, alerts, connections, takenBy } = order;
  const key = `${port}/${alerts}`;
  const open = pools.get(key);
  // A closed connection would never answer, and the slice would never end.
  if (open?.every(({ socket }) => !socket.destroyed) === true) return open;
  for (const { socket } of open ?? []) socket.destroy();
  const { bytes, slots } = makeBody(alerts, takenBy);
  const path = takenBy === 'webhook' ? '/webhook' : '/api/v2/alerts';
  const head = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: bench-intake\r\n` +
      `Content-Length: ${bytes.length}\r\nContent-Type: application/json\r\n\r\n`,
  );
  const lanes = Array.from({ length: connections }, (): Lane => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const lane: Lane = {
      socket,
      request: Buffer.concat([head, bytes]),
      slots: slots.map((at) => at + head.length),
      sentAt: 0,
      dueAt: 0,
      received: 0,
      expected: 0,
      head: null,
      onAnswer: () => undefined,
    };
    socket.on('data', (chunk: Buffer) => receive(lane, chunk));
    socket.on('close', () => lane.onAnswer(false));
    socket.on('error', () => undefined);
    return lane;
  });
  await Promise.all(lanes.map(({ socket }) => once(socket, 'connect')));
  pools.set(key, lanes);
  return lanes;
}

function receive(lane: Lane, chunk: Buffer): void {
  lane.received += chunk.length;
  if (lane.expected === 0) {
    const seen = lane.head === null ? chunk : Buffer.concat([lane.head, chunk]);
    lane.head = seen;
    const end = seen.indexOf(headEnd);
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(seen.toString('latin1', 0, end))?.[1];
    if (length === undefined) throw new Error('The answer has no Content-Length');
    lane.expected = end + headEnd.length + Number(length);
  }
  if (lane.received >= lane.expected) lane.onAnswer(lane.head?.toString('latin1', 9, 12) === '200');
}

if (process.argv[1] === loadGeneratorPath) {
  process.on('message', (order: SliceOrder) => {
    void runSlice(order).then((result) => process.send?.(result));
  });
}
