import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hypothesis } from '../../../src/report/report.ts';
import type { ChangeCandidate } from '../../../src/statistics/change-candidate.ts';
import {
  concluded, latencyCase, moving, onPoint, points,
} from '../../support/samples/metric-facts.ts';

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
  const mutual = first(opens('web'), calls('checkout', { peer: 'web' }));
  assert.match(mutual?.cause ?? '', /^web open files/u);
  const asks: ChangeCandidate = {
    ...moving('web', 'requests', { after: 190, side: 'external' }), signal: 'traffic',
  };
  assert.match(first(asks)?.cause ?? '', /^web requests rose/u);
});

test('componentHypotheses settles on nothing that took another course since long before', () => {
  const ownValues = Float64Array.from({ length: points }, (_, at) => (at < onPoint ? 1 : 4));
  const mostLikely = (at: number): string | null => {
    const heap = moving('checkout', 'heap_bytes', { before: 40, after: 140, at });
    // Its waves follow the alert's value a little.
    const values = heap.values.map((value, index) =>
      value + 6 * (index % 5) + 3 * (ownValues[index] ?? 0));
    return concluded(latencyCase(), {
      candidates: [...quiet, { ...heap, values }], ownValues,
    }).verdict.most_likely;
  };
  assert.match(mostLikely(onPoint - 7) ?? '', /^checkout heap rose/u);
  assert.equal(mostLikely(onPoint - 15), null);
});

test('componentHypotheses holds less use than before possible at most', () => {
  const certaintyOf = (metric: string, after: number): string | undefined => {
    const moved = moving('orders-db', metric, { before: 40, after });
    return concluded(latencyCase(), { candidates: [...quiet, moved] }).hypotheses[0]?.certainty;
  };
  assert.equal(certaintyOf('connections', 198), 'likely');
  assert.equal(certaintyOf('connections', 2), 'possible');
  assert.equal(certaintyOf('free_bytes', 2), 'likely');
});

test('another number of the things that the rule counts is not likely their cause', () => {
  const certaintyOf = (metric: string): string | undefined => {
    const alert = {
      ...latencyCase().alert,
      generatorURL: 'http://p/graph?g0.expr=db_status_threads_running+%3E+40',
    };
    return concluded(latencyCase({ alert }), {
      candidates: [moving('checkout', metric, { before: 120, after: 370 })],
    }).hypotheses[0]?.certainty;
  };
  assert.equal(certaintyOf('db_status_threads_connected'), 'possible');
  assert.equal(certaintyOf('db_status_slow_scans'), 'likely');
});
