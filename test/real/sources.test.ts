import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPrometheus } from '../../src/sources/prometheus.ts';
import { anyOf, quoteText, selector } from '../../src/sources/promql-text.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { eventually, findProgram, freePort, startProgram } from '../support/programs/programs.ts';
import { writeBlocks } from '../support/programs/running-prometheus.ts';
import { assertEachFound, samplesOfHostile } from '../support/samples/hostile-values.ts';
import { testClient } from '../support/sources/source-clients.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const hostile = [
  'a"b', "a'b", 'a\\', '\\"} or up{job="', 'two\nlines', '.*', 'a|b', '(?i)x', '{{ $value }}', '$1',
  '\ufffd', '\u0001\u007f', 'größe 😀', ' ', '#', '`', 'a\tb\r', '[x]{2}^$+?',
];
/** 100 samples, one every 15 s, the last of them some minutes ago. */
const endSeconds = Math.floor(Date.now() / 1000 / 15) * 15 - 600;
const startSeconds = endSeconds - 99 * 15;

/** Such as its YAML has plain, in single and in double quotes. */
const externalLabels = {
  cluster: 'eu-1', digits: '007', empty: '', quotes: `it's "a\\b": {x} # é`, tab: 'a\tb',
  word: 'yes',
};

const running = forAllTests(async (cleanup) => {
  const directory = temporaryDirectory();
  await writeBlocks(directory, samples());
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  writeConfiguration(directory, port);
  const program = startProgram(findProgram('prometheus', 'prometheus'), [
    `--config.file=${join(directory, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    '--storage.tsdb.retention.time=10y',
    `--web.listen-address=127.0.0.1:${port}`, '--web.route-prefix=/behind/a/proxy',
  ]);
  cleanup.after(() => program.stop());
  const client = testClient({ url: `${base}/behind/a/proxy` });
  const prometheus = createPrometheus(client);
  await eventually('Prometheus to answer', () => prometheus.rules('any'), { program });
  return { base, program, prometheus };
});

function* samples(): Generator<string> {
  yield '# TYPE load gauge';
  for (let index = 0; index < 100; index += 1) {
    if (index >= 40 && index < 60) continue;
    const value = index === 70 ? '+Inf' : String(index / 3);
    yield `load{host="a"} ${value} ${startSeconds + index * 15}`;
  }
  yield '# TYPE hostile gauge';
  yield* samplesOfHostile(hostile, endSeconds);
}

function writeConfiguration(directory: string, port: number): void {
  const rule = {
    alert: 'AlwaysHigh', expr: 'vector(3) > 2', for: '0s', labels: { severity: 'warning' },
    annotations: { summary: 'It is {{ $value }}' },
  };
  const groups = [
    { name: 'g', rules: [rule, { ...rule, alert: 'Other' }, { record: 'AlwaysHigh', expr: '1' }] },
    { name: 'h', rules: [{ ...rule, expr: 'vector(1) > 2', labels: { severity: 'critical' } }] },
  ];
  writeFileSync(join(directory, 'rules.yml'), JSON.stringify({ groups }));
  writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify({
    global: {
      scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms',
      external_labels: externalLabels,
    },
    rule_files: [join(directory, 'rules.yml')],
    scrape_configs: [{
      job_name: 'itself', metrics_path: '/behind/a/proxy/metrics',
      static_configs: [{ targets: [`127.0.0.1:${port}`] }],
    }],
  }));
}

test('a range query returns NaN for gaps and for infinite values', async () => {
  const { prometheus } = running();
  const { grid, series, notes } = await prometheus.queryRange('last_over_time(load[10s])', {
    fromMs: startSeconds * 1000, toMs: endSeconds * 1000, stepSeconds: 15,
  });
  assert.deepEqual(grid, { startMs: startSeconds * 1000, stepMs: 15_000, count: 100 });
  assert.deepEqual(notes.warnings, []);
  const [only, ...others] = series;
  assert.equal(others.length, 0);
  assert.equal(only?.labels['host'], 'a');
  assert.equal(only.infinite, 1);
  const expected = Array.from({ length: 100 }, (_, index) => {
    return (index >= 40 && index < 60) || index === 70 ? Number.NaN : index / 3;
  });
  assert.deepEqual([...only.values], expected);
});

test('the external labels of Prometheus are read from its configuration', async () => {
  assert.deepEqual(await running().prometheus.externalLabels(), externalLabels);
});

test('the selector of each hostile label value finds only its series', async () => {
  const { prometheus } = running();
  await assertEachFound(prometheus, hostile, endSeconds);
});

test('a long query is sent to Prometheus as a form', async () => {
  const { prometheus } = running();
  const names = Array.from({ length: 150 }, (_, index) => `metric_number_${index}`);
  const text = selector(null, [
    { name: '__name__', op: '=~', value: anyOf([...names, 'load']) },
  ]);
  assert.ok(text !== null && text.length > 2500);
  const { samples } = await prometheus.query(text, startSeconds * 1000);
  assert.deepEqual(samples.map(({ value }) => value), [0]);
});

test('Prometheus lists series, up to the limit', async () => {
  const { prometheus } = running();
  const window = { fromMs: startSeconds * 1000, toMs: endSeconds * 1000 };
  const all = await prometheus.series(['load', 'hostile'], { ...window, limit: 100 });
  assert.equal(all.series.length, hostile.length + 1);
  assert.equal(all.omitted, 0);
  const values = all.series.map((labels) => labels['value'] ?? '');
  for (const value of hostile) assert.ok(values.includes(value), quoteText(value));
  const some = await prometheus.series(['hostile'], { ...window, limit: 5 });
  assert.equal(some.series.length, 5);
  assert.ok(some.omitted > 0 || some.notes.warnings.length > 0);
});

test('Prometheus lists its rules and their alerts', async () => {
  const { program, prometheus } = running();
  const rules = await eventually('the rule to fire', async () => {
    const found = await prometheus.rules('AlwaysHigh');
    return found.some(({ alerts }) => alerts.length > 0) ? found : null;
  }, { program });
  assert.deepEqual(rules.map(({ group, labels }) => [group, labels['severity']]), [
    ['g', 'warning'], ['h', 'critical'],
  ]);
  const [rule] = rules;
  assert.equal(rule?.query, 'vector(3) > 2');
  assert.equal(rule.health, 'ok');
  assert.equal(rule.annotations['summary'], 'It is {{ $value }}');
  const [firing] = rule.alerts;
  assert.equal(firing?.state, 'firing');
  assert.equal(firing.value, 3);
  assert.ok(firing.activeAtMs !== null && Date.now() - firing.activeAtMs < 600_000);
});

test('the messages of Prometheus are kept, and a wrong path prefix is recognised', async () => {
  const { base, prometheus } = running();
  await assert.rejects(prometheus.query('up(', 0), { reason: 'bad_query', detail: /parse error/ });
  const window = { fromMs: 0, toMs: 1, limit: 1 };
  await assert.rejects(prometheus.series([], window), { reason: 'bad_query', detail: /match\[\]/ });
  const lost = createPrometheus(testClient({ url: base }));
  await assert.rejects(lost.rules('any'), {
    name: 'SourceFailure', reason: 'not_found', hint: /path prefix in PROMETHEUS_URL/,
  });
});
