import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saidValue } from '../../../src/diagnosis/changes/change-words.ts';

const told: readonly (readonly [metric: string, value: number | null, said: string])[] = [
  ['checkout_latency_milliseconds', 1500, '1.5 s'],
  ['container_cpu_usage_millicores', 250, '0.25 cores'],
  ['orders_db_connections', 40, '40'],
  ['orders_db_connections', null, 'nothing'],
];
for (const [metric, value, said] of told) {
  test(`saidValue() of ${metric} is ${said}`, () => {
    const candidate = {
      id: 'a', component: 'web', metric, values: Float64Array.of(1, 2),
      signal: 'saturation', side: 'internal',
    } as const;
    assert.equal(saidValue(candidate, value), said);
  });
}
