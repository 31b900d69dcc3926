import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../../src/report/report.ts';
import { outlineOf, type OutlineSection } from '../../../src/report/text/outline.ts';
import { emptyReport, sampleReport } from '../../support/samples/sample-report.ts';

function sectionOf(report: Report, title: string): OutlineSection | undefined {
  return outlineOf(report).sections.find((section) => section.title === title);
}

/** The texts of a section, each point on a line of its own, with what belongs to it. */
function textOf(report: Report, title: string): string {
  const { points = [] } = sectionOf(report, title) ?? {};
  return points.map(({ line, more }) => [line, ...more].flat().map((piece) =>
    typeof piece === 'string' ? piece : Object.values(piece).join()).join('|')).join('\n');
}

test('outlineOf() numbers the steps, and nothing else', () => {
  const ordered = outlineOf(sampleReport()).sections.filter(({ isOrdered }) => isOrdered);
  assert.deepEqual(ordered.map(({ title }) => title), ['Next steps']);
});

test('outlineOf() shows 100 points of a section and counts the others', () => {
  const findings = (count: number): string => textOf(sampleReport({
    findings: Array.from({ length: count }, () => ({ text: 'It is slow.', evidence: [] })),
  }), 'Findings');
  assert.equal(findings(100).split('\n').length, 100);
  assert.doesNotMatch(findings(100), /in the JSON/);
  assert.match(findings(101), /\nand 1 more in the JSON$/);
});

test('outlineOf() says in words that no cause is established', () => {
  assert.match(textOf(emptyReport('ready'), 'Verdict'), /^Cause not established\.$/m);
  assert.match(textOf(sampleReport(), 'Verdict'), /^Most likely: database connections/m);
});

test('outlineOf() has the values of a change once', () => {
  const [change] = sampleReport().changes;
  assert.ok(change);
  const said = (title: string): string =>
    textOf(sampleReport({ changes: [{ ...change, title }] }), 'What changed');
  assert.match(said('Connections rose'), /5 min before the problem, 40 to 198/);
  assert.doesNotMatch(said('Connections rose from 40 to 198'), /problem, 40 to 198/);
  // The same numbers, but not its values.
  assert.match(said('Connections of 40 databases and 198 users'), /problem, 40 to 198/);
});

test('outlineOf() says what raises and what lowers the certainty, and cites evidence', () => {
  const report = emptyReport();
  const reasons = [
    { text: 'A.', effect: 'raises', evidence: ['E1'] },
    { text: 'B.', effect: 'lowers', evidence: [] },
  ] as const;
  const verdict = textOf({ ...report, verdict: { ...report.verdict, reasons } }, 'Verdict');
  assert.match(verdict, /\|Raises it: \|A\.\| \[E1\]\|Lowers it: \|B\.$/);
});

test('outlineOf() names what impact and reality rest on, if anything', () => {
  const { impact, ...report } = emptyReport();
  const shown = (evidence: readonly string[], up: number | null): string => {
    const found = { ...impact, targets_up: up, targets_total: 4, evidence };
    return textOf({ ...report, impact: found }, 'Impact');
  };
  assert.equal(shown([], 3), 'Targets up: 3 of 4');
  assert.equal(shown(['E1', 'E2'], 3), 'Targets up: 3 of 4\nEvidence: E1, E2');
  assert.equal(shown(['E1'], null), '');
});
