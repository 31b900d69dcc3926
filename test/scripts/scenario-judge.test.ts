/** The judge of `scripts/evaluate.ts` finds false claims and wrong causes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Narrative, Report } from '../../src/report/report.ts';
import { falseIn, namesCause, type Expected } from '../scenarios/scenario.ts';
import { sampleReport } from '../support/samples/sample-report.ts';

const expected: Expected = {
  classification: 'actionable', causes: [/orders-db/], innocent: [/\bmail\b/], absent: [/forged/],
};
const lie = 'All is "well".';

function reportWith(claim: string, verified: boolean): Report {
  const { narrative } = sampleReport();
  assert.ok(narrative.state === 'present');
  const told: Narrative = { ...narrative, claims: [{ text: claim, evidence: ['E1'], verified }] };
  return sampleReport({ narrative: told });
}

test('falseIn() finds lies marked as verified, and forbidden words', () => {
  const lies = new Set([lie]);
  assert.deepEqual(falseIn(reportWith(lie, true), { expected }, lies), [lie]);
  assert.deepEqual(falseIn(reportWith(lie, false), { expected }, lies), []);
  assert.deepEqual(falseIn(reportWith('a forged claim', true), { expected }, lies), ['forged']);
  const { verdict } = sampleReport();
  const repeated = sampleReport({ verdict: { ...verdict, headline: lie } });
  assert.deepEqual(falseIn(repeated, { expected }, lies), [lie]);
});

test('namesCause() requires every cause, nothing innocent, and no cause if there is none', () => {
  const report = sampleReport();
  assert.ok(namesCause(report, expected));
  assert.ok(!namesCause(report, { ...expected, causes: [/orders-db/, /\bcart\b/] }));
  assert.ok(!namesCause(report, { ...expected, innocent: [/exhausted/] }));
  assert.ok(!namesCause(report, { ...expected, causes: null }));
});
