import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeCandidate } from '../../../src/statistics/change-candidate.ts';
import {
  concluded, latencyCase, moving, onPoint, points, type FactsOver,
} from '../../support/samples/metric-facts.ts';

/** A series that stands still but for one step. */
function setting(
  component: string,
  metric: string,
  at: number,
  [from, to]: readonly [number, number] = [10, 50],
): ChangeCandidate {
  const values = Float64Array.from({ length: points }, (_, index) => (index < at ? from : to));
  return { ...moving(component, metric), values, signal: 'other' };
}

const first = (candidates: readonly ChangeCandidate[], over: FactsOver = {}): unknown[] => {
  const { hypotheses: [top] } = concluded(latencyCase(), { candidates, ...over });
  return [top?.about?.[0], top?.certainty];
};
const slow = moving('search', 'work_seconds', { before: 0.05, after: 0.5, at: onPoint });

test('what was set as the problem began comes before what moved with it', () => {
  const flag = setting('flags', 'rollout_percent', onPoint);
  assert.deepEqual(first([slow, flag]), ['flags', 'likely'], 'of the same namespace');
  const far = { ...flag, labels: { flag_key: 'x' } };
  assert.deepEqual(first([slow, far]), ['flags', 'possible']);
  const other = setting('mail', 'batch_size', onPoint);
  assert.notEqual(first([slow, flag, other])[1], 'likely', 'another was set as well');
});

test('what was set long before the problem is not preferred to what moved with it', () => {
  assert.equal(first([slow, setting('flags', 'rollout_percent', onPoint - 20)])[0], 'search');
});

test('what counts up, or is a sign of health, was set by nobody', () => {
  const counted = setting('db', 'vacuums', onPoint, [1, 2]);
  assert.notEqual(first([counted])[1], 'likely');
  assert.notEqual(first([setting('db', 'collector_success', onPoint, [1, 0])])[1], 'likely');
  assert.equal(first([setting('db', 'log_level', onPoint, [2, 1])])[1], 'likely');
});
