import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../../../src/model/client/model-error.ts';
import { concludeText } from '../../../src/model/investigation/prompts.ts';
import { outputMax, run, stopOf, type Run } from '../../support/model-run.ts';
import { aFinding, asking, concluding, type Line } from '../../support/scripted-model.ts';

test('the model asks with tools, then concludes in a new conversation without them', async () => {
  const result = await run([asking('up'), { text: 'Enough.' }, concluding()]);
  assert.equal(stopOf(result), 'done');
  const [first, second, last] = result.requests;
  assert.ok(first !== undefined && second !== undefined && last !== undefined);
  assert.ok(first.tools.length > 0 && first.schema === null);
  assert.equal(second.turns.length, 3);
  assert.ok(last.tools.length === 0 && last.schema !== null && last.turns.length === 1);
  const [turn] = last.turns;
  const results = second.turns.at(-1);
  assert.ok(turn?.role === 'user' && results?.role === 'tool_results');
  assert.ok(turn.text.includes(results.results[0]?.text ?? '?'), 'the answer of the tool, whole');
  assert.ok(turn.text.includes('Said by you before: Enough.'));
  for (const { tools, schema } of result.requests) assert.ok(tools.length === 0 || schema === null);
});

test('the model concludes in the same conversation where its provider lets it', async () => {
  const own = [{ type: 'thinking', signature: 's' }];
  const lines = [{ ...asking('up'), own }, { text: 'Enough.', own }, concluding()];
  const { requests } = await run(lines, { inConversation: true });
  const [first, , last] = requests;
  assert.ok(first !== undefined && last !== undefined);
  assert.equal(last.turns.length, 5);
  assert.deepEqual([last.tools, last.system], [first.tools, first.system], 'so that it is cached');
  assert.deepEqual(last.turns.slice(0, 1), first.turns);
  assert.ok(last.turns[1]?.role === 'assistant' && last.turns[1].own === own);
  assert.notEqual(last.schema, null);
});

test('a conversation that cannot go on is followed by a new one', async () => {
  for (const fault of ['context', 'filtered', 'refused'] as const) {
    const lines = [asking('up'), { text: 'Enough.' }, new ModelError('no', { type: fault }),
      concluding()];
    const { requests, candidate } = await run(lines, { inConversation: true });
    assert.equal(candidate.kind, 'answered', fault);
    assert.deepEqual([requests[3]?.tools, requests[3]?.turns.length], [[], 1], fault);
  }
});

test('a conclusion that calls a tool instead is asked for anew, without tools', async () => {
  const lines = [asking('up'), { text: 'Enough.' }, asking('up'), concluding()];
  const { requests, candidate } = await run(lines, { inConversation: true });
  assert.equal(candidate.kind, 'answered');
  assert.deepEqual(requests[3]?.tools, []);
});

const holding = aFinding({ is: 'none', a: 'E1.none' });
const wrong = aFinding({ is: 'moved', a: 'E3.before', b: 'E3.after', rel: 'fell' });

test('what does not hold goes back once, with what is so instead', async () => {
  const corrected = { ...wrong, rel: 'rose' };
  const lines = [concluding({ findings: [wrong] }), concluding({ findings: [corrected] })];
  const { requests, candidate } = await run(lines, { rounds: 0 });
  const [said, told] = requests[1]?.turns.slice(-2) ?? [];
  assert.ok(said?.role === 'assistant' && said.text.includes('"fell"'));
  assert.ok(told?.role === 'user');
  assert.match(told.text, /findings\[0\] \(moved\) does not hold: .*: rose, from /);
  assert.ok(candidate.kind === 'answered');
  assert.equal(candidate.judged.findings.length, 1);
  assert.deepEqual(candidate.first, { held: 0, made: 1 });
});

test('a correction that holds less, fails or is not read leaves the first answer', async () => {
  const right = { ...wrong, rel: 'rose' };
  const first = concluding({ findings: [right, holding] });
  const seconds: readonly Line[] = [
    concluding({ findings: [wrong] }), { text: 'Sorry.' }, {},
    new ModelError('down', { type: 'server_error' }),
  ];
  for (const second of seconds) {
    const { candidate, requests } = await run([first, second, concluding()], { rounds: 0 });
    assert.equal(requests.length, 2);
    assert.ok(candidate.kind === 'answered');
    assert.equal(candidate.judged.findings.length, 1);
  }
});

