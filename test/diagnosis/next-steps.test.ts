import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concluded, latencyCase } from '../support/samples/metric-facts.ts';

test('what to do about a source that did not answer is a step, in the words of its failure', () => {
  const { alert } = latencyCase();
  const unknown = { ...alert, labels: { alertname: 'Odd' }, annotations: {} };
  const { next_steps: steps } = concluded(latencyCase({ alert: unknown }), {
    own: null, scrape: null, ranking: null, source: { state: 'failed' },
    faults: [{ what: 'All', why: 'It answered 401.', hint: 'Check PROMETHEUS_TOKEN.' }],
  });
  const own = steps.filter(({ why }) => why === 'It answered 401.');
  assert.deepEqual(own.map(({ action }) => action), ['Check PROMETHEUS_TOKEN']);
});
