import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InsideFacts } from '../../../src/evidence/inside-fact.ts';
import { concluded, latencyCase } from '../../support/samples/metric-facts.ts';

function textOf(finding: InsideFacts['finding'], isWhole = true): string | undefined {
  const inside = { finding, isWhole, unit: null };
  const { findings, report } = concluded(latencyCase(), { inside });
  const id = report.evidence.find(({ title }) => title === 'What is inside')?.id ?? '';
  return findings.find(({ evidence }) => evidence.includes(id))?.text;
}

test('findingsOf tells who makes most of a rise, never more than is so', () => {
  const had = { before: 1, after: 9 };
  const path = { label: 'path', values: ['/pay'], of: 8, share: 0.999, ...had };
  const pod = { label: 'pod', values: ['a', 'b'], of: 12, share: 0.821, ...had };
  const rise = { direction: 'rise', measured: 'amount', whole: null } as const;
  const told = { kind: 'leaders', ...rise, leaders: [path, pod] } as const;
  assert.equal(textOf(told),
    '99 % of the rise comes from path /pay (1 of 8); 82 % from pod a and b (2 of 12).');
  assert.equal(textOf({ ...told, leaders: [{ ...path, share: 1 }] }, false),
    'All of the rise of its numerator comes from path /pay (1 of 8).');
});

test('findingsOf tells that all moved alike, by name where they are few', () => {
  const spread = (values: readonly string[]): InsideFacts['finding'] =>
    ({ kind: 'spread', direction: 'fall', measured: 'amount', label: 'pod', values });
  assert.equal(textOf(spread(['a', 'b', 'c'])),
    'The fall is spread roughly evenly over 3 pods: a, b and c.');
  assert.equal(textOf(spread(['a', 'b', 'c', 'd', 'e'])),
    'The fall is spread roughly evenly over 5 pods.');
  assert.equal(textOf({
    kind: 'spread', direction: 'fall', measured: 'amount', label: 'status', values: ['1', '2'],
  }), 'The fall is spread roughly evenly over 2 statuses: 1 and 2.');
});

test('findingsOf tells which one it is, and how far the next is behind', () => {
  assert.equal(textOf({ kind: 'only', label: 'pod', value: 'a' }),
    'It consists of one series: pod a.');
  assert.equal(textOf({ kind: 'counted', label: 'pod', values: ['a', 'b'] }, false),
    'Its numerator counted 2 when it fired: pod a and b.');
  assert.equal(textOf({
    kind: 'extreme', label: 'pod', value: 'a', of: 3, isHighest: true, measured: 1.9, next: 0.2,
  }), 'The highest of 3 series when it fired was pod a with 1.9 s; the next had 200 ms.');
  assert.equal(textOf({
    kind: 'extreme', label: 'pod', value: 'a', of: 3, isHighest: false, measured: 0.2, next: 1.9,
  }), 'The lowest of 3 series when it fired was pod a with 200 ms; the next had 1.9 s.');
  assert.equal(textOf({
    kind: 'spread', direction: 'rise', measured: 'amount', label: 'query', values: ['1', '2'],
  }), 'The rise is spread roughly evenly over 2 queries: 1 and 2.');
});
