import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailOf, startFront } from '../../support/http/http-front.ts';

const states = [
  [true, true, 200, 'healthy', 'available', 'connected'],
  [true, false, 200, 'degraded', 'available', 'disconnected'],
  [false, true, 503, 'unhealthy', 'unavailable', 'connected'],
  [false, false, 503, 'unhealthy', 'unavailable', 'disconnected'],
] as const;
for (const [canAccept, canAnalyse, code, status, webhook_endpoint, ai_service] of states) {
  test(`GET /health is ${code} ${status} with ${ai_service} analyses`, async (t) => {
    const health = () => ({ canAccept, canAnalyse, canStoreReports: true, queueSize: 7 });
    const response = await fetch(`${(await startFront(t, { health })).url}/health`);
    assert.equal(response.status, code);
    const body: unknown = await response.json();
    assert.deepEqual(body, { status, webhook_endpoint, ai_service, queue_size: 7 });
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });
}

test('GET /health is degraded, with analyses, while reports cannot be stored', async (t) => {
  const health = () =>
    ({ canAccept: true, canAnalyse: true, canStoreReports: false, queueSize: 7 });
  const response = await fetch(`${(await startFront(t, { health })).url}/health`);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {
    status: 'degraded', webhook_endpoint: 'available', ai_service: 'connected', queue_size: 7,
  });
});

for (const readiness of ['starting', 'stopping'] as const) {
  test(`GET /health is not initialised while ${readiness}`, async (t) => {
    const front = await startFront(t, { readiness: () => readiness });
    const response = await fetch(`${front.url}/health`);
    assert.equal(response.status, 503);
    assert.equal(await detailOf(response), 'Service not initialised');
  });
}

test('GET /metrics is Prometheus text', async (t) => {
  const response = await fetch(`${(await startFront(t)).url}/metrics`);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(await response.text(), 'up 1\n');
});
