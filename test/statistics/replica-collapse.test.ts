import assert from 'node:assert/strict';
import test from 'node:test';
import { collapseReplicas, replicaKey } from '../../src/statistics/replica-collapse.ts';

test('replicaKey tells apart what is measured, not who measures it', () => {
  const key = (labels: Record<string, string>): string => replicaKey('cart', 'cpu', labels);
  const first = key({ pod: 'cart-0', instance: '10.0.0.1:80', mode: 'user', node: 'a' });
  assert.equal(first, key({ mode: 'user', instance: '10.0.0.2:80', pod: 'cart-1', node: 'b' }));
  assert.notEqual(first, key({ pod: 'cart-0', mode: 'idle' }));
  assert.notEqual(first, replicaKey('ads', 'cpu', { mode: 'user' }));
  assert.notEqual(key({ a: 'b,c=d' }), key({ a: 'b', c: 'd' }));
});

test('replicaKey takes names and ids for replicas in metrics of containers alone', () => {
  const keys = (metric: string, label: string): number =>
    new Set(['a', 'b'].map((value) => replicaKey('nas', metric, { [label]: value }))).size;
  assert.equal(keys('container_memory_rss', 'name'), 1);
  assert.equal(keys('zfs_dataset_used_bytes', 'name'), 2);
  assert.equal(keys('jvm_memory_used_bytes', 'id'), 2);
});

const rows: readonly {
  readonly name: string;
  readonly z: readonly number[];
  /** z of the line that stands for all, how many moved, and of how many. */
  readonly expected: readonly [z: number, moved: number, replicas: number];
}[] = [
  { name: 'one that moved', z: [9], expected: [9, 1, 1] },
  { name: 'one that did not', z: [-1], expected: [-1, 0, 1] },
  { name: 'all that moved: the median', z: [9, 5, 30], expected: [9, 3, 3] },
  { name: 'half that moved: the median of these', z: [9, 0, 5, 1], expected: [9, 2, 4] },
  { name: 'one of many: that one', z: [0, 1, 40, -1, 2], expected: [40, 1, 5] },
  { name: 'three of many: the largest', z: [0, -6, 1, -40, 2, -9, 3, 1], expected: [-40, 3, 8] },
  { name: 'up and down: the direction of more', z: [9, 8, -50, 0], expected: [9, 2, 4] },
  { name: 'none that moved: the median', z: [0, -3, 1], expected: [1, 0, 3] },
];

for (const { name, z, expected } of rows) {
  test(`collapseReplicas makes one line of ${name}`, () => {
    const series = z.map((each, index) => ({ id: `s${index}`, z: each, replicaKey: 'k' }));
    const [line, ...more] = collapseReplicas(series);
    assert.ok(line !== undefined && more.length === 0);
    assert.deepEqual([line.representative.z, line.moved, line.replicas], expected);
  });
}

test('collapseReplicas keeps groups apart and in order', () => {
  const series = ['b', 'a', 'b'].map((key, index) => (
    { id: `s${index}`, z: 5, replicaKey: key }));
  const lines = collapseReplicas(series);
  assert.deepEqual(lines.map(({ representative, replicas }) => [representative.id, replicas]),
    [['s0', 2], ['s1', 1]]);
  assert.deepEqual(collapseReplicas([]), []);
});

test('replicaKey takes the channels of RabbitMQ for replicas, which are named by process', () => {
  const key = (metric: string, channel: string): string => replicaKey('mq', metric, { channel });
  const unacked = 'rabbitmq_channel_messages_unacked';
  assert.equal(key(unacked, '<0.2052.0>'), key(unacked, '<0.2073.0>'));
  assert.notEqual(key('orders_total', 'web'), key('orders_total', 'phone'));
});
