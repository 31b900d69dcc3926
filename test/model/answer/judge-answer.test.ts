import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeAnswer, type Judged } from '../../../src/model/answer/judge-answer.ts';
import { cleanProse } from '../../../src/model/prose.ts';
import type { EvidenceItem } from '../../../src/report/report.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import { anAnswer } from '../../support/scripted-model.ts';

const fact = { claim: 'The pool of db-0 holds 198 of 200 connections.', evidence_ids: ['E1'] };

/** Judged as the service does it, of a report whose only evidence says how full a pool is. */
function judged(summary: string, facts: readonly typeof fact[] = [fact]): Judged {
  const [first, second] = sampleReport().evidence;
  assert.ok(first !== undefined && second !== undefined);
  const evidence: readonly EvidenceItem[] = [
    { ...first, id: 'E1', state: 'ok', query: null, data: null,
      summary: 'The pool of db-0 holds 198 of 200 connections.' },
    { ...second, id: 'E2', state: 'failed', query: null, data: null,
      summary: 'The pool of db-1 holds 17 of 200 connections.' },
  ];
  const known = evidence.map((item) => item.summary);
  return judgeAnswer(anAnswer({ summary, facts }), evidence, (text) => cleanProse(text, known));
}

const summaries: readonly [string, string, string][] = [
  ['keeps a sentence that evidence bears out',
    'The pool of db-0 holds 198 of 200 connections.',
    'The pool of db-0 holds 198 of 200 connections.'],
  ['strikes a number that stands nowhere',
    'The pool of db-0 holds 198 of 200 connections. It will need 512.',
    'The pool of db-0 holds 198 of 200 connections.'],
  ['strikes one sentence although ids are behind full stops',
    'The pool of db-0 holds 512 connections. [E1] It holds 198 of 200 connections. [E1, E1] ' +
      'It will need 512. (E1) The pool of db-0 holds 198 of 200 connections. (E1)',
    'It holds 198 of 200 connections. [E1, E1] ' +
      'The pool of db-0 holds 198 of 200 connections. (E1)'],
  ['strikes a sentence that names other evidence than bears it out',
    'As E2 says, the pool of db-0 holds 198 connections.', ''],
  ['strikes what a source failed to tell', 'The pool of db-1 holds 17 of 200 connections.', ''],
  ['strikes an all-clear that nothing words', 'Nothing is wrong here.', ''],
];
for (const [name, summary, expected] of summaries) {
  test(`judgeAnswer ${name}`, () => assert.equal(judged(summary).text, expected));
}

const lie = { claim: 'The pool of db-0 holds 4242 connections.', evidence_ids: ['E1'] };

test('judgeAnswer keeps no sentence of a summary where no claim is proven', () => {
  const { text, claims, isTrusted } = judged('The pool holds 198 connections.', [lie]);
  assert.deepEqual([text, claims.map(({ verified }) => verified), isTrusted], ['', [false], false]);
});

const trusted: readonly [string, readonly (typeof fact)[], boolean][] = [
  ['half of its claims', [fact, lie], true],
  ['less than half of them', [fact, lie, lie], false],
  ['none, as it has none', [], false],
];
for (const [name, facts, expected] of trusted) {
  test(`judgeAnswer ${expected ? 'trusts' : 'distrusts'} an answer that proves ${name}`, () => {
    assert.equal(judged('', facts).isTrusted, expected);
  });
}

test('judgeAnswer verifies a claim only if every cited item was answered', () => {
  const { verify } = judged('');
  const text = fact.claim;
  assert.equal(verify({ text, evidence: ['E1'] }), true);
  assert.equal(verify({ text, evidence: ['E1', 'E2'] }), false, 'E2 failed');
  assert.equal(verify({ text, evidence: ['E1', 'E7'] }), false, 'E7 is not there');
  assert.equal(verify({ text, evidence: [] }), false);
});
