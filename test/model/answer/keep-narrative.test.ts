import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepNarrative } from '../../../src/model/answer/keep-narrative.ts';
import type { EvidenceItem, Report } from '../../../src/report/report.ts';
import { sampleNow, sampleReport } from '../../support/samples/sample-report.ts';

const minute = 60_000;
const hour = 60 * minute;

function item(id: string, title: string, summary: string): EvidenceItem {
  const [first] = sampleReport().evidence;
  assert.ok(first !== undefined);
  return { ...first, id, title, summary, query: null, state: 'ok' };
}

function narratedReport(): Report {
  const report = sampleReport();
  assert.ok(report.narrative.state === 'present');
  return {
    ...report,
    evidence: [
      item('E1', 'Alert', 'It fires.'), item('E2', 'CPU', '90 %'),
      { ...item('E3', 'Asked by the model: up', 'up is 1'), role: 'query_of_model' as const },
    ],
    narrative: {
      ...report.narrative, text: 'CPU is at 90 % [E2].',
      claims: [
        { text: 'CPU is at 90 %', evidence: ['E2'], verified: true },
        { text: 'It is up, says E3, on an E2-2680', evidence: ['E1'], verified: true },
      ],
      written_at: new Date(sampleNow).toISOString(),
    },
  };
}

function keepAt(now: number, report: Report, previous: Report, freshMs = hour): Report | null {
  return keepNarrative(report, previous, { now, freshMs });
}

function madeAnew(over: Partial<Report> = {}): Report {
  const report = narratedReport();
  return {
    ...report, narrative: { state: 'absent', reason: 'pending', detail: '' },
    evidence: [item('E1', 'CPU', '95 %'), item('E2', 'Alert', 'It fires.')], ...over,
  };
}

test('keepNarrative takes what the claims rest on along, and cites it where it is now', () => {
  const kept = keepAt(sampleNow + 10 * minute, madeAnew(), narratedReport());
  assert.ok(kept?.narrative.state === 'present');
  assert.deepEqual(kept.evidence.map(({ id, summary }) => [id, summary]), [
    ['E1', '95 %'], ['E2', 'It fires.'], ['E3', '90 %'], ['E4', 'up is 1'],
  ]);
  assert.deepEqual(kept.narrative.claims.map(({ text, evidence }) => [text, evidence]), [
    ['CPU is at 90 %', ['E3']], ['It is up, says E4, on an E2-2680', ['E2']],
  ]);
  assert.equal(kept.narrative.text, 'CPU is at 90 % [E3].');
});

test('keepNarrative keeps a narrative of other evidence for `freshMs`', () => {
  const late = sampleNow + 3 * hour;
  assert.notEqual(keepAt(late - 1, madeAnew(), narratedReport(), 3 * hour), null);
  assert.equal(keepAt(late, madeAnew(), narratedReport(), 3 * hour), null);
  assert.notEqual(keepAt(sampleNow + 59 * minute, madeAnew(), narratedReport()), null);
  assert.equal(keepAt(sampleNow + 61 * minute, madeAnew(), narratedReport()), null);
});

test('keepNarrative keeps a narrative of the same evidence for six hours', () => {
  const previous = narratedReport();
  const same = madeAnew({ evidence: previous.evidence.slice(0, 2) });
  assert.notEqual(keepAt(sampleNow + 300 * minute, same, previous), null);
  assert.equal(keepAt(sampleNow + 361 * minute, same, previous), null);
});

test('keepNarrative lets a graver alert be asked about anew, and one that ended never', () => {
  const previous = narratedReport();
  const mild = { ...previous, alert: { ...previous.alert, labels: { severity: 'info' } } };
  const grave = madeAnew({ alert: { ...previous.alert, labels: { severity: 'critical' } } });
  assert.equal(keepAt(sampleNow + minute, grave, mild), null);
  const ended = madeAnew({ episode: { ...previous.episode, state: 'resolved' } });
  assert.notEqual(keepAt(sampleNow + 1000 * minute, ended, previous), null);
});

test('keepNarrative keeps a doubt of the model, and raises nothing', () => {
  const previous = narratedReport();
  const doubt = {
    text: 'The language model is less sure: so.', effect: 'lowers' as const, evidence: ['E2'],
    by: 'model' as const,
  };
  const doubted = {
    ...previous,
    verdict: { ...previous.verdict, certainty: 'possible' as const, reasons: [doubt] },
  };
  const sure = madeAnew({ verdict: { ...previous.verdict, certainty: 'likely', reasons: [] } });
  const kept = keepAt(sampleNow, sure, doubted);
  assert.equal(kept?.verdict.certainty, 'possible');
  assert.deepEqual(kept.verdict.reasons, [{ ...doubt, evidence: ['E3'] }]);
  assert.equal(keepAt(sampleNow, sure, previous)?.verdict.certainty, 'likely');
});

test("keepNarrative keeps a cause of the model's own, with the evidence for it", () => {
  const previous = narratedReport();
  const own = {
    cause: 'The pool leaks (proposed by the language model)', mechanism: null, against: [],
    for: [{ text: 'So.', evidence: ['E2'] }], test: null, certainty: 'possible' as const,
    proposed_by: 'model' as const,
  };
  const proposing = { ...previous, hypotheses: [...previous.hypotheses, own] };
  const open = madeAnew({
    hypotheses: [],
    verdict: { ...previous.verdict, certainty: 'inconclusive', most_likely: null, reasons: [] },
  });
  const kept = keepAt(sampleNow, open, proposing);
  assert.deepEqual(kept?.hypotheses, [{ ...own, for: [{ text: 'So.', evidence: ['E3'] }] }]);
  assert.equal(kept.verdict.most_likely, own.cause);
  assert.equal(kept.verdict.certainty, 'possible');
});

test('keepNarrative keeps nothing of a report without a narrative', () => {
  assert.equal(keepAt(sampleNow, madeAnew(), madeAnew()), null);
});
