import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { checkModel } from '../../src/commands/check-model.ts';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import type { ModelAccess } from '../../src/model/client/model-access.ts';
import { cpuTimer } from '../support/cpu-timer.ts';
import {
  fakeKey, startFakeModel, type FakeModelOptions,
} from '../support/fake-model/fake-model.ts';
import type { Heard, Said, Script } from '../support/fake-model/heard.ts';
import {
  callsAsText, isLast, lastText, mute, overLong, resultsIn,
} from '../support/fake-model/scripted-models.ts';
import { habits } from '../support/fake-model/servers.ts';
import { freePort } from '../support/programs/programs.ts';

/** Does what the check asks for. */
function able(heard: Heard): Said {
  if (resultsIn(heard) > 0) return { text: 'It is 7,413.' };
  if (!isLast(heard)) return { calls: [{ name: 'read_gauge', arguments: { name: 'pressure' } }] };
  const asked = lastText(heard);
  if (/^The word is/.test(asked)) return { text: /"(\w+)"/.exec(asked)?.[1] ?? '' };
  return { text: /verdict/.test(asked) ? '{"verdict":"high","value":7413}' : 'ready' };
}

const otherCall: Said = { calls: [{ name: 'read_dial', arguments: {} }] };
const odd: Said = { text: '{"verdict":"odd"}' };

function wordy(heard: Heard): Said {
  return isLast(heard) ? able(heard) : callsAsText({ answer: '' })(heard, 0);
}

const answerWithinMs = 90_000;

/** Pauses are short, and so is patience where it is known that no answer comes. */
function clockOf(
  { givesUpAfterMs = answerWithinMs, takesMs = 0 }: Setup,
  asked: () => number,
): Clock {
  const sleep: Clock['sleep'] = (ms, signal) =>
    systemClock.sleep(ms === answerWithinMs ? givesUpAfterMs : 1, signal);
  // As if each answer had taken so long.
  const monotonic = (): number => systemClock.monotonic() + asked() * takesMs;
  return { ...systemClock, sleep, monotonic };
}

interface Setup extends FakeModelOptions {
  readonly givesUpAfterMs?: number;
  /** How long each answer takes. */
  readonly takesMs?: number;
  readonly script?: Script;
  readonly access?: Partial<ModelAccess>;
}

async function check(t: TestContext, setup: Setup = {}): Promise<readonly [boolean, string]> {
  const fake = await startFakeModel(t, setup.script ?? able, setup);
  const usual = {
    provider: 'openai-chat', url: fake.url, name: 'm', apiKey: fakeKey, effort: null,
    requestMs: 90_000,
  } as const;
  const named: Readonly<Record<string, string>> = {
    CLOSED: `http://127.0.0.1:${await freePort()}`, ELSEWHERE: `${fake.url}/elsewhere`,
  };
  const access = { ...usual, ...setup.access };
  const url = named[access.url] ?? access.url;
  let text = '';
  const print = (more: string): string => (text += more);
  const clock = clockOf(setup, () => fake.requests.length);
  const options = { clock, random: () => 0, print, outputTokens: 16_000 };
  const isGood = await checkModel({ ...access, url }, options);
  for (const line of text.split('\n')) assert.ok(line.length <= 260, line);
  assert.ok(!text.includes(fakeKey));
  return [isGood, text];
}

for (const provider of ['openai', 'openai-chat', 'anthropic'] as const) {
  test(`checkModel() passes a good model over ${provider}`, async (t) => {
    const [isGood, text] = await check(t, { access: { provider } });
    assert.ok(isGood, text);
    assert.match(text, /^Answer +ok: m-2026-01-01 answered in \d+\.\d s\.$/m);
    assert.match(text, /^Tools +ok: /m);
    assert.match(text, /^Shape +ok: /m);
    assert.match(text, /^Context +ok: it reads 12 000 tokens/m);
    assert.match(text, /^Cost +5 requests, .*, 500 input and 100 output tokens\.$/m);
    assert.match(text, /The model does everything that an investigation needs\.\n$/);
  });
}

