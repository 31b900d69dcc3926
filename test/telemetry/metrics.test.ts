import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from '../../src/telemetry/metrics.ts';

test('Registry renders a counter without labels from the start', () => {
  const registry = new Registry();
  const counter = registry.declare({ type: 'counter', name: 'jobs_total', help: 'Jobs.' });
  const head = '# HELP jobs_total Jobs.\n# TYPE jobs_total counter\n';
  assert.equal(registry.render(), `${head}jobs_total 0\n`);
  counter.inc();
  counter.inc(undefined, 2.5);
  assert.match(registry.render(), /\njobs_total 3\.5\n$/);
});

test('Registry renders nothing when nothing is declared', () => {
  assert.equal(new Registry().render(), '');
});

test('Counter starts every combination of label values at 0', () => {
  const registry = new Registry();
  const labels = { route: ['a', 'b'], code: ['1', '2'] } as const;
  const counter = registry.declare({ type: 'counter', name: 'r_total', help: 'R.', labels });
  counter.inc({ route: 'b', code: '1' });
  assert.deepEqual(registry.render().split('\n').slice(2), [
    'r_total{route="a",code="1"} 0',
    'r_total{route="a",code="2"} 0',
    'r_total{route="b",code="1"} 1',
    'r_total{route="b",code="2"} 0',
    '',
  ]);
});

test('Counter refuses a label value that is not declared, and counts none', () => {
  const registry = new Registry();
  const labels: Record<string, string[]> = { code: ['200'] };
  const counter = registry.declare({ type: 'counter', name: 'r_total', help: 'R.', labels });
  for (const bad of [{ code: '404' }, {}, { code: '__proto__' }, undefined]) {
    assert.throws(() => { counter.inc(bad); }, { name: 'AssertionError' });
  }
  assert.match(registry.render(), /\nr_total\{code="200"\} 0\n$/);
});

test('Counter counts an undeclared value as other where other is declared', () => {
  const registry = new Registry();
  const labels = { code: ['200', 'other'] } as const;
  const counter = registry.declare({ type: 'counter', name: 'r_total', help: 'R.', labels });
  counter.inc({ code: '418' });
  counter.inc({ code: 'evil"}\n1' });
  assert.match(registry.render(), /\nr_total\{code="200"\} 0\nr_total\{code="other"\} 2\n$/);
});

test('Counter cannot shrink', () => {
  const counter = new Registry().declare({ type: 'counter', name: 'r_total', help: 'R.' });
  assert.throws(() => { counter.inc(undefined, -1); }, { name: 'AssertionError' });
});

test('Gauge shows the last value, also those without a decimal form', () => {
  const registry = new Registry();
  const gauge = registry.declare({ type: 'gauge', name: 'g', help: 'G.' });
  for (const [value, shown] of [
    [3, '3'], [-0.5, '-0.5'], [1e21, '1e+21'],
    [Infinity, '+Inf'], [-Infinity, '-Inf'], [NaN, 'NaN'],
  ] as const) {
    gauge.set(value);
    assert.ok(registry.render().endsWith(`\ng ${shown}\n`), shown);
  }
});

test('Gauge with collect is asked at each scrape, and left out when it has no value', () => {
  const registry = new Registry();
  let value: number | null = 1;
  registry.collect({ type: 'gauge', name: 'g', help: 'G.' }, () => value);
  assert.match(registry.render(), /\ng 1\n$/);
  value = null;
  assert.equal(registry.render(), '');
});

test('Registry.beforeRender runs once per scrape, before anything is collected', () => {
  const registry = new Registry();
  let runs = 0;
  registry.collect({ type: 'gauge', name: 'first', help: 'F.' }, () => runs);
  registry.collect({ type: 'gauge', name: 'second', help: 'S.' }, () => runs);
  registry.beforeRender(() => { runs += 1; });
  assert.match(registry.render(), /\nfirst 1\n[^]*\nsecond 1\n$/);
  assert.match(registry.render(), /\nfirst 2\n[^]*\nsecond 2\n$/);
});

test('Histogram counts cumulatively, bounds included, and writes bounds like Prometheus 3', () => {
  const registry = new Registry();
  const buckets = [0.25, 1, 10];
  const histogram = registry.declare({ type: 'histogram', name: 'h_seconds', help: 'H.', buckets });
  for (const seconds of [0.25, 0.5, 1, 10.5, Number.NaN]) histogram.observe(seconds);
  assert.deepEqual(registry.render().split('\n').slice(1), [
    '# TYPE h_seconds histogram',
    'h_seconds_bucket{le="0.25"} 1',
    'h_seconds_bucket{le="1.0"} 3',
    'h_seconds_bucket{le="10.0"} 3',
    'h_seconds_bucket{le="+Inf"} 4',
    'h_seconds_sum 12.25',
    'h_seconds_count 4',
    '',
  ]);
});

test('Histogram keeps its labels in front of the bound', () => {
  const registry = new Registry();
  const labels = { kind: ['a', 'b'] } as const;
  const histogram = registry.declare({
    type: 'histogram', name: 'h_seconds', help: 'H.', labels, buckets: [1],
  });
  histogram.observe(2, { kind: 'b' });
  const text = registry.render();
  assert.match(text, /\nh_seconds_bucket\{kind="b",le="1\.0"\} 0\n/);
  assert.match(text, /\nh_seconds_bucket\{kind="b",le="\+Inf"\} 1\nh_seconds_sum\{kind="b"\} 2\n/);
});

test('Registry escapes help and label values', () => {
  const registry = new Registry();
  const value = 'a"b\\c\nd';
  const gauge = registry.declare({
    type: 'gauge', name: 'g', help: 'Line\nbreak \\ "quoted"', labels: { v: [value] },
  });
  gauge.set(1, { v: value });
  assert.equal(
    registry.render(),
    '# HELP g Line\\nbreak \\\\ "quoted"\n# TYPE g gauge\ng{v="a\\"b\\\\c\\nd"} 1\n',
  );
});

type Declaration = Parameters<Registry['declare']>[0];

const gauge = { type: 'gauge', name: 'g', help: 'G.' } as const;
const forty = Array.from({ length: 40 }, (_, index) => String(index));
const wrongDeclarations: readonly (readonly [string, ...Declaration[]])[] = [
  ['a counter not called _total', { type: 'counter', name: 'jobs', help: 'J.' }],
  ['a name with capitals', { ...gauge, name: 'Jobs' }],
  ['a name with a colon', { ...gauge, name: 'a:b' }],
  ['a name used twice', gauge, gauge],
  ['bounds out of order', { type: 'histogram', name: 'h', help: 'H.', buckets: [2, 1] }],
  ['too many series', { ...gauge, labels: { a: forty, b: forty } }],
];

for (const [what, ...declarations] of wrongDeclarations) {
  test(`Registry refuses ${what}`, () => {
    const registry = new Registry();
    assert.throws(() => {
      for (const each of declarations) registry.declare(each);
    }, { name: 'AssertionError' });
  });
}
