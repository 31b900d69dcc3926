import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { FittingServers } from '../../src/sources/fitting-servers.ts';
import { prometheusIdentity } from '../../src/sources/prometheus.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import { ManualClock } from '../support/manual-clock.ts';

interface Setup {
  readonly servers: FittingServers;
  readonly clock: ManualClock;
  readonly asked: string[];
  /** Servers that have seen the alert, and with how many of its labels. */
  readonly seen: Record<string, number | ((signal: AbortSignal) => Promise<number>)>;
  /** Servers that were asked for that. */
  readonly searched: string[];
}

type Answer = (signal: AbortSignal) => Promise<LabelSet>;

/** Servers by their URLs; a function answers, or fails, in its own way. */
function setup(told: Record<string, LabelSet | Answer>): Setup {
  const clock = new ManualClock();
  const asked: string[] = [];
  const searched: string[] = [];
  const seen: Setup['seen'] = {};
  const servers = new FittingServers(Object.keys(told), {
    clock,
    ask: async (url, signal) => {
      asked.push(url);
      const labels = told[url] ?? {};
      return typeof labels === 'function' ? labels(signal) : labels as LabelSet;
    },
    seen: async (url, _alert, signal) => {
      searched.push(url);
      const count = seen[url] ?? 0;
      return typeof count === 'function' ? count(signal) : count;
    },
  });
  return { servers, clock, asked, seen, searched };
}

const refuse = (): Promise<never> => Promise.reject(
  new SourceFailure(prometheusIdentity, { reason: 'connection', detail: 'refused' }));
const hang = (signal: AbortSignal): Promise<never> => new Promise((_resolve, reject) => {
  signal.addEventListener('abort', () => void refuse().catch(reject));
});

test('FittingServers finds the pair of the cluster that an alert is of', async () => {
  const { servers, asked } = setup({
    a0: { cluster: 'a', replica: '0' }, a1: { cluster: 'a', replica: '1' },
    b0: { cluster: 'b', replica: '0' }, b1: { cluster: 'b', replica: '1' },
  });
  assert.deepEqual(await servers.of({ alertname: 'X', cluster: 'b' }), ['b0', 'b1']);
  assert.deepEqual(await servers.of({ alertname: 'X', cluster: 'a' }), ['a0', 'a1']);
  assert.equal(asked.length, 4, 'each is asked once');
  assert.deepEqual(await servers.of({ alertname: 'X', cluster: 'c' }), ['a0', 'a1', 'b0', 'b1']);
  assert.deepEqual(await servers.of({ alertname: 'X' }), ['a0', 'a1', 'b0', 'b1']);
});

test('FittingServers prefers servers that tell of a label of the alert', async () => {
  const { servers, clock } = setup({
    silent: hang, refusing: refuse, none: {}, b: { cluster: 'b' },
  });
  const found = servers.of({ cluster: 'b' });
  await clock.advance(1_000);
  assert.deepEqual(await found, ['b']);
  assert.deepEqual(await servers.of({ cluster: 'a' }), ['silent', 'refusing', 'none']);
});

test('FittingServers looks for the alert where labels do not tell its server', async () => {
  const { servers, seen, searched } = setup({ a: {}, b: {}, c: refuse, d: { cluster: 'd' } });
  assert.deepEqual(await servers.of({ cluster: 'd' }), ['d']);
  assert.deepEqual(searched, []);
  assert.deepEqual(await servers.of({ cluster: 'b' }), ['a', 'b', 'c'], 'it was seen on none');
  assert.deepEqual(searched, ['a', 'b', 'c']);
  // One of the same name, without the cluster, fires on the other as well.
  Object.assign(seen, { a: 3, b: 4, c: 4 });
  assert.deepEqual(await servers.of({ cluster: 'b' }), ['b', 'c']);
  const rewritten = setup({ a: { cluster: 'a' }, b: { cluster: 'b' } });
  rewritten.seen['b'] = 2;
  assert.deepEqual(await rewritten.servers.of({ cluster: 'prod-b' }), ['b']);
});

test('FittingServers looks for alerts on a server that hangs once a minute', async () => {
  const { servers, clock, seen, searched } = setup({ a: {}, b: {} });
  seen['a'] = hang;
  const first = servers.of({});
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  await clock.advance(1_000);
  assert.deepEqual(await first, ['a', 'b']);
  assert.deepEqual(await servers.of({}), ['a', 'b']);
  assert.deepEqual(searched, ['a', 'b', 'b']);
  await clock.advance(60_000);
  seen['a'] = 1;
  assert.deepEqual(await servers.of({}), ['a']);
});

test('FittingServers asks again after a while, and remembers what a lost server told', async () => {
  let isLost = false;
  const { servers, clock, asked } = setup({
    a: () => (isLost ? refuse() : Promise.resolve({ cluster: 'a' })), b: { cluster: 'b' },
  });
  assert.deepEqual(await servers.of({ cluster: 'a' }), ['a']);
  isLost = true;
  await clock.advance(60_000);
  assert.deepEqual(await servers.of({ cluster: 'a' }), ['a']);
  assert.deepEqual(await servers.of({ cluster: 'b' }), ['b']);
  assert.deepEqual(asked, ['a', 'b', 'a', 'b']);
});

test('FittingServers waits for a server that hangs only once', async () => {
  let isBack = false;
  const { servers, clock } = setup({
    a: (signal) => (isBack ? Promise.resolve({ cluster: 'a' }) : hang(signal)),
    b: { cluster: 'b' },
  });
  const first = servers.of({ cluster: 'a' });
  await clock.advance(1_000);
  assert.deepEqual(await first, ['a']);
  assert.deepEqual(await servers.of({ cluster: 'c' }), ['a'], 'it may be that of c');
  await clock.advance(60_000);
  isBack = true;
  assert.deepEqual(await servers.of({ cluster: 'c' }), ['a'], 'at once, as it was known');
  await clock.advance(0);
  assert.deepEqual(await servers.of({ cluster: 'c' }), ['a', 'b']);
});

test('FittingServers asks nothing where there is no choice', async () => {
  const { servers, asked } = setup({ only: { cluster: 'a' } });
  assert.deepEqual(await servers.of({ cluster: 'b' }), ['only']);
  assert.deepEqual(asked, []);
});
