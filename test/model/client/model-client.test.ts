import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Clock } from '../../../src/lib/clock.ts';
import type {
  Model, ModelReply, ModelRequest, ToolSpec, Turn,
} from '../../../src/model/client/conversation.ts';
import type { ModelAccess } from '../../../src/model/client/model-access.ts';
import {
  ModelClient, type ModelCall, type ModelMemory,
} from '../../../src/model/client/model-client.ts';
import {
  ModelError, type ModelErrorKind, type ModelErrorType,
} from '../../../src/model/client/model-error.ts';
import type { Quirks } from '../../../src/model/client/quirks.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import {
  fakeKey, startFakeModel, type FakeModel, type FakeModelOptions,
} from '../../support/fake-model/fake-model.ts';
import type { Fault } from '../../support/fake-model/faults.ts';
import type { Script } from '../../support/fake-model/heard.ts';
import { hanging, honest, sloppy } from '../../support/fake-model/scripted-models.ts';
import { habits, type HabitName } from '../../support/fake-model/servers.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { eventually, freePort, letRun } from '../../support/programs/programs.ts';

type Provider = ModelAccess['provider'];
const providers: readonly Provider[] = ['openai', 'openai-chat', 'anthropic'];

const tool: ToolSpec = {
  name: 'prom_query',
  description: 'Asks Prometheus.',
  schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};
const schema = {
  name: 'report',
  schema: {
    type: 'object', additionalProperties: false, required: ['a'],
    properties: { a: { type: 'string' } },
  },
};

/** Sleeps at once, and remembers for how long; the deadline alone never comes. */
function hastyClock(): { clock: Clock; pauses: number[] } {
  const pauses: number[] = [];
  const time = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms === 90_000) return time.sleep(ms, signal);
    pauses.push(ms);
    return time.advance(ms);
  };
  return {
    clock: { now: () => time.now(), monotonic: () => time.monotonic(), sleep }, pauses,
  };
}

interface Setup extends FakeModelOptions {
  readonly provider?: Provider;
  readonly script?: Script;
  readonly apiKey?: string | null;
  readonly clock?: Clock;
  readonly learned?: Partial<Quirks>;
}

interface Started {
  readonly fake: FakeModel;
  readonly model: Model;
  readonly asked: readonly ModelCall[];
  readonly learned: readonly Partial<Quirks>[];
  readonly pauses: readonly number[];
}

async function start(t: TestContext, setup: Setup = {}): Promise<Started> {
  const { provider = 'openai-chat', script = honest({ answer: 'done' }) } = setup;
  const fake = await startFakeModel(t, script, setup);
  const { clock, pauses } = hastyClock();
  const asked: ModelCall[] = [];
  const learned: Partial<Quirks>[] = [];
  const memory: ModelMemory = {
    get learned() {
      return learned.at(-1) ?? setup.learned ?? {};
    },
    set learned(all) {
      learned.push(all);
    },
  };
  const url = provider === 'anthropic' ? fake.origin : fake.url;
  const access = {
    provider, url, name: 'm', apiKey: setup.apiKey ?? fakeKey, effort: null, requestMs: 90_000,
  };
  const model = new ModelClient(access, {
    clock: setup.clock ?? clock,
    random: () => 0.5,
    onAsked: (each) => asked.push(each),
    memory,
  });
  return { fake, model, asked, learned, pauses };
}

function request(rest: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'Be brief.',
    turns: [{ role: 'user', text: 'Why? Answer in JSON.' }],
    tools: [],
    schema: null,
    maxOutput: 2048,
    signal: new AbortController().signal,
    ...rest,
  };
}

/** The turns after the model asked for tools and was answered. */
function answered(reply: ModelReply): readonly Turn[] {
  const results = reply.calls.map(({ id }) => ({ id, text: '1', isError: false }));
  return [
    { role: 'user', text: 'Why?' },
    { role: 'assistant', text: reply.text, calls: reply.calls, own: reply.own },
    { role: 'tool_results', results },
  ];
}

