import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { emptyReport, resolvedReport, sampleReport } from '../support/samples/sample-report.ts';

/** Members whose own members are the sender's or differ from item to item. */
const open = new Set(['labels', 'annotations', 'data']);

function* membersOf(value: unknown): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* membersOf(item);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, member] of Object.entries(value)) {
    yield name;
    if (!open.has(name)) yield* membersOf(member);
  }
}

/** With what only a language model adds. */
function withModel(): Report {
  const { narrative, verdict, hypotheses, ...rest } = sampleReport();
  assert.ok(narrative.state === 'present');
  const claim = { text: 'It rose.', evidence: ['E3'], verified: true, reading: 'Much.' };
  const proposed_by = 'model';
  return {
    ...rest,
    verdict: { ...verdict, reasons: verdict.reasons.map((each) => ({ ...each, by: proposed_by })) },
    hypotheses: hypotheses.map((each) => ({ ...each, proposed_by })),
    narrative: {
      ...narrative, claims: [claim], asserted: { made: 1, held_at_first: 1, held: 1 },
      culprits: [{ component: 'orders-db', since: null }], missing: [],
    },
    questions: [{
      asked_at: narrative.written_at, question: 'Why?', state: 'answered', text: 'So.',
      claims: [claim], missing: [], detail: null,
    }],
  };
}

/** With what few reports have. */
function withRare(): Report {
  const { verdict, unknowns, evidence, next_steps: steps, path = null, ...rest } = sampleReport();
  const hops = (path?.hops ?? []).map((hop) => ({
    ...hop, one_of: 3, faults: hop.faults.map((each) => ({ ...each, rate: 4, rate_before: 4 })),
  }));
  return {
    ...rest, path: { hops, origin: null }, verdict: { ...verdict, is_quoted: true },
    unknowns: unknowns.map((each) => ({ ...each, source: 'loki', is_awaited: true })),
    evidence: evidence.map((each) => ({ ...each, role: 'sent_values' })),
    next_steps: steps.map((each) => ({ ...each, reads_only: true })),
  };
}

test('src/report/README.md names every member of a report and no other', () => {
  const readme = readFileSync(join(process.cwd(), 'src', 'report', 'README.md'), 'utf8');
  const [, section = ''] = /## The report as JSON\n([^]*?)\n## /.exec(readme) ?? [];
  const table = section.split('\n').filter((line) => line.startsWith('| `'));
  const named = new Set(table.flatMap((line) => line.match(/(?<=`)\w+(?=`)/g) ?? []));
  const sample = sampleReport();
  const threshold_series = { expression: 'allowed', at_fire: 1, now: 2 };
  const extent = {
    kind: 'share', part: 47, of: 188, is_rate: true, unit: null, what: 'requests', pace: null,
    ends_at: null, as_of: 'fire',
  } as const;
  const reports = [
    sample, { ...sample, reality: { ...sample.reality, threshold_series } }, resolvedReport(),
    { ...sample, impact: { ...sample.impact, extent } },
    emptyReport('analysing'), withModel(), withRare(),
  ];
  const members = new Set(reports.flatMap((report) => [...membersOf(report)]));
  assert.deepEqual([...members].filter((name) => !named.has(name)), []);
  const values = new Set(['queued', 'analysing', 'ready', 'final', 'failed', 'null', 'amtool']);
  const links = new Set(['Prometheus', 'Alertmanager', 'Silence']);
  assert.deepEqual([...named].filter((name) =>
    !members.has(name) && !values.has(name) && !links.has(name)), []);
});
