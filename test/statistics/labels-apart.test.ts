import assert from 'node:assert/strict';
import test from 'node:test';
import { labelsApart } from '../../src/statistics/labels-apart.ts';

interface One {
  readonly component: string;
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

function of(labels: One['labels'], metric = 'requests_total', component = 'api'): One {
  return { component, metric, labels };
}

function apart(all: readonly One[]): (readonly string[])[] {
  const found = labelsApart(all);
  return all.map((each) => found.get(each) ?? ['missing']);
}

test('a series that is alone, and replicas of one, need no label', () => {
  assert.deepEqual(apart([of({ cmd: 'set' })]), [[]]);
  assert.deepEqual(apart([of({ pod: 'a', cmd: 'set' }), of({ pod: 'b', cmd: 'set' })]), [[], []]);
  assert.deepEqual(apart([of({ cmd: 'set' }), of({ cmd: 'get' }, 'other')]), [[], []]);
  assert.deepEqual(apart([of({ cmd: 'set' }), of({ cmd: 'get' }, undefined, 'db')]), [[], []]);
});

test('series of one metric are told apart by the label that differs', () => {
  assert.deepEqual(apart([of({ cmd: 'set', db: '0' }), of({ cmd: 'get', db: '0' })]),
    [['cmd'], ['cmd']]);
});

test('a name tells more than the number of what it names', () => {
  assert.deepEqual(
    apart([of({ datid: '1', datname: 'shop' }), of({ datid: '0', datname: '' })]),
    [['datname'], ['datid']],
  );
});

test('parts of a machine are told apart by name, containers that are replicas are not', () => {
  const named = (metric: string): One[] =>
    ['a', 'b'].map((name) => of({ name }, metric));
  assert.deepEqual(apart(named('zfs_dataset_used_bytes')), [['name'], ['name']]);
  assert.deepEqual(apart(named('container_memory_rss')), [[], []]);
});

test('a further label is taken only where the first leaves others', () => {
  const all = [
    of({ path: '/a', code: '200' }), of({ path: '/a', code: '500' }),
    of({ path: '/b', code: '200' }), of({ path: '/c', code: '200' }),
  ];
  assert.deepEqual(apart(all), [['path', 'code'], ['path', 'code'], ['path'], ['path']]);
});

test('a label that only some of them have tells those that have it', () => {
  assert.deepEqual(apart([of({ queue: 'mail' }), of({})]), [['queue'], []]);
  assert.deepEqual(apart([of({ constructor: 'mail' } as never), of({})]), [['constructor'], []]);
});

test('there are at most two, and none about how a series was scraped', () => {
  const all = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => of({
    a: String(bits & 1), b: String(bits & 2), c: String(bits & 4), metrics_path: String(bits),
  }));
  for (const labels of apart(all)) assert.deepEqual(labels, ['a', 'b']);
});