async function failureOf(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(() => null, (thrown: unknown) => thrown);
  assert.ok(error instanceof ModelError, String(error));
  return error;
}

for (const provider of providers) {
  test(`a strict server understands a whole conversation with ${provider}`, async (t) => {
    const { model, fake, asked } = await start(t, { provider });
    const first = await model.ask(request({ tools: [tool] }));
    assert.equal(first.stop, 'tools');
    const turns = answered(first);
    const last = await model.ask(request({ tools: [tool], turns }));
    assert.deepEqual([last.text, last.stop, last.model], ['done', 'end', 'm-2026-01-01']);
    assert.deepEqual(last.usage, { input: 100, cached: 40, output: 20 });
    await model.ask(request({ schema }));
    assert.deepEqual(fake.refusals, []);
    const { heard } = fake.requests[1] ?? {};
    assert.equal(heard?.system.startsWith('Be brief.'), true);
    assert.deepEqual(heard?.turns.map(({ role }) => role), ['user', 'assistant', 'tool']);
    assert.deepEqual(fake.requests[2]?.heard?.schema, schema.schema);
    assert.ok(asked.every(({ errorType, attempts }) => errorType === null && attempts === 1));
  });
}

test('arguments that are no JSON are told, and what is sent back parses', async (t) => {
  for (const provider of ['openai', 'openai-chat'] as const) {
    const { model, fake } = await start(t, { provider, script: sloppy({ answer: 'done' }) });
    const first = await model.ask(request({ tools: [tool] }));
    assert.match(first.calls[0]?.argumentsError ?? '', /not JSON/);
    const next = await model.ask(request({ tools: [tool], turns: answered(first) }));
    if (provider === 'openai-chat') assert.equal(next.text, 'done');
    assert.deepEqual(fake.refusals, []);
  }
});

const habitual: readonly (readonly [HabitName, Provider, Partial<Quirks>])[] = [
  ['newer names tokens otherwise', 'openai-chat', { tokensField: 'max_completion_tokens' }],
  ['gpt-5 on chat', 'openai-chat', { reasoningEffort: 'none' }],
  ['no schemas', 'openai-chat', { structured: 'json_object' }],
  ['no formats', 'openai-chat', { structured: 'prompt' }],
  ['no formats', 'openai', { structured: 'prompt' }],
  ['no formats', 'anthropic', { structured: 'prompt' }],
  ['no caching', 'anthropic', { cacheMarks: false }],
  ['DeepSeek while thinking', 'openai-chat', { reasoning: 'always' }],
  ['Gemma on system', 'openai-chat', { systemRole: false }],
  ['older models on encrypted reasoning', 'openai', { encryptedReasoning: false }],
];

for (const [name, provider, expected] of habitual) {
  test(`${provider} learns once from a server with the habit: ${name}`, async (t) => {
    const { model, fake, learned } = await start(t, { provider, habits: [habits[name]] });
    const round = async (): Promise<void> => {
      const first = await model.ask(request({ tools: [tool] }));
      const turns = answered(first);
      assert.equal((await model.ask(request({ tools: [tool], turns }))).text, 'done');
      await model.ask(request({ schema }));
    };
    await round();
    assert.deepEqual(learned.at(-1), expected);
    const refusals = fake.refusals.length;
    assert.equal(refusals, learned.length);
    await round();
    assert.equal(fake.refusals.length, refusals);
    const { model: next, fake: same } = await start(t, {
      provider, habits: [habits[name]], learned: expected,
    });
    await next.ask(request({ schema }));
    assert.deepEqual(same.refusals, []);
  });
}