test('a model that never corrects itself is told only once', async () => {
  const { requests } = await run([concluding({ findings: [wrong] })], { rounds: 0 });
  assert.equal(requests.length, 2);
});

test('a question goes into the case, fenced', async () => {
  const { requests } = await run([concluding()], { rounds: 0, question: 'Why is it slow?' });
  const [turn] = requests[0]?.turns ?? [];
  assert.ok(turn?.role === 'user');
  assert.match(turn.text, /A person asks:\n<<data x>>\nWhy is it slow\?\n<<end x>>/);
});

test('a conclusion that cannot be read is repaired once, with what was wrong', async () => {
  const lines = [{ text: '{"findings":[],"reading":"","verdict":"maybe"}' }, concluding()];
  const { requests, candidate } = await run(lines, { rounds: 0 });
  assert.equal(candidate.kind, 'answered');
  const repair = requests[1]?.turns.at(-1);
  assert.ok(repair?.role === 'user');
  assert.match(repair.text, /verdict: expected one of/);
  const twice = await run([{ text: 'no' }, { text: 'no' }], { rounds: 0 });
  assert.deepEqual(twice.candidate, {
    kind: 'none', reason: 'failed',
    detail: "The language model's answer could not be read.",
  });
  assert.equal(twice.requests.length, 2);
});

test('a long conclusion that cannot be read is sent back without half a character', async () => {
  const long = { text: `${'x'.repeat(7_999)}${'😀'.repeat(9)}` };
  const { requests } = await run([long, concluding()], { rounds: 0 });
  const said = requests[1]?.turns.at(-2);
  assert.ok(said?.role === 'assistant' && said.text.length < 8_010);
  assert.doesNotMatch(said.text, /\p{Surrogate}/u);
});

test('a conclusion that is empty or cut off is asked for again once', async () => {
  for (const first of [{}, { stop: 'length' }, { stop: 'length', text: '{"findings"' }] as const) {
    const { requests, candidate } = await run([first, concluding()], { rounds: 0 });
    assert.equal(candidate.kind, 'answered');
    assert.deepEqual(requests.map(({ maxOutput }) => maxOutput), [outputMax, outputMax]);
  }
});

test('a conclusion that stays cut off is told with the limit that cut it', async () => {
  const cut = [{ stop: 'length' }, { stop: 'length' }] as const;
  const detailOf = ({ candidate }: Run): string =>
    candidate.kind === 'none' ? candidate.detail : '';
  assert.match(detailOf(await run(cut, { rounds: 0 })), /at 16000 tokens \(MODEL_OUTPUT_TOKENS\)/);
  assert.match(detailOf(await run(cut, { rounds: 0, tokens: 15_000 })), /MODEL_TOKENS_PER_ALERT/);
});

test('a conclusion from half of the text is not tried again from a quarter', async () => {
  const tooLong = new ModelError('too long', { type: 'context' });
  const { candidate, requests } = await run([tooLong, tooLong], { rounds: 0 });
  assert.equal(requests.length, 2);
  assert.ok(candidate.kind === 'none');
  assert.match(candidate.detail, /does not fit into .* context window/);
});

test('a filtered conclusion is asked for once more without the texts of strangers', async () => {
  const lines = [new ModelError('filter', { type: 'filtered' }), concluding()];
  const { requests } = await run(lines, { rounds: 0 });
  const [first, second] = requests.map(({ turns: [turn] }) => {
    return turn?.role === 'user' ? turn.text : '';
  });
  assert.match(first ?? '', /Annotation/);
  assert.doesNotMatch(second ?? '', /Annotation/);
});

test('a conclusion from too long a text is asked for once more from half of it', async () => {
  const lines = [new ModelError('too long', { type: 'context' }), concluding()];
  const { requests, candidate } = await run(lines, { rounds: 0, tokens: 12_000 });
  assert.equal(candidate.kind, 'answered');
  const [first = 0, second = 0] = requests.map(({ turns: [turn] }) => {
    return turn?.role === 'user' ? turn.text.indexOf(concludeText) : 0;
  });
  assert.ok(second < first && second <= first * 0.6, `${first} ${second}`);
});
