import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { modelErrorTypes } from '../../src/model/client/model-error.ts';
import { Registry } from '../../src/telemetry/metrics.ts';
import { createModelMetrics, modelOutcomes } from '../../src/telemetry/model-metrics.ts';
import { startProcessMetrics } from '../../src/telemetry/process-metrics.ts';
import { createServiceMetrics } from '../../src/telemetry/service-metrics.ts';

const model = { provider: 'anthropic', name: 'm-1', tools: ['prom_range'], prices: null };

test('createModelMetrics() has an outcome for every type of error', () => {
  assert.deepEqual(modelOutcomes, ['ok', ...modelErrorTypes]);
});

test('createModelMetrics() counts tokens and time under the names of OpenTelemetry', () => {
  const registry = new Registry();
  const { genAi } = createModelMetrics(registry, model);
  genAi?.asked({ errorType: null, seconds: 1, usage: { input: 300, cached: 100, output: 20 } });
  genAi?.asked({ errorType: 'timeout', seconds: 90, usage: null });
  genAi?.toolUsed('prom_range', 0.2, false);
  genAi?.toolUsed('invented', 0.2, true);
  genAi?.investigated(30, null);
  const text = registry.render();
  const chat = 'gen_ai_operation_name="chat",gen_ai_provider_name="anthropic",' +
    'gen_ai_request_model="m-1"';
  for (const line of [
    `gen_ai_client_token_usage_sum{${chat},gen_ai_token_type="input"} 300`,
    `gen_ai_client_token_usage_bucket{${chat},gen_ai_token_type="output",le="64.0"} 1`,
    `gen_ai_client_operation_duration_seconds_count{${chat},error_type="timeout"} 1`,
    'gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name="other",error_type="error"} 1',
  ]) assert.ok(text.includes(line), line);
  assert.match(text, /^gen_ai_client_operation_duration_seconds_count\{.*error_type=""\} 1$/m);
  assert.match(text, /^gen_ai_invoke_agent_duration_seconds_sum\{.*error_type=""\} 30$/m);
});

test('createModelMetrics() adds up the cost of the model where prices are known', () => {
  const registry = new Registry();
  const prices = { input: 2, cached: 0.2, output: 10 };
  const { genAi } = createModelMetrics(registry, { ...model, prices });
  for (const input of [100_000, 400_000]) {
    const usage = { input, cached: 100_000, output: 50_000 };
    genAi?.asked({ errorType: null, seconds: 1, usage });
  }
  assert.match(registry.render(), /^service_model_cost_total 1\.64/m);
  const without = new Registry();
  createModelMetrics(without, model);
  assert.doesNotMatch(without.render(), /service_model_cost/);
});

test('createModelMetrics() keeps the metrics of alerting rules without a model', () => {
  const registry = new Registry();
  assert.equal(createModelMetrics(registry, null).genAi, null);
  const text = registry.render();
  assert.match(text, /^service_model_requests_total\{outcome="ok"\} 0$/m);
  assert.match(text, /^service_model_budget_tokens 0$/m);
  assert.match(text, /^service_model_tokens_today 0$/m);
  assert.doesNotMatch(text, /gen_ai_/);
});

test('the shipped dashboard names only metrics and labels that exist', async (t) => {
  const file = join(process.cwd(), 'scripts/deploy/grafana-dashboard.json');
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const registry = new Registry();
  t.after(startProcessMetrics(registry));
  createServiceMetrics(registry, { version: '1', nodeVersion: '20', model });
  let exposed = registry.render();
  for (let round = 0; round < 50 && !exposed.includes('eventloop_lag_p99'); round += 1) {
    await delay(50);
    exposed = registry.render();
  }
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  assert.ok(expressions.length >= 20);
  for (const expression of expressions) {
    const names = expression.match(/\b(service|process|nodejs|gen_ai)_[a-z0-9_]+(?=\{)/g) ?? [];
    assert.equal(names.length, 1, expression);
    const [line] = new RegExp(`^${names[0]}[{ ].*$`, 'm').exec(exposed) ?? [];
    assert.ok(line !== undefined, expression);
    const [, grouped = ''] = /by \(([^)]*)\)/.exec(expression) ?? [];
    for (const label of grouped.split(', ').filter((each) => each !== '')) {
      assert.ok(line.includes(`${label}="`), `${label} in ${expression}`);
    }
  }
});
