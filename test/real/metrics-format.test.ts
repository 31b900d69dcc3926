import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { Registry } from '../../src/telemetry/metrics.ts';
import { startProcessMetrics } from '../../src/telemetry/process-metrics.ts';
import { createServiceMetrics } from '../../src/telemetry/service-metrics.ts';

const isThere = spawnSync('promtool', ['--version']).status === 0;
const skip = isThere ? false : 'promtool is not installed';

function check(text: string): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text });
  return { status, output: `${String(stdout)}${String(stderr)}` };
}

test('promtool has nothing to say about the metrics', { skip }, (t) => {
  const registry = new Registry();
  const build = { version: 'a"b\\c\nd', nodeVersion: '20.20.2', model: null };
  const metrics = createServiceMetrics(registry, build);
  t.after(startProcessMetrics(registry));
  metrics.webhookRequests.inc({ code: '200' });
  metrics.webhookDuration.observe(0.02);
  metrics.analysisDuration.observe(1000);
  assert.deepEqual(check(registry.render()), { status: 0, output: '' });
});

test('promtool complains about what is not lint-clean', { skip }, () => {
  const registry = new Registry();
  registry.gauge('jobs_total', 'A gauge named like a counter.');
  assert.equal(check(registry.render()).status, 3);
});
