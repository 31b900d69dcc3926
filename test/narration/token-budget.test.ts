import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeFileSystem } from '../../src/lib/file-system.ts';
import { ModelError } from '../../src/model/client/model-error.ts';
import { Breaker } from '../../src/narration/breaker.ts';
import { NarrationPermits } from '../../src/narration/permits.ts';
import { TokenBudget } from '../../src/narration/token-budget.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const dayMs = 24 * 3_600_000;
const noon = Date.parse('2026-11-20T12:00:00Z');

interface Opened {
  readonly budget: TokenBudget;
  readonly troubles: unknown[];
}

async function open(path: string, clock: ManualClock, tokensPerDay = 10_000): Promise<Opened> {
  const troubles: unknown[] = [];
  const budget = await TokenBudget.open({
    path, clock, tokensPerDay, files: nodeFileSystem, onTrouble: (error) => troubles.push(error),
  });
  return { budget, troubles };
}

async function pathFor(): Promise<string> {
  return join(temporaryDirectory(), 'budget.json');
}

test('TokenBudget has a request on disk before it is made, and its tokens after', async () => {
  const path = await pathFor();
  const { budget } = await open(path, new ManualClock(noon));
  const reservation = await budget.reserve(6_000);
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { day: '2026-11-20', tokens: 6_000 });
  assert.ok(typeof reservation === 'object');
  budget.account(reservation, 2_500);
  await budget.idle();
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { day: '2026-11-20', tokens: 2_500 });
});

test('TokenBudget reserves no more than the day has', async () => {
  const { budget } = await open(await pathFor(), new ManualClock(noon));
  const both = await Promise.all([budget.reserve(6_000), budget.reserve(6_000)]);
  assert.equal(both.filter((each) => typeof each === 'object').length, 1);
  assert.equal(typeof await budget.reserve(4_000), 'object');
  assert.equal(await budget.reserve(1), 'budget');
  assert.equal(budget.left, 0);
});

test('TokenBudget is exceeded by no more than one request that used more', async () => {
  const { budget } = await open(await pathFor(), new ManualClock(noon));
  const reservation = await budget.reserve(9_000);
  assert.ok(typeof reservation === 'object');
  budget.account(reservation, 12_000);
  assert.equal(budget.left, 0);
  assert.equal(await budget.reserve(1), 'budget');
  await budget.idle();
});

test('TokenBudget remembers used and reserved tokens across a restart', async () => {
  const path = await pathFor();
  const clock = new ManualClock(noon);
  await (await open(path, clock)).budget.reserve(7_000);
  assert.equal((await open(path, clock)).budget.used, 7_000);
});

test('TokenBudget starts anew at midnight UTC, not when the clock is set back', async () => {
  const path = await pathFor();
  const clock = new ManualClock(noon);
  const { budget } = await open(path, clock);
  const yesterday = await budget.reserve(7_000);
  clock.jumpWallTime(12 * 3_600_000);
  assert.equal(budget.used, 0);
  await budget.reserve(1_000);
  assert.ok(typeof yesterday === 'object');
  budget.account(yesterday, 100);
  assert.equal(budget.used, 1_000);
  clock.jumpWallTime(-24 * 3_600_000);
  assert.equal(budget.used, 1_000);
  await budget.idle();
});

test('TokenBudget keeps what a clock that was ahead counted, and begins anew', async () => {
  const path = await pathFor();
  await writeFile(path, '{"day":"2027-12-26","tokens":7000}');
  const clock = new ManualClock(noon);
  const { budget } = await open(path, clock);
  assert.equal(budget.used, 7_000);
  assert.equal(typeof await budget.reserve(1_000), 'object');
  clock.jumpWallTime(dayMs);
  assert.equal(budget.used, 0);
  clock.jumpWallTime(-dayMs);
  await budget.reserve(2_000);
  clock.jumpWallTime(dayMs);
  assert.equal(budget.used, 2_000);
});

test('TokenBudget counts the day as used up when its file cannot be read', async () => {
  const path = await pathFor();
  for (const content of [
    '', '{"day":', '{"day":"today","tokens":1}', '{"day":"2026-11-20"}',
    '{"day":"2026-11-20","tokens":-1}',
  ]) {
    await writeFile(path, content);
    const clock = new ManualClock(noon);
    const { budget, troubles } = await open(path, clock);
    assert.equal(budget.left, 0, content);
    assert.equal(await budget.reserve(1), 'uncounted');
    assert.equal(budget.isCounted, false);
    assert.equal(troubles.length, 1);
    clock.jumpWallTime(dayMs);
    assert.ok(budget.isCounted && budget.used === 0);
  }
});

test('TokenBudget reserves nothing that it cannot write to disk', async () => {
  const path = join(temporaryDirectory(), 'missing', 'budget.json');
  const { budget, troubles } = await open(path, new ManualClock(noon));
  assert.equal(await budget.reserve(100), 'uncounted');
  assert.equal(budget.used, 0);
  assert.equal(troubles.length, 1);
});

test('NarrationPermits counts an unsettled request as all that it might use', async () => {
  const clock = new ManualClock(noon);
  const { budget } = await open(await pathFor(), clock);
  const permits = new NarrationPermits(budget, new Breaker(clock));
  assert.equal(await permits.ask(3_000), 'granted');
  permits.account({ tokens: 1_000, failure: null });
  assert.equal(await permits.ask(2_000), 'granted');
  permits.end();
  permits.end();
  assert.equal(budget.used, 3_000);
  const next = new NarrationPermits(budget, new Breaker(clock));
  assert.equal(await next.ask(9_000), 'budget');
  await budget.idle();
});

test('NarrationPermits permits nothing once ended while reserving', async () => {
  const clock = new ManualClock(noon);
  const { budget } = await open(await pathFor(), clock);
  const breaker = new Breaker(clock);
  breaker.failed(new ModelError('no', { type: 'unauthorized' }));
  breaker.tryNow();
  const permits = new NarrationPermits(budget, breaker);
  const asked = permits.ask(1_000);
  permits.end();
  assert.equal(await asked, 'breaker');
  assert.equal(budget.used, 0);
  assert.ok(breaker.isPassable, 'the probe is for another');
  await budget.idle();
});

test('NarrationPermits permits one of two simultaneous probes', async () => {
  const clock = new ManualClock(noon);
  const { budget } = await open(await pathFor(), clock);
  const breaker = new Breaker(clock);
  breaker.failed(new ModelError('no', { type: 'unauthorized' }));
  breaker.tryNow();
  const [one, other] = [1, 2].map(() => new NarrationPermits(budget, breaker).ask(1_000));
  assert.deepEqual([await one, await other], ['granted', 'breaker']);
  assert.equal(budget.used, 1_000);
  await budget.idle();
});

test('NarrationPermits reserves nothing while the breaker is open', async () => {
  const clock = new ManualClock(noon);
  const { budget } = await open(await pathFor(), clock);
  const breaker = new Breaker(clock);
  const permits = new NarrationPermits(budget, breaker);
  await permits.ask(1_000);
  permits.account({ tokens: 0, failure: new ModelError('no', { type: 'unauthorized' }) });
  assert.equal(await permits.ask(1_000), 'breaker');
  assert.equal(budget.used, 0);
  await budget.idle();
});
