import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { isElsewhere } from '../../src/evidence/metrics/search/elsewhere.ts';

const [well, sick] = ['well', 'sick'].map((name) => ({ job: 'mq', instance: `${name}:1` }));

/** Which of these series belong elsewhere than an alert with these labels. */
function foundElsewhere(own: LabelSet, series: readonly LabelSet[]): number[] {
  const isOfOthers = isElsewhere(series, own);
  return series.flatMap((labels, index) => (isOfOthers(labels) ? [index] : []));
}

test('isElsewhere() tells targets apart by any label that says where each is', () => {
  for (const name of ['rabbitmq_cluster', 'host', 'zephyr', 'shard', 'k8s_cluster']) {
    const series = [
      { ...well, [name]: 'blue', queue: 'a' }, { ...sick, [name]: 'green', queue: 'a' },
      { ...sick, __name__: 'memory' }, { job: 'pay', instance: 'pay:1' },
    ];
    assert.deepEqual(foundElsewhere({ [name]: 'blue' }, series), [1, 2], name);
  }
});

test('isElsewhere() takes no label of requests, or of parts, for that of a place', () => {
  const series = [
    { ...well, code: '500' }, { ...well, code: '200' }, { ...sick, code: '200' },
    { ...well, queue: 'a' }, { ...sick, queue: 'b' },
  ];
  assert.deepEqual(foundElsewhere({ code: '500', queue: 'a' }, series), []);
  const unseen = [{ ...well, zephyr: 'red' }, { ...sick, zephyr: 'green' }];
  assert.deepEqual(foundElsewhere({ zephyr: 'blue' }, unseen), []);
});
