import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamOutput } from '../../../src/http/exchange.ts';
import {
  Listeners, listenersFor, type ListenerLimits,
} from '../../../src/http/routes/listeners.ts';
import type { LiveState, LiveSubject } from '../../../src/report/live-state.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const subject: LiveSubject = { kind: 'report', fingerprint: 'abc', episode: null };

interface Heard extends StreamOutput {
  readonly written: string[];
  isEnded: boolean;
  leave(): void;
}

function reader(): Heard {
  const written: string[] = [];
  let onClose = (): void => {};
  return {
    written,
    isEnded: false,
    write: (text) => void written.push(text),
    end() {
      this.isEnded = true;
      onClose();
    },
    onClose: (callback) => (onClose = callback),
    leave: () => onClose(),
  };
}

interface Setup {
  readonly clock: ManualClock;
  readonly listeners: Listeners;
  /** Times that any state was asked for. */
  readonly asked: string[];
  is(state: Partial<LiveState>): void;
  listen(over?: { client?: string; known?: string; subject?: LiveSubject }): Heard;
}

function setup(limits: Partial<ListenerLimits> = {}): Setup {
  const clock = new ManualClock();
  const asked: string[] = [];
  let state: LiveState = { revision: '1', episode: 1, status: 'queued', progress: null };
  const stateOf = (each: LiveSubject): LiveState => {
    asked.push(each.kind);
    return state;
  };
  const listeners = new Listeners({ clock, stateOf, limits });
  return {
    clock, listeners, asked,
    is(next) {
      state = { ...state, ...next };
      listeners.changed();
    },
    listen({ client = 'a', known, ...over } = {}) {
      const output = reader();
      listeners.add({ client, subject, known: known ?? null, output, ...over });
      return output;
    },
  };
}

const changedTo = (revision: string, status = 'queued'): string =>
  `event: changed\nid: ${revision}\ndata: {"revision":"${revision}","episode":1,"status":"${
    status}"}\n\n`;

test('Listeners first sends the retry time and the current state', () => {
  assert.deepEqual(setup().listen().written, ['retry: 2000\n\n', changedTo('1')]);
});

test('Listeners sends the state only to readers who do not know its revision', () => {
  const { listen } = setup();
  assert.deepEqual(listen({ known: '1' }).written, ['retry: 2000\n\n']);
  assert.deepEqual(listen({ known: '0' }).written, ['retry: 2000\n\n', changedTo('1')]);
});

test('Listeners counts the current readers of each client', () => {
  const { listeners, listen } = setup({ perClient: 2 });
  const first = listen();
  for (const client of ['a', 'b']) listen({ client });
  assert.throws(() => listeners.refuseIfFull('a'), { status: 429 });
  listeners.refuseIfFull('b');
  first.leave();
  listeners.refuseIfFull('a');
  listen();
  assert.throws(() => listeners.refuseIfFull('a'), { status: 429 });
});

test('Listeners sends each change and each step once', async () => {
  const { listen, is, clock } = setup();
  const { written } = listen({ known: '1' });
  is({ revision: '2', status: 'analysing', progress: { step: 'Reading', done: 0, of: 4 } });
  await clock.advance(100);
  is({});
  await clock.advance(500);
  is({ progress: { step: 'Weighing', done: 2, of: 4 } });
  await clock.advance(500);
  is({ revision: '3', status: 'ready', progress: null });
  await clock.advance(500);
  assert.deepEqual(written.slice(1), [
    changedTo('2', 'analysing'),
    'event: progress\ndata: {"step":"Reading","done":0,"of":4,"status":"analysing"}\n\n',
    'event: progress\ndata: {"step":"Weighing","done":2,"of":4,"status":"analysing"}\n\n',
    changedTo('3', 'ready'),
  ]);
});

for (const [kind, most] of [['report', 4], ['list', 1], ['incident', 1]] as const) {
  test(`Listeners tells of a ${kind} ${most} times a second at most, and the last`, async () => {
    const { listen, is, clock } = setup();
    const other = kind === 'list' ? { kind } : { kind, id: 'x', fingerprint: 'x', episode: null };
    const { written } = listen({ known: '1', subject: other });
    for (let revision = 2; revision <= 101; revision++) {
      is({ revision: `${revision}` });
      await clock.advance(10);
    }
    assert.ok(written.length - 1 <= most + 1, `${written.length - 1} events in a second`);
    await clock.advance(2_000);
    assert.equal(written.at(-1), changedTo('101'));
  });
}

test('Listeners does not hold back a change after one that was none for the reader', async () => {
  const { listen, is, clock } = setup();
  const { written } = listen({ known: '1' });
  is({});
  await clock.advance(100);
  is({ revision: '2' });
  await clock.advance(100);
  assert.equal(written.at(-1), changedTo('2'));
});

test('Listeners looks up the state of a subject once for all its readers', async () => {
  const { listen, is, clock, asked } = setup();
  const readers = Array.from({ length: 20 }, () => listen());
  asked.length = 0;
  is({ revision: '2' });
  await clock.advance(100);
  assert.deepEqual(asked, []);
  await clock.advance(250);
  assert.deepEqual(asked, ['report']);
  for (const { written } of readers) assert.equal(written.at(-1), changedTo('2'));
});

test('Listeners looks up nothing while nobody listens', async () => {
  const { is, clock, asked, listen } = setup();
  is({ revision: '2' });
  await clock.advance(1_000);
  listen().leave();
  asked.length = 0;
  is({ revision: '3' });
  await clock.advance(1_000);
  assert.deepEqual(asked, []);
});

test('Listeners sends heartbeats, and ends connections after an hour', async () => {
  const { listen, clock } = setup();
  const gone = listen();
  await clock.advance(1_000);
  gone.leave();
  await clock.advance(60_000);
  const readers = [listen({ known: '1' }), listen({ known: '1' })];
  await clock.advance(45_000);
  for (const { written } of readers) {
    assert.deepEqual(written.slice(1), Array(3).fill(': still here\n\n'));
  }
  await clock.advance(60 * 60_000);
  assert.ok(readers.every(({ isEnded }) => isEnded));
});

test('listenersFor() is a quarter of the connections, but at most 256', () => {
  assert.deepEqual([128, 512, 1024, 4096].map(listenersFor), [32, 128, 256, 256]);
});

test('Listeners limits readers per client and in all', () => {
  const { listen, listeners } = setup({ perClient: 2, total: 3 });
  const first = listen();
  listen();
  assert.throws(() => listeners.refuseIfFull('a'), { status: 429 });
  listeners.refuseIfFull('b');
  listen({ client: 'b' });
  assert.throws(() => listeners.refuseIfFull('c'), { status: 503 });
  assert.equal(listeners.size, 3);
  first.leave();
  listeners.refuseIfFull('a');
  assert.equal(listeners.size, 2);
});

test('Listeners.close() ends all streams, and new ones at once', async () => {
  const { listen, listeners, is, clock } = setup();
  const readers = [listen(), listen({ client: 'b' })];
  listeners.close();
  assert.ok(readers.every(({ isEnded }) => isEnded));
  assert.equal(listeners.size, 0);
  assert.throws(() => listeners.refuseIfFull('a'), { status: 503 });
  assert.ok(listen().isEnded);
  is({ revision: '2' });
  await clock.advance(60_000);
});
