import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerSchema } from '../../../src/model/answer/answer-schema.ts';
import { readAnswer } from '../../../src/model/answer/read-answer.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { anAnswer } from '../../support/scripted-model.ts';

const json = JSON.stringify(anAnswer({ facts: [{ claim: 'A {brace', evidence_ids: ['E1'] }] }));

const forms: readonly (readonly [string, string])[] = [
  ['bare JSON', json],
  ['a fence of JSON', `Here it is:\n\`\`\`json\n${json}\n\`\`\`\nDone.`],
  ['a fence without a language', `\`\`\`\n${json}\n\`\`\``],
  ['a fence with space around what it holds', `A:\n\`\`\`json \n\n ${json}\n \n\`\`\`.`],
  ['an object behind a selector', `The series up{job="api"} moved. ${json}`],
  ['an object behind an empty selector', `Checked \`up{}\`. ${json}`],
  ['an object behind a brace that stays open', `A { that is "open. ${json}`],
  ['a fence behind one of another language',
    `\`\`\`promql\nup{a="b"}\n\`\`\`\nSo:\n\`\`\`json\n${json}\n\`\`\``],
  ['the object that corrects an earlier one', `${JSON.stringify(anAnswer())} No: ${json}`],
  ['the first object in prose', `My conclusion is ${json} as said. {"verdict":"other"}`],
];
for (const [what, said] of forms) {
  test(`readAnswer reads ${what}`, () => {
    assert.deepEqual(readAnswer(said).answer?.facts, [{ claim: 'A {brace', evidence_ids: ['E1'] }]);
  });
}

test('readAnswer says what is wrong, a line each, for the model to mend', () => {
  const wrong = JSON.stringify({ ...anAnswer(), verdict: 'sure', facts: 'none', summary: null });
  const { answer, problems } = readAnswer(wrong);
  assert.equal(answer, null);
  assert.equal(problems.length, 3);
  assert.match(problems.join('\n'), /verdict: expected one of confirmed/);
  assert.deepEqual(readAnswer('no idea').problems, ['The answer holds no complete JSON object.']);
  assert.equal(readAnswer(json.slice(0, -5)).answer, null);
  assert.equal(readAnswer('[1]').answer, null);
});

test('readAnswer cuts texts and lists to bounds and keeps only ids', () => {
  const fact = { claim: 'x'.repeat(900), evidence_ids: ['[E2]', 'e3', 'E2', 'nothing', 'E99999'] };
  const { answer } = readAnswer(JSON.stringify(anAnswer({
    summary: 'y'.repeat(2000), facts: Array.from({ length: 40 }, () => fact),
    suspicious_content: '',
  })));
  assert.equal(answer?.summary.length, 600);
  assert.equal(answer?.facts.length, 10);
  assert.equal(answer?.facts[0]?.claim.length, 300);
  assert.deepEqual(answer?.facts[0]?.evidence_ids, ['E2', 'E3']);
  assert.equal(answer?.suspicious_content, null);
});

test('readAnswer takes an answer without the lists that may be empty', () => {
  const { verdict, confidence, summary, facts } = anAnswer();
  const { answer } = readAnswer(JSON.stringify({ verdict, confidence, summary, facts }));
  assert.deepEqual(answer?.hypotheses, []);
});

test('readAnswer gives up on broken text quickly', () => {
  const cpuMs = cpuTimer();
  readAnswer('{"a":'.repeat(50_000));
  readAnswer('```json\n'.repeat(30_000));
  readAnswer(`\`\`\`json${'\n'.repeat(200_000)}`);
  readAnswer(`\`\`\`json\n{"verdict":${'\n '.repeat(100_000)}`);
  readAnswer('{"verdict":1} '.repeat(20_000));
  readAnswer('{"verdict" '.repeat(25_000));
  readAnswer('```promql\n'.repeat(30_000));
  readAnswer('```promql'.repeat(30_000));
  assert.ok(cpuMs() < 2_000);
});

/** Every object closed, every member required, and none of the words that providers refuse. */
function checkPortable(schema: unknown, path: string): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>;
  if (type === 'object') {
    assert.equal(additionalProperties, false, path);
    assert.deepEqual(required, Object.keys(properties as object), path);
  }
  for (const [name, value] of Object.entries(schema)) {
    assert.doesNotMatch(name, /^(allOf|oneOf|not|minimum|maximum|pattern|format|m\w+Items)$/);
    checkPortable(value, `${path}.${name}`);
  }
}

test('answerSchema stays in the part of JSON Schema that every provider takes', () => {
  checkPortable(answerSchema.schema, 'schema');
});
