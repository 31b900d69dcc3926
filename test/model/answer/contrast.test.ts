import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peersTitle } from '../../../src/evidence/metrics/peers.ts';
import { cappedByContrast } from '../../../src/model/answer/contrast.ts';
import type { Certainty, EvidenceItem, Report, Verdict } from '../../../src/report/report.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

type Has = 'peers' | 'others' | 'before';

function item(id: string, over: Partial<EvidenceItem>): EvidenceItem {
  const [first] = sampleReport().evidence;
  assert.ok(first !== undefined);
  return { ...first, id, state: 'ok', kind: 'series', source: 'prometheus', ...over };
}

function aReport(has: readonly Has[], evidence: readonly EvidenceItem[] = []): Report {
  const report = sampleReport();
  return {
    ...report,
    impact: { ...report.impact, targets_total: has.includes('peers') ? 3 : null },
    reality: {
      ...report.reality, yesterday: null, last_week: has.includes('before') ? 1 : null,
    },
    evidence: [
      item('E1', { kind: 'related', state: has.includes('others') ? 'empty' : 'failed' }),
      item('E2', { title: "The alert's own series", state: 'failed' }), ...evidence,
    ],
  };
}

function capped(certainty: Certainty, report: Report): Verdict {
  return cappedByContrast({ ...report.verdict, certainty, reasons: [] }, report);
}

const table: readonly [readonly Has[], Certainty, Certainty][] = [
  [['peers', 'others', 'before'], 'confirmed', 'confirmed'],
  [['peers', 'others'], 'confirmed', 'likely'],
  [['peers', 'before'], 'confirmed', 'likely'],
  [['others', 'before'], 'confirmed', 'likely'],
  [[], 'confirmed', 'likely'],
  [['others', 'before'], 'likely', 'likely'],
  [['peers'], 'likely', 'likely'],
  [['others'], 'likely', 'possible'],
  [[], 'possible', 'possible'],
  [[], 'inconclusive', 'inconclusive'],
];
for (const [has, before, after] of table) {
  test(`cappedByContrast: ${before} with ${has.join(', ') || 'nothing'} is ${after}`, () => {
    const { certainty, reasons } = capped(before, aReport(has));
    assert.equal(certainty, after);
    assert.equal(reasons.length, before === after ? 0 : 1);
  });
}

test('cappedByContrast leaves a cause likely that code has proven, though a model doubts', () => {
  const report = aReport(['others']);
  const [first] = report.hypotheses;
  assert.ok(first !== undefined);
  const hypotheses = [{ ...first, certainty: 'confirmed' as const }];
  const about = (cause: string): Verdict => cappedByContrast(
    { ...report.verdict, certainty: 'likely', most_likely: cause }, { ...report, hypotheses },
  );
  assert.equal(about(first.cause).certainty, 'likely');
  assert.equal(about('Another cause').certainty, 'possible');
});

test('cappedByContrast says what there was nothing to compare with, and what tells so', () => {
  const [reason] = capped('likely', aReport(['others'])).reasons;
  assert.deepEqual(reason, {
    text: 'Code could not compare with the targets or series around it, nor with a day or a week ' +
      'before.',
    effect: 'lowers', evidence: ['E1', 'E2'],
  });
});

test('cappedByContrast takes series of the same rule for peers, unless asking failed', () => {
  const peers = (state: EvidenceItem['state']): Report => {
    return aReport(['others'], [item('E3', { title: peersTitle, state })]);
  };
  assert.equal(capped('likely', peers('ok')).certainty, 'likely');
  assert.equal(capped('likely', peers('failed')).certainty, 'possible');
});
