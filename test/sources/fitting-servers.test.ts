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
}

type Answer = (signal: AbortSignal) => Promise<LabelSet>;

/** Servers by their URLs; a function answers, or fails, in its own way. */
function setup(told: Record<string, LabelSet | Answer>): Setup {
  const clock = new ManualClock();
  const asked: string[] = [];
  const servers = new FittingServers(Object.keys(told), {
    clock,
    ask: async (url, signal) => {
      asked.push(url);
      const labels = told[url] ?? {};
      return typeof labels === 'function' ? labels(signal) : labels as LabelSet;
    },
  });
  return { servers, clock, asked };
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
