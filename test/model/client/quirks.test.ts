import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quirkFor } from '../../../src/model/client/learn-quirk.ts';
import { defaultQuirks, knownQuirks, type Quirks } from '../../../src/model/client/quirks.ts';
import { readRefusal } from '../../../src/model/client/refusal.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';

const access = {
  provider: 'openai-chat', url: 'http://m', name: 'm', apiKey: null, effort: null,
  requestMs: 90_000,
} as const;

function learnedOf(status: number, body: object, sent = ''): Partial<Quirks> | null {
  const refusal = readRefusal({
    status, body, headers: {}, text: JSON.stringify(body), now: 0,
  });
  return quirkFor(refusal, defaultQuirks(access), { access, sent, now: 5 });
}

const untold = { message: 'this model does not support tools' };
const alert = 'Summary: checkout does not support tools any more, json_schema is gone';

test('a long refusal is read in linear time', () => {
  const elapsed = cpuTimer();
  for (const text of ['max_tokens ', 'not supported ', 'reasoning ']) {
    const long = text.repeat(90_000);
    learnedOf(400, { error: { message: long, param: long, code: long } });
  }
  readRefusal({
    status: 500, body: undefined, headers: {}, text: '<'.repeat(1_000_000), now: 0,
  });
  assert.ok(elapsed() < 1000, `${elapsed()} ms`);
});

test('a gateway tells in its own words that a model takes no tools, or no system role', () => {
  const tools = "bedrock does not support parameters: ['tools'], for model=m.";
  assert.deepEqual(learnedOf(400, { error: { message: tools } }), { toolsRefusedAt: 5 });
  const roles = 'Error rendering prompt: "Only user and assistant roles are supported!".';
  assert.deepEqual(learnedOf(400, { error: roles }), { systemRole: false });
});

test('a server without tools is asked with them again after ten minutes', () => {
  const learned = learnedOf(404, { error: untold });
  assert.deepEqual(learned, { toolsRefusedAt: 5 });
  assert.equal(knownQuirks(access, learned ?? {}, 600_004).toolsRefusedAt, 5);
  assert.equal(knownQuirks(access, learned ?? {}, 600_005).toolsRefusedAt, null);
});

test('a known quirk is not learned again', () => {
  const refusal = readRefusal({
    status: 400, body: { error: 'It must be passed back' }, headers: {}, text: '',
    now: 0,
  });
  const learned: Quirks = { ...defaultQuirks(access), reasoning: 'always' };
  assert.equal(quirkFor(refusal, learned, { access, sent: '', now: 5 }), null);
});

test('a gateway to Anthropic that refuses the key gets it as a bearer token, once', () => {
  const refusal = readRefusal({
    status: 401, body: {}, headers: {}, text: '', now: 0,
  });
  const told = (url: string, bearer: boolean): Partial<Quirks> | null => {
    const gateway = { ...access, provider: 'anthropic', url } as const;
    const quirks = { ...defaultQuirks(gateway), bearer };
    return quirkFor(refusal, quirks, { access: gateway, sent: '', now: 5 });
  };
  assert.deepEqual(told('https://gateway.example', false), { bearer: true });
  assert.equal(told('https://gateway.example', true), null);
  assert.equal(told('https://api.anthropic.com', false), null);
});

test('nothing is learned from a request that a validation error repeats', () => {
  const detail = [
    { type: 'missing', loc: ['body', 'messages', 0], msg: 'Field required', input: alert },
  ];
  assert.equal(learnedOf(422, { detail }), null);
  const named = [{ type: 'extra_forbidden', loc: ['body', 'response_format'], msg: 'No extras' }];
  assert.deepEqual(learnedOf(422, { detail: named }), { structured: 'json_object' });
});

test('nothing is learned from a text that was sent', () => {
  for (const message of [`Cannot read: ${alert}`, `invalid: ${alert.slice(9)}`]) {
    assert.equal(learnedOf(400, { error: { message } }, alert), null);
    assert.notEqual(learnedOf(400, { error: { message } }, 'another alert'), null);
  }
  const message = 'Unknown field: json_schema';
  assert.notEqual(learnedOf(400, { error: { message } }, 'one about json_schema'), null);
});