test('several habits of one server are learned within one request, but not for ever', async (t) => {
  const many = [habits['newer names tokens otherwise'], habits['no formats'],
    habits['Gemma on system']];
  const { model, learned } = await start(t, { habits: many });
  assert.equal((await model.ask(request({ schema }))).text, 'done');
  assert.equal(learned.length, 4);
  const contrary = [habits['newer names tokens otherwise'], habits['older names tokens otherwise']];
  const { model: other, fake } = await start(t, { habits: contrary });
  assert.equal((await failureOf(other.ask(request()))).kind, 'config');
  assert.equal(fake.requests.length, 5);
});

for (const [name, member] of [
  ['Groq on reasoning', '"reasoning_content":"h"'],
  ['LiteLLM on thoughts', '"thinking_blocks":[{"signature":"s"}]'],
] as const) {
  test(`reasoning a server gave and then refuses is not sent back again: ${name}`, async (t) => {
    const alter = (body: object): unknown => {
      const more = `${member},"role":"assistant"`;
      return JSON.parse(JSON.stringify(body).replace('"role":"assistant"', more));
    };
    const { model, learned } = await start(t, { alter, habits: [habits[name]] });
    const first = await model.ask(request({ tools: [tool] }));
    await model.ask(request({ tools: [tool], turns: answered(first) }));
    assert.deepEqual(learned, [{ reasoning: 'stripped' }]);
  });
}

for (const name of ['vLLM without its flag', 'Ollama with a model without tools'] as const) {
  test(`no_tools is thrown, then without asking, for ${name}`, async (t) => {
    const { model, fake, asked } = await start(t, { habits: [habits[name]] });
    for (let round = 0; round < 2; round += 1) {
      const error = await failureOf(model.ask(request({ tools: [tool] })));
      assert.deepEqual([error.kind, error.type], ['config', 'no_tools']);
    }
    assert.equal(fake.requests.length, 1);
    assert.deepEqual(asked.map(({ errorType }) => errorType), ['no_tools', 'no_tools']);
    assert.equal((await model.ask(request({ schema }))).text, 'done');
  });
}

const error = (status: number, body: object = {}, headers = {}): Fault =>
  ({ kind: 'status', status, headers, body: { error: { message: 'no', ...body } } });

