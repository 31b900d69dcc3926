import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Asked } from '../../src/evidence/ask-within.ts';
import { Ledger } from '../../src/evidence/ledger.ts';
import { addSourceReport, type SourceReport } from '../../src/evidence/source-report.ts';
import { isoTime } from '../../src/report/time-text.ts';
import { caseNow } from '../support/samples/case-files.ts';

const refused = { why: 'it answered 403: pods', hint: 'Bind the role.', mayPass: false };
const slow = { why: 'no answer within 2.5 s', hint: 'Check the load.', mayPass: true };

function reported(questions: Asked['questions']): { report: SourceReport; ledger: Ledger } {
  const ledger = new Ledger();
  const add = ledger.adderFor('kubernetes', isoTime(caseNow));
  const report = addSourceReport(add, 'kubernetes', {
    questions, durationMs: 7, queries: 3, nothing: { why: 'There is nothing.', hint: 'Look.' },
  });
  return { report, ledger };
}

test('addSourceReport() makes one fault of all failures that call for the same', () => {
  const { report, ledger } = reported([
    { what: 'The pod', failure: refused }, { what: 'The node', failure: slow },
    { what: 'The workload', failure: { ...refused, why: 'it answered 403: deployments' } },
    { what: 'Events', failure: null }, { what: 'The pod', failure: refused },
  ]);
  assert.equal(report.state, 'ok');
  assert.equal(report.mayAnswerLater, true);
  const cannot = 'Cannot read from Kubernetes:';
  assert.deepEqual(report.failures, [
    {
      what: 'The pod; The workload', hint: refused.hint,
      why: `${cannot} it answered 403: pods; it answered 403: deployments.`,
    },
    { what: 'The node', hint: slow.hint, why: `${cannot} no answer within 2.5 s.` },
  ]);
  const [item] = ledger.items;
  assert.equal(item?.summary, 'Kubernetes answered 1 of 5 questions. Bind the role.');
  assert.equal(item.warnings.length, 3, 'each once');
});

test('addSourceReport() tells as a whole what a source that fails would have told', () => {
  const { report, ledger } = reported([{ what: 'The pod', failure: slow }]);
  assert.equal(report.state, 'failed');
  assert.deepEqual(report.failures.map(({ what }) => what), ['Pods, events and recent rollouts']);
  assert.equal(ledger.items[0]?.error, report.failures[0]?.why);
});

test('addSourceReport() tells that there is nothing only if every question was answered', () => {
  const why = 'There is nothing.';
  assert.equal(reported([{ what: 'The pod', failure: null }]).report.failures[0]?.why, why);
  const { report, ledger } = reported([]);
  assert.deepEqual([report.state, report.failures[0]?.why], ['empty', why]);
  assert.equal(ledger.items[0]?.summary, why);
});
