import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
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

test('the README names every member of a report and no other', () => {
  const readme = readFileSync(join(process.cwd(), 'README.md'), 'utf8');
  const [, section = ''] = /### The report as JSON\n([^]*?)\n## /.exec(readme) ?? [];
  const table = section.split('\n').filter((line) => line.startsWith('| `'));
  const named = new Set(table.flatMap((line) => line.match(/(?<=`)\w+(?=`)/g) ?? []));
  const sample = sampleReport();
  const threshold_series = { expression: 'allowed', at_fire: 1, now: 2 };
  const reports = [
    sample, { ...sample, reality: { ...sample.reality, threshold_series } }, resolvedReport(),
    emptyReport('analysing'),
  ];
  const members = new Set(reports.flatMap((report) => [...membersOf(report)]));
  assert.deepEqual([...members].filter((name) => !named.has(name)), []);
  const values = new Set(['queued', 'analysing', 'ready', 'final', 'failed', 'null', 'amtool']);
  const links = new Set(['Prometheus', 'Alertmanager', 'Silence']);
  assert.deepEqual([...named].filter((name) =>
    !members.has(name) && !values.has(name) && !links.has(name)), []);
});