const retried: readonly (readonly [string, readonly Fault[], readonly number[]])[] = [
  ['429 twice', [error(429), error(429)], [437.5, 875]],
  ['429 that says when', [error(429, {}, { 'retry-after': '2' })], [2000]],
  ['429 that says when to a fraction', [error(429, {}, { 'retry-after': '0.25' })], [250]],
  ['429 that says when to a millisecond',
    [error(429, {}, { 'retry-after-ms': '30', 'retry-after': '9' })], [30]],
  ['429 that names a date',
    [error(503, {}, { 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' })], [7000]],
  ['429 that names the past', [error(429, {}, { 'retry-after-ms': '-5' })], [437.5]],
  ['500', [error(500)], [437.5]], ['529', [error(529)], [437.5]], ['408', [error(408)], [437.5]],
  ['400 that should be retried', [error(400, {}, { 'x-should-retry': 'true' })], [437.5]],
  ['a page of HTML', [{ kind: 'html' }], [437.5]], ['a reset', [{ kind: 'reset' }], [437.5]],
  ['a cut answer', [{ kind: 'truncated' }], [437.5]],
  ['broken JSON', [{ kind: 'broken json' }], [437.5]], ['nothing', [{ kind: 'empty' }], [437.5]],
  ['another shape', [{ kind: 'wrong shape' }], [437.5]],
  ['an error with 200', [error(200, { code: 502 })], [437.5]],
  ['a call the provider refused', [error(400, { code: 'tool_use_failed' })], [437.5]],
];

for (const [name, faults, expected] of retried) {
  test(`ask() tries again after ${name}`, async (t) => {
    const { model, fake, pauses, asked } = await start(t, { faults });
    assert.equal((await model.ask(request())).text, 'done');
    assert.deepEqual(pauses, expected);
    assert.equal(fake.requests.length, faults.length + 1);
    assert.equal(asked[0]?.attempts, faults.length + 1);
    assert.equal(asked[0]?.seconds, expected.reduce((sum, ms) => sum + ms, 0) / 1000);
  });
}

const whole = { choices: [{ message: { content: 'A' }, finish_reason: 'stop' }] };
const objects = Array.from({ length: 400_000 }, () => ({}));
const nested: unknown = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`);

type Refused = readonly [string, Fault, ModelErrorKind, ModelErrorType, attempts: number];
const refusedBy: readonly Refused[] = [
  ['a wrong key', error(401, { code: 'invalid_api_key' }), 'config', 'unauthorized', 1],
  ['a region', error(403), 'config', 'unauthorized', 1],
  ['a wrong name', error(404, { code: 'model_not_found' }), 'config', 'not_found', 1],
  ['no credit', error(402, {}, { 'x-should-retry': 'true' }), 'quota', 'quota', 1],
  ['no quota', error(429, { code: 'insufficient_quota' }), 'quota', 'quota', 1],
  ['a spending limit', error(429, { details: { error_code: 'enforced_spend_limit_reached' } }),
    'quota', 'quota', 1],
  ['a low balance', error(400, { message: 'Your credit balance is too low' }), 'quota', 'quota', 1],
  ['length', error(400, { code: 'context_length_exceeded' }), 'context', 'context', 1],
  ['length at Anthropic', error(400, { message: 'prompt is too long: 9 tokens > 8' }), 'context',
    'context', 1],
  ['size', error(413, { type: 'request_too_large' }), 'context', 'context', 1],
  ['a filter', error(400, { code: 'content_filter', param: 'prompt' }), 'filtered', 'filtered', 1],
  ['moderation', error(403, { message: 'Your input was flagged' }), 'filtered', 'filtered', 1],
  ['another field', error(400, { message: 'what?' }), 'config', 'refused', 1],
  ['Mistral, flat', { kind: 'status', status: 422, body: { object: 'error', message: 'm' } },
    'config', 'refused', 1],
  ['a bare text', { kind: 'status', status: 404, body: { error: 'model not found' } }, 'config',
    'not_found', 1],
  ['a rate that stays', error(429), 'retryable', 'rate_limited', 3],
  ['overload that stays', error(529), 'retryable', 'overloaded', 3],
  ['a server that says not to retry', error(500, {}, { 'x-should-retry': 'false' }), 'retryable',
    'server_error', 1],
  ['a rate that lasts an hour', error(429, {}, { 'retry-after': '3000' }), 'retryable',
    'rate_limited', 1],
  ['broken JSON that stays', { kind: 'broken json' }, 'malformed', 'malformed', 2],
  ['a stream of events that stays', { kind: 'events' }, 'malformed', 'malformed', 2],
  ['an endless answer', { kind: 'endless' }, 'malformed', 'malformed', 2],
  ['hundreds of thousands of objects',
    { kind: 'status', status: 200, body: { ...whole, objects } }, 'malformed', 'malformed', 2],
  ['lists forty deep', { kind: 'status', status: 200, body: { ...whole, nested } }, 'malformed',
    'malformed', 2],
  ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:9/v1' }, 'config', 'redirect', 1],
];

for (const [name, fault, kind, type, attempts] of refusedBy) {
  test(`ask() rejects with ${type} for ${name}`, async (t) => {
    const faults = Array.from({ length: 5 }, () => fault);
    const { model, fake, asked } = await start(t, { faults });
    const failure = await failureOf(model.ask(request()));
    assert.deepEqual([failure.kind, failure.type], [kind, type]);
    assert.ok(failure.message.length <= 260 && failure.hint !== '');
    assert.equal(fake.requests.length, attempts);
    assert.deepEqual([asked.length, asked[0]?.errorType, asked[0]?.usage], [1, type, null]);
  });
}

test('an error tells how long to stay away', async (t) => {
  const { model } = await start(t, { faults: [error(429, {}, { 'retry-after': '600' })] });
  assert.equal((await failureOf(model.ask(request()))).retryAfterMs, 600_000);
});

test('a redirect is not followed, so that the key stays here', async (t) => {
  const { fake: elsewhere } = await start(t);
  const { model } = await start(t, { faults: [{ kind: 'redirect', to: elsewhere.url }] });
  await failureOf(model.ask(request()));
  assert.equal(elsewhere.requests.length, 0);
});

test('what the server says is cleaned, cut, and never has the key', async (t) => {
  const key = 'a very/own+key';
  const message = `wrong key ${key}\u0000\n\u202esk-proj-12345 ${'x'.repeat(5000)}`;
  const { model } = await start(t, { apiKey: key, key, faults: [error(401, { message })] });
  const failure = await failureOf(model.ask(request()));
  assert.match(failure.message, /^The model's server answered 401: wrong key \*\*\* \*\*\* x+…$/);
  assert.ok(failure.message.length < 250);
  assert.doesNotMatch(JSON.stringify(failure), /own|proj/);
});

for (const kind of ['hang', 'hang in body', 'drip'] as const) {
  test(`ask() ends after 90 s when the server does this: ${kind}`, async (t) => {
    const clock = new ManualClock();
    const { model, fake, asked } = await start(t, { clock, faults: [{ kind }] });
    const failure = failureOf(model.ask(request()));
    await eventually('the request to arrive', () => fake.requests[0] ?? null);
    await letRun(100); // Until the body has begun, if one comes.
    collectGarbage();
    await clock.advance(90_000);
    assert.deepEqual([(await failure).type, (await failure).kind], ['timeout', 'retryable']);
    assert.equal(asked[0]?.seconds, 90);
  });
}

test('ask() ends with its signal, waiting for an answer or for its next attempt', async (t) => {
  const clock = new ManualClock();
  for (const setup of [{ script: hanging() }, { faults: [error(500)] }]) {
    const { model, fake } = await start(t, { ...setup, clock });
    const stop = new AbortController();
    const failure = failureOf(model.ask(request({ signal: stop.signal })));
    await eventually('the request to arrive', () => fake.requests[0] ?? null);
    stop.abort();
    assert.equal((await failure).kind, 'aborted');
    assert.equal((await failureOf(model.ask(request({ signal: stop.signal })))).type, 'aborted');
    assert.equal(fake.requests.length, 1);
  }
});

test('nobody there is a connection error after three attempts', async () => {
  const { clock } = hastyClock();
  const asked: ModelCall[] = [];
  const url = `http://127.0.0.1:${await freePort()}`;
  const model = new ModelClient({
    provider: 'openai-chat', url, name: 'm', apiKey: null, effort: null, requestMs: 90_000,
  }, {
    clock, random: () => 0, memory: { learned: {} }, onAsked: (each) => asked.push(each),
  });
  const failure = await failureOf(model.ask(request()));
  assert.deepEqual([failure.kind, failure.type], ['retryable', 'connection']);
  assert.match(failure.message, /the connection was refused$/);
  assert.equal(asked[0]?.attempts, 3);
});

test('the key travels as each interface wants it, and as a gateway insists', async (t) => {
  for (const provider of providers) {
    const { model, fake } = await start(t, { provider });
    await model.ask(request());
    const { authorization, 'x-api-key': own } = fake.requests[0]?.headers ?? {};
    const isOwn = provider === 'anthropic';
    assert.equal(own, isOwn ? fakeKey : undefined);
    assert.equal(authorization, isOwn ? undefined : `Bearer ${fakeKey}`);
  }
  const { model, fake } = await start(t, { provider: 'anthropic', faults: [error(401)] });
  assert.equal((await model.ask(request())).text, 'done');
  assert.equal(fake.requests[1]?.headers.authorization, `Bearer ${fakeKey}`);
});
