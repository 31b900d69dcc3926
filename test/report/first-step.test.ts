import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstStepOf } from '../../src/report/first-step.ts';
import { sampleReport } from '../support/samples/sample-report.ts';

const { verdict, next_steps: steps } = sampleReport();
const [first] = steps;

test('firstStepOf() has the command of the step it names', () => {
  assert.ok(first?.command);
  const report = sampleReport({ verdict: { ...verdict, do_first: first.action } });
  assert.deepEqual(firstStepOf(report), { text: first.action, command: first.command });
});

test('firstStepOf() has no command for a text that is none of the steps', () => {
  const { first_step: _, ...others } = verdict;
  const report = sampleReport({ verdict: { ...others, do_first: 'Nothing now.' } });
  assert.deepEqual(firstStepOf(report), { text: 'Nothing now.', command: null });
});

test('firstStepOf() falls back to the first step, or to null', () => {
  const without = { ...verdict, do_first: null };
  assert.equal(firstStepOf(sampleReport({ verdict: without }))?.text, first?.action);
  assert.equal(firstStepOf(sampleReport({ verdict: without, next_steps: [] })), null);
});
