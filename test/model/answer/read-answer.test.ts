import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerMembers, answerSchema, type ModelAnswer,
} from '../../../src/model/answer/answer-schema.ts';
import { readModelAnswer as readWith } from '../../../src/model/answer/read-answer.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { aFinding, anAnswer } from '../../support/scripted-model.ts';

const readAnswer = (said: string): ReturnType<typeof readWith<ModelAnswer>> =>
  readWith(said, answerMembers);
const json = JSON.stringify(anAnswer({ reading: 'A {brace' }));

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
  ['the first object in prose', `My conclusion is ${json} as said. {"findings":"other"}`],
];
for (const [what, said] of forms) {
  test(`readAnswer reads ${what}`, () => {
    assert.equal(readAnswer(said).answer?.reading, 'A {brace');
  });
}

test('readAnswer says what is wrong, a line each, for the model to mend', () => {
  const wrong = JSON.stringify({ ...anAnswer(), verdict: 'sure', findings: 'none', reading: null });
  const { answer, problems } = readAnswer(wrong);
  assert.equal(answer, null);
  assert.equal(problems.length, 3);
  assert.match(problems.join('\n'), /verdict: expected one of confirmed/);
  assert.deepEqual(readAnswer('no idea').problems, ['The answer holds no complete JSON object.']);
  assert.equal(readAnswer(json.slice(0, -5)).answer, null);
  assert.equal(readAnswer('[1]').answer, null);
});

test('readAnswer cuts texts and lists to bounds', () => {
  const finding = aFinding({ is: ' Moved ', rel: 'ROSE', a: `E1.${'x'.repeat(900)}`, b: '' });
  const { answer } = readAnswer(JSON.stringify(anAnswer({
    reading: 'y'.repeat(9000), findings: Array.from({ length: 40 }, () => finding),
    suspicious_content: '',
  })));
  assert.equal(answer?.reading.length, 1200);
  assert.equal(answer?.findings.length, 16);
  const [first] = answer?.findings ?? [];
  const read = [first?.is, first?.rel, first?.a?.length, first?.b];
  assert.deepEqual(read, ['moved', 'rose', 300, null]);
  assert.equal(answer?.suspicious_content, null);
});

test('readAnswer takes what small models leave out or write beside the form', () => {
  const { answer } = readAnswer(JSON.stringify({
    verdict: 'probable', reading: 'So.', findings: [
      { is: 'none', a: 'E4' }, { is: 'value', a: 'E1.x', about: '[H2]: its cause', weight: 'pro' },
      { is: 'value', a: 'E1.x', about: 'own' }, { is: 'value', a: 'E1.x', about: 'E3' },
    ],
  }));
  assert.deepEqual(answer?.findings.map(({ about, weight, quote }) => [about, weight, quote]), [
    [null, 'context', null], ['H2', 'context', null], ['own', 'context', null],
    [null, 'context', null],
  ]);
  assert.deepEqual([answer?.culprits, answer?.missing, answer?.own_cause], [[], [], null]);
});

test('readAnswer gives up on broken text quickly', () => {
  const cpuMs = cpuTimer();
  readAnswer('{"a":'.repeat(50_000));
  readAnswer('```json\n'.repeat(30_000));
  readAnswer(`\`\`\`json${'\n'.repeat(200_000)}`);
  readAnswer(`\`\`\`json\n{"findings":${'\n '.repeat(100_000)}`);
  readAnswer('{"findings":1} '.repeat(20_000));
  readAnswer('{"findings" '.repeat(25_000));
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
