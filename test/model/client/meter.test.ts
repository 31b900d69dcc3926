import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Clock } from '../../../src/lib/clock.ts';
import type { ModelRequest, Usage } from '../../../src/model/client/conversation.ts';
import { Meter, type Spent } from '../../../src/model/client/meter.ts';
import type { ModelAccess } from '../../../src/model/client/model-access.ts';
import { ModelClient } from '../../../src/model/client/model-client.ts';
import { ModelError } from '../../../src/model/client/model-error.ts';
import { fakeKey, startFakeModel } from '../../support/fake-model/fake-model.ts';
import type { Fault } from '../../support/fake-model/faults.ts';
import { honest } from '../../support/fake-model/scripted-models.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { eventually, freePort } from '../../support/programs/programs.ts';
import { scriptedModel, type Line } from '../../support/scripted-model.ts';

const asked: ModelRequest = {
  system: 's'.repeat(4_000 - '[]?'.length), turns: [{ role: 'user', text: '?' }],
  tools: [], schema: null, maxOutput: 2_000,
  signal: new AbortController().signal,
};
/** At four characters a token. */
const estimate = 1_000;

async function spentOn(line: Line): Promise<Spent> {
  const settled: Spent[] = [];
  const meter = new Meter({
    model: scriptedModel([line]), tokens: 100_000, outputMax: 16_000,
    permits: { ask: () => Promise.resolve('granted'), account: (spent) => settled.push(spent) },
  });
  await meter.ask(asked).catch(() => undefined);
  const [spent] = settled;
  assert.ok(spent !== undefined);
  assert.equal(meter.used, spent.tokens);
  return spent;
}

const usage: Usage = { input: 3_000, cached: 0, output: 500 };
const absurd = Number.MAX_SAFE_INTEGER;
const spent: readonly (readonly [string, Line, number])[] = [
  ['what the provider counted', { usage }, 3_500],
  ['what can be expected where more was read than can be', {
    text: 'x'.repeat(40), usage: { ...usage, input: absurd },
  }, estimate + 10],
  ['what can be expected where more was written than can be', {
    text: 'x'.repeat(40), usage: { ...usage, output: absurd },
  }, estimate + 10],
  ['what can be expected where nothing is said to have been read', {
    text: 'x'.repeat(40), usage: { ...usage, input: 0, output: 0 },
  }, estimate + 10],
  ['calls and thoughts where nothing is counted', {
    usage: null, calls: [{ id: '1', name: 'n', arguments: {}, argumentsError: null }],
    own: 'x'.repeat(398),
  }, estimate + 100],
  ['the attempts that broke off before', { usage, lost: 2 }, 3_500 + 2 * estimate],
  ['all attempts of a request that timed out', new ModelError('late', {
    type: 'timeout', lost: 2,
  }), 2 * estimate],
  ['an answer that cannot be read', new ModelError('html', { type: 'malformed' }), estimate],
  ['both attempts of one that cannot be read', new ModelError('html', {
    type: 'malformed', lost: 2,
  }), 2 * estimate],
  ['nothing where nobody was there', new ModelError('away', { type: 'connection' }), 0],
];
for (const [what, line, tokens] of spent) {
  test(`Meter counts ${what}`, async () => {
    assert.equal((await spentOn(line)).tokens, tokens);
  });
}

/** Sleeps at once, but for the deadline. */
function hasty(time: ManualClock): Clock {
  return {
    now: () => time.now(), monotonic: () => time.monotonic(),
    sleep: (ms, signal) => ms === 90_000 ? time.sleep(ms, signal) : Promise.resolve(),
  };
}

function clientOf(access: ModelAccess, clock: ManualClock): ModelClient {
  return new ModelClient(access, { clock: hasty(clock), random: () => 0, memory: { learned: {} } });
}

async function lostBy(t: TestContext, faults: readonly Fault[]): Promise<number | undefined> {
  const fake = await startFakeModel(t, honest({ answer: 'done' }), { faults });
  const clock = new ManualClock();
  const access = {
    provider: 'openai-chat', url: fake.url, name: 'm', apiKey: fakeKey, effort: null,
    requestMs: 90_000,
  } as const;
  const answer = clientOf(access, clock).ask(asked)
    .catch((error: unknown) => error as ModelError);
  if (faults.some(({ kind }) => kind === 'hang')) {
    await eventually('the request to arrive', () => fake.requests[0] ?? null);
    await clock.advance(90_000);
  }
  return (await answer).lost;
}

const lost: readonly (readonly [string, readonly Fault[], number | undefined])[] = [
  ['none', [], undefined],
  ['a body that broke off before the answer', [{ kind: 'truncated' }], 1],
  ['connections that ended without an answer', [
    { kind: 'reset' }, { kind: 'reset' }, { kind: 'reset' },
  ], 3],
  ['a deadline that came first', [{ kind: 'hang' }], 1],
  ['what is no JSON, twice', [{ kind: 'broken json' }, { kind: 'broken json' }], 2],
  ['no refusal', [{ kind: 'status', status: 401 }], 0],
];
for (const [what, faults, count] of lost) {
  test(`ask() tells of the attempts that may be billed: ${what}`, async (t) => {
    assert.equal(await lostBy(t, faults), count);
  });
}

test('ask() bills no attempt to a server that cannot be reached', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const access = {
    provider: 'openai-chat', url, name: 'm', apiKey: null, effort: null, requestMs: 90_000,
  } as const;
  const answer = clientOf(access, new ManualClock()).ask(asked);
  await assert.rejects(answer, { type: 'connection', lost: 0 });
});
