import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeVerb } from '../../../src/report/kinds.ts';
import type { Report } from '../../../src/report/report.ts';
import { outlineOf, type OutlineSection } from '../../../src/report/text/outline.ts';
import { citesText } from '../../../src/report/text/outline-point.ts';
import { emptyReport, resolvedReport, sampleReport } from '../../support/samples/sample-report.ts';

function sectionOf(report: Report, title: string): OutlineSection | undefined {
  return outlineOf(report).sections.find((section) => section.title === title);
}

/** The texts of a section, each point on a line of its own, with what belongs to it. */
function textOf(report: Report, title: string): string {
  const { points = [] } = sectionOf(report, title) ?? {};
  return points.map(({ line, more }) => [line, ...more].flat().map((piece) =>
    typeof piece === 'string' ? piece
      : 'cites' in piece ? citesText(piece.cites) : Object.values(piece).join())
    .join('|')).join('\n');
}

test('outlineOf() numbers the next steps and nothing else', () => {
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
  const { verdict } = sampleReport();
  const confirmed = sampleReport({ verdict: { ...verdict, certainty: 'confirmed' } });
  assert.match(textOf(confirmed, 'Verdict'), /^Cause: database connections/m);
});

test('outlineOf() says the values of a change only once', () => {
  const [change] = sampleReport().changes;
  assert.ok(change);
  const said = (verb: ChangeVerb): string =>
    textOf(sampleReport({ changes: [{ ...change, verb }] }), 'Changes');
  assert.match(said('appeared'), /5 min before the problem, 40 to 198/);
  for (const verb of ['rose', 'fell', 'went', 'hardly_moved'] as const) {
    assert.doesNotMatch(said(verb), /problem, 40 to 198/);
  }
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

const why = '11.2 deviations, by 4× what is usual, agreement with the alert 0.90, ' +
  '5 min before the problem';
const sections: readonly (readonly [title: string, ...points: string[]])[] = [
  ['Value',
    'When it fired: 1.62 s (3.2× the threshold)', 'When last checked: 1.93 s (3.9× the threshold)',
    'Fires when: > 500 ms', 'A day before it fired: 210 ms', 'A week before it fired: 190 ms',
    'Started firing in 24 h: once', 'Scraping: healthy', 'Evidence: E2'],
  ['Impact',
    'Scope: A few targets', 'Firing with this name: 2', 'Targets up: 11 of 12', 'Evidence: E2',
    'Affected:|service=checkout|service=payment'],
  ['Changes',
    `Connections of orders-db rose from 40 to 198| [E3]|strong, ${why}|, |service=orders-db`,
    `Queue of payment workers grew| [E3]|notable, ${why}, 40 to 198|, |service=orders-db`,
    '2 more checked, no notable change.'],
  ['Causes',
    'Connections exhausted on orders-db (likely)|Requests wait for a connection.|' +
      'For: |connections rose first| [E3]|Against: |no error was logged| [E5]'],
  ['Related alerts',
    'Part of an incident of 2 alerts|Likely origin: PgConnectionsHigh',
    'PgConnectionsHigh: same database, began 2 min before|' +
      'https://alerts.example/report/aa11'],
  ['History',
    'Episodes begun: 1 in 24 h, 2 in 7 d, 3 in 30 d|' +
      'Episode 3: 2026-11-20 01:14:10 UTC, still firing|' +
      'Episode 2: 2026-11-13 01:20:00 UTC, 24 min',
    'Usually lasts: 24 min', 'Ended within 5 min: 50 % of ended episodes',
    'Rhythm: usually around 01:00 UTC'],
  ['Resolution',
    'Ended 2026-11-20 01:24:10 UTC after 10 min|Value at the end: 220 ms|' +
      'The leading explanation held: what it rests on recovered with the alert.',
    'connections fell from 198 to 35| [E3]'],
  ['Feedback',
    '2026-11-20 01:25:00 UTC: Partly right|Cause: pool too small|Raised to 400.'],
];
for (const [title, ...points] of sections) {
  test(`outlineOf() says everything in the section "${title}"`, () => {
    assert.deepEqual(textOf(resolvedReport(), title).split('\n'), points);
  });
}

test('outlineOf() says that an alert is flapping', () => {
  const { history } = resolvedReport();
  const said = textOf(sampleReport({ history: { ...history, flapping: true } }), 'History');
  assert.match(said, /\nFlapping: yes, it keeps firing and resolving$/);
});

test('outlineOf() names the evidence of impact and reality, if there is any', () => {
  const { impact, ...report } = emptyReport();
  const shown = (evidence: readonly string[], up: number | null): string => {
    const found = { ...impact, targets_up: up, targets_total: 4, evidence };
    return textOf({ ...report, impact: found }, 'Impact');
  };
  assert.equal(shown([], 3), 'Targets up: 3 of 4');
  assert.equal(shown(['E1', 'E2'], 3), 'Targets up: 3 of 4\nEvidence: E1, E2');
  assert.equal(shown(['E1'], null), '');
});
