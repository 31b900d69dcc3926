import assert from 'node:assert/strict';
import test from 'node:test';
import { isLessUse } from '../../src/statistics/less-use.ts';
import { classifyMetric } from '../../src/statistics/names/metric-class.ts';

for (const [what, metric, mode, z, isLess] of [
  ['less of what is done inside', 'db_cpu_seconds_total', 'user', -9, true],
  ['a little less of it', 'db_cpu_seconds_total', 'user', -3, false],
  ['more of it', 'db_cpu_seconds_total', 'user', 9, false],
  ['less of what is idle', 'db_cpu_seconds_total', 'idle', -9, false],
  ['a slower clock', 'db_cpu_scaling_frequency_hertz', '', -9, false],
  ['less left of its credits', 'db_cpu_credit_balance', '', -9, false],
  ['fewer requests', 'db_requests_total', '', -9, false],
] as const) {
  test(`${what} is ${isLess ? '' : 'not '}less use`, () => {
    const { signal, side, kind, unit } = classifyMetric(metric);
    const candidate = {
      id: metric, component: 'db', metric, signal, side, kind, unit, labels: { mode },
      named: null, valueless: null, values: new Float64Array(),
    };
    assert.equal(isLessUse(candidate, z), isLess);
  });
}