type Failing = readonly [name: string, setup: Setup, said: RegExp, toDo: RegExp];
const failing: readonly Failing[] = [
  ['a wrong key', { key: 'another' }, /Answer +FAILED: .*401: Incorrect API key.*\*\*\*/,
    /MODEL_API_KEY/],
  ['a wrong name', { name: 'n' }, /Answer +FAILED: .*404/, /MODEL_NAME and MODEL_URL/],
  ['a wrong path', { access: { url: 'ELSEWHERE' } }, /Answer +FAILED: .*404/, /MODEL_URL/],
  ['nobody there', { access: { url: 'CLOSED' } }, /refused/, /Check MODEL_URL/],
  ['a hanging server', { script: () => ({ hangs: true }), givesUpAfterMs: 400 },
    /not complete/, /faster MODEL_NAME/],
  ['HTML', { faults: Array.from({ length: 3 }, () => ({ kind: 'html' } as const)) },
    /502: Bad&nbsp;Gateway/, /the server's log/],
  ['a redirect', { faults: [{ kind: 'redirect', to: 'http://127.0.0.1:1' }] }, /redirects/,
    /target of the redirect/],
  ['no credit', { faults: [{ kind: 'status', status: 402 }] }, /402/, /Add credit/],
  ['no tools', { habits: [habits['vLLM without its flag']] }, /Tools +FAILED: .*no tools/,
    /--enable-auto-tool-choice/],
  ['calls as text', { script: wordy }, /Tools +FAILED: it writes the tool call as/,
    /can call tools/],
  ['deaf models', { script: (heard) => resultsIn(heard) > 0 ? { text: '12' } : able(heard) },
    /Tools +FAILED: .*lacks the result/, /can call tools/],
  ['no JSON', { script: (heard) => isLast(heard) ? { text: 'ready' } : able(heard) },
    /Shape +FAILED: its answer is not JSON/, /JSON of a given shape/],
  ['another shape', { script: (heard) => isLast(heard) ? odd : able(heard) },
    /Shape +FAILED: answer\.verdict/,
    /JSON of a given shape/],
  ['a model that thinks until its tokens are used up', { script: () => ({ stop: 'length' }) },
    /Answer +FAILED: the model used up 16000 tokens without answering/, /MODEL_OUTPUT_TOKENS/],
  ['a model that thinks too long for a shape', {
    script: (heard) => /verdict/.test(lastText(heard)) ? { stop: 'length' } : able(heard),
  }, /Shape +FAILED: its answer was cut off at 16000 tokens/, /lower MODEL_EFFORT/],
  ['a context that is cut at 4k', {
    script: (heard) => able({ ...heard, turns: heard.turns.map((turn) =>
      ({ ...turn, text: turn.text.slice(-16_000) })) }),
  }, /Context +FAILED: of 12 000 tokens it does not know the first; its server counted 100/,
  /OLLAMA_CONTEXT_LENGTH/],
  ['a slow model', { takesMs: 40_000 }, /Context +FAILED: .* took 40 s; .* several/,
    /Set MODEL_TIMEOUT_SECONDS to 24[01] or more/],
  ['calls of another tool', { script: (heard) => isLast(heard) ? able(heard) : otherCall },
    /Tools +FAILED: it calls an unknown tool/, /can call tools/],
  ['a mute model', { script: mute() }, /Answer +FAILED: the answer is empty/, /another MODEL_NAME/],
];

for (const [name, setup, said, toDo] of failing) {
  test(`checkModel() says what to do about ${name}`, async (t) => {
    const [isGood, text] = await check(t, setup);
    assert.ok(!isGood);
    assert.match(text, said);
    const [, todo = ''] = /^To do +(.*)$/m.exec(text) ?? [];
    assert.match(todo, toDo);
  });
}

test('checkModel() tells an answer that is cut off from none', async (t) => {
  const [isGood, text] = await check(t, { script: overLong() });
  assert.ok(!isGood);
  assert.match(text, /Answer +ok/);
});

test('checkModel() is fast even if the answer is mostly white space', async (t) => {
  const spaces = { text: `{"value":${' '.repeat(200_000)}x` };
  const cpuMs = cpuTimer();
  const [, text] = await check(t, { script: (heard) => isLast(heard) ? spaces : able(heard) });
  assert.match(text, /Shape +FAILED: its answer is not JSON/);
  assert.ok(cpuMs() < 5_000);
});

test('checkModel() notes deviations that need no action', async (t) => {
  const both = [habits['no schemas'], habits['gpt-5 on chat']];
  const [isGood, text] = await check(t, { habits: both });
  assert.ok(isGood, text);
  assert.match(text, /^Note +JSON schemas are not supported/m);
  assert.match(text, /^Note +With tools the model cannot reason/m);
});

test('check-model is a command with an exit code, and says that nothing is set', async (t) => {
  const fake = await startFakeModel(t, able, { faults: [{ kind: 'reset' }] });
  const env = {
    MODEL_PROVIDER: 'openai-chat', MODEL_URL: fake.url, MODEL_NAME: 'm', MODEL_API_KEY: fakeKey,
  };
  const main = join(process.cwd(), 'dist', 'main.js');
  const run = (variables: Record<string, string>) =>
    promisify(execFile)(process.execPath, [main, 'check-model'], { env: variables });
  const { stdout } = await run(env);
  assert.match(stdout, /^Tools +ok/m);
  await assert.rejects(run({}), { code: 1, stderr: /No model is configured/ });
  await assert.rejects(run({ MODEL_PROVIDER: 'openai' }), { code: 2, stderr: /MODEL_NAME/ });
});
