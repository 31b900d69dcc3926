import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reality } from '../../src/report/report.ts';
import { realityRows } from '../../src/report/words.ts';

const reality: Reality = {
  value_at_fire: null, value_now: 2, threshold: 1, threshold_series: null, operator: '>',
  unit: null, yesterday: null, last_week: null, flaps: null, scrape_ok: null, evidence: [],
};

test('realityRows tells a value as a multiple of its limit, and not a state', () => {
  const now = (over: Partial<Reality>): string | undefined =>
    realityRows({ ...reality, ...over }).find(([name]) => name === 'Now')?.[1];
  assert.equal(now({}), '2 (2× the threshold)');
  assert.equal(now({ operator: null }), '2 (2× the threshold)');
  assert.equal(now({ operator: '!=' }), '2');
  assert.equal(now({ operator: '==', value_now: 1 }), '1');
  assert.equal(now({ unit: 'celsius' }), '2 °C');
});
