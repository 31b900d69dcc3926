import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from '../../src/telemetry/metrics.ts';
import { startProcessMetrics } from '../../src/telemetry/process-metrics.ts';
import { countQuery, createServiceMetrics } from '../../src/telemetry/service-metrics.ts';

const build = { version: '1.2.3', nodeVersion: '20.20.2', model: null };

test('createServiceMetrics() declares the webhook metrics under their documented names', () => {
  const registry = new Registry();
  createServiceMetrics(registry, build);
  const text = registry.render();
  assert.match(text, /^# TYPE service_webhook_requests_total counter$/m);
  assert.match(text, /^# TYPE service_webhook_duration_seconds histogram$/m);
  assert.match(text, /^# TYPE service_webhook_errors_total counter$/m);
  assert.match(text, /^service_webhook_requests_total\{code="503"\} 0$/m);
  assert.match(text, /^service_webhook_errors_total\{reason="queue_full"\} 0$/m);
  assert.match(text, /^service_webhook_duration_seconds_count 0$/m);
});

test('createServiceMetrics() counts requests to sources by outcome', () => {
  const registry = new Registry();
  const metrics = createServiceMetrics(registry, build);
  metrics.evidenceRequests.inc({ source: 'prometheus', outcome: 'timeout' });
  metrics.evidenceDuration.observe(0.02, { source: 'alertmanager' });
  const text = registry.render();
  const counted = /^service_evidence_requests_total\{source="prometheus",outcome="timeout"\} 1$/m;
  assert.match(text, counted);
  assert.match(text, /^service_evidence_requests_total\{source="prometheus",outcome="ok"\} 0$/m);
  const bucket = 'source="alertmanager",le="0.025"';
  assert.ok(text.includes(`service_evidence_request_duration_seconds_bucket{${bucket}} 1`));
});

test('countQuery() tells which of several servers of a source failed', () => {
  const registry = new Registry();
  const [a, b] = ['http://a:9090', 'http://b:9090'] as const;
  const sources = { prometheus: { urls: [a, b] }, loki: { urls: ['http://loki:3100'] } };
  const metrics = createServiceMetrics(registry, { ...build, sources });
  const asked = { source: 'prometheus', durationMs: 20, left: null } as const;
  countQuery(metrics, { ...asked, result: 'ok', server: b, left: { server: a, reason: 'tls' } });
  const hanging = { server: b, reason: 'timeout' };
  countQuery(metrics, { ...asked, result: 'cancelled', server: b, left: hanging });
  countQuery(metrics, { ...asked, result: 'not_json', server: a });
  countQuery(metrics, { ...asked, source: 'loki', result: 'ok', server: 'http://loki:3100' });
  const name = 'service_evidence_server_requests_total';
  const counted = registry.render().split('\n')
    .filter((line) => line.startsWith(name) && !line.endsWith(' 0'));
  assert.deepEqual(counted, [
    `${name}{server="${a}",outcome="tls"} 1`, `${name}{server="${a}",outcome="not_json"} 1`,
    `${name}{server="${b}",outcome="ok"} 1`, `${name}{server="${b}",outcome="timeout"} 1`,
  ]);
});

test('createServiceMetrics() has the versions as labels', () => {
  const registry = new Registry();
  createServiceMetrics(registry, build);
  const info = /^service_build_info\{version="1\.2\.3",node_version="20\.20\.2"\} 1$/m;
  assert.match(registry.render(), info);
});

test('createServiceMetrics() counts unforeseen status codes and versions as other', () => {
  const registry = new Registry();
  const metrics = createServiceMetrics(registry, build);
  metrics.webhookRequests.inc({ code: '418' });
  metrics.notifications.inc({ version: '99' });
  metrics.httpRequests.inc({ route: 'report', code_class: '2xx' });
  const text = registry.render();
  assert.match(text, /^service_webhook_requests_total\{code="other"\} 1$/m);
  assert.match(text, /^service_notifications_total\{version="other"\} 1$/m);
  assert.match(text, /^service_http_requests_total\{route="report",code_class="2xx"\} 1$/m);
});

test('the shipped rules read only metrics and label values that exist', () => {
  const registry = new Registry();
  createServiceMetrics(registry, build);
  const series = registry.render().split('\n');
  const rules = readFileSync(join(process.cwd(), 'scripts/deploy/prometheus-rules.yml'), 'utf8');
  const read = [...rules.matchAll(/\b(service_\w+)(?:\{([^}]*)\})?/g)];
  assert.ok(read.length > 20);
  for (const [selector, name = '', matchers = ''] of read) {
    const own = series.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    assert.ok(own.length > 0, `no metric is called ${name}`);
    for (const [, label = '', values = ''] of matchers.matchAll(/(\w+)[!=]~?"([^"]*)"/g)) {
      if (label === 'job') continue;
      const unknown = values.split('|')
        .filter((value) => !own.some((line) => line.includes(`${label}="${value}"`)));
      assert.deepEqual(unknown, [], `values of ${label} in ${selector}`);
    }
  }
});

test('startProcessMetrics() reads the process, and omits what it cannot read', async (t) => {
  const registry = new Registry();
  t.after(startProcessMetrics(registry));
  const first = registry.render();
  const valueOf = (name: string): number =>
    Number(new RegExp(`^${name} (.*)$`, 'm').exec(first)?.[1]);
  assert.ok(valueOf('process_start_time_seconds') > 1_600_000_000);
  assert.ok(valueOf('process_resident_memory_bytes') > 10_000_000);
  assert.ok(valueOf('nodejs_heap_size_used_bytes') <= valueOf('nodejs_heap_size_total_bytes'));
  assert.ok(valueOf('process_cpu_seconds_total') > 0);
  assert.match(first, /^nodejs_version_info\{version="v\d+\.\d+\.\d+",major="\d+",/m);
  assert.doesNotMatch(first, / (NaN|undefined|null)$/m);
  if (process.platform === 'linux') assert.ok(valueOf('process_open_fds') > 2);
  // The delay of the event loop is sampled in real time, so here some has to pass.
  let later = first;
  for (let round = 0; round < 50 && !later.includes('eventloop_lag_p99'); round += 1) {
    await delay(50);
    later = registry.render();
  }
  assert.match(later, /^nodejs_eventloop_lag_p99_seconds \d/m);
  assert.match(later, /^nodejs_eventloop_lag_seconds \d/m);
});

test('startProcessMetrics() omits memory where Node cannot tell it, as without /proc', (t) => {
  t.mock.method(process, 'memoryUsage', () => {
    throw Object.assign(new Error('no such file or directory'), { code: 'ENOENT' });
  });
  const registry = new Registry();
  t.after(startProcessMetrics(registry));
  const text = registry.render();
  assert.match(text, /^process_cpu_seconds_total \d/m);
  assert.doesNotMatch(text, /^(nodejs_heap_size_used|process_resident_memory)_bytes /m);
});
