import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { families } from '../../src/diagnosis/knowledge/families.ts';
import { fillPromql } from '../../src/diagnosis/knowledge/fill-template.ts';
import { stalled } from '../../src/diagnosis/knowledge/usual-checks.ts';
import { sampleLabels } from '../support/samples/knowledge-labels.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const hostile = '"}{\\\n$(reboot)`x`\u202e.*+?()[]|^$é日\u{e0041}\ufffd\u0000\'';
const hostileLabels = Object.fromEntries(Object.keys(sampleLabels).map((name) => [name, hostile]));

for (const [kind, labels] of [['usual', sampleLabels], ['hostile', hostileLabels]] as const) {
  test(`promtool accepts every query filled with ${kind} values`, () => {
    const queries = families.flatMap(({ causes, steps }) =>
      [...causes.map((cause) => cause.test), ...steps.map(({ command }) => command)]
        .filter((template) => template?.kind === 'promql')
        .map((template) => template?.template ?? ''));
    const rules = queries.map((query, index) => {
      const expr = fillPromql(query, labels);
      assert.ok(expr !== null, query);
      return { record: `query:${index}`, expr };
    });
    assert.ok(rules.length > 100);
    // JSON is YAML, and its escapes preserve any text.
    const file = join(temporaryDirectory(), 'rules.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'knowledge', rules }] }));
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`${rules.length} rules found`, 'u'));
  });
}

test('consumers that stand still are told by several counters with the same labels', () => {
  const { template } = stalled.test;
  const expr = fillPromql(template, { queue: 'orders' });
  const counters = ['jobs_processed_total', 'jobs_completed_total'].map((name) => {
    return { series: `${name}{queue="orders"}`, values: '0+5x40 200x40' };
  });
  const at = (minutes: number, ...exp_samples: object[]): object =>
    ({ expr, eval_time: `${minutes}m`, exp_samples });
  const tests = [{
    interval: '15s',
    input_series: [...counters, { series: 'queue_depth{queue="orders"}', values: '50x80' }],
    promql_expr_test: [at(10), at(13, { labels: '{}', value: 50 })],
  }];
  const file = join(temporaryDirectory(), 'tests.yml');
  writeFileSync(file, JSON.stringify({ rule_files: [], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
});
