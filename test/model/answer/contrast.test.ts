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
  const about = (cause: string, certainty: Certainty): Certainty => cappedByContrast(
    { ...report.verdict, certainty: 'likely', most_likely: cause },
    { ...report, hypotheses: [{ ...first, certainty }] },
  ).certainty;
  assert.equal(about(first.cause, 'confirmed'), 'likely');
  assert.equal(about(first.cause, 'likely'), 'possible');
  assert.equal(about('Another cause', 'confirmed'), 'possible');
});

test('cappedByContrast compares with the day before as well as with the week before', () => {
  const report = aReport(['others']);
  const reality = { ...report.reality, yesterday: 1 };
  assert.equal(capped('likely', { ...report, reality }).certainty, 'likely');
});

test('cappedByContrast says what there was nothing to compare with, and what tells so', () => {
  const [reason] = capped('likely', aReport(['others'])).reasons;
  assert.deepEqual(reason, {
    text: 'The alert could not be compared with neighbouring targets or series, nor with its ' +
      'values a day or a week earlier.',
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
