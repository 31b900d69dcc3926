import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hypothesis } from '../../../src/report/report.ts';
import type { ChangeCandidate } from '../../../src/statistics/change-candidate.ts';
import { concluded, latencyCase, moving } from '../../support/samples/metric-facts.ts';

const quiet = ['cart', 'email'].map((name) => moving(name, 'memory_bytes'));

test('componentHypotheses takes callers for victims, unless they ask for more', () => {
  const calls = (component: string, labels: Record<string, string>): ChangeCandidate =>
    moving(component, 'http_client_request_duration_seconds', { side: 'external', labels });
  const edges = [
    calls('web', { peer: 'shop-front.svc:8080' }), calls('shop-front', { peer: 'checkout' }),
    calls('checkout', { server_address: 'orders-db' }),
  ];
  const opens = (component: string): ChangeCandidate =>
    moving(component, 'open_files', { after: 190 });
  const first = (...moved: ChangeCandidate[]): Hypothesis | undefined =>
    concluded(latencyCase(), { candidates: [...quiet, ...edges, ...moved] }).hypotheses[0];
  assert.match(first(opens('web'), opens('orders-db'))?.cause ?? '', /^orders-db open files/u);
  assert.doesNotMatch(first(opens('web'))?.cause ?? '', /^web/u);
  const asks: ChangeCandidate = {
    ...moving('web', 'requests', { after: 190, side: 'external' }), signal: 'traffic',
  };
  assert.match(first(asks)?.cause ?? '', /^web requests rose/u);
});
