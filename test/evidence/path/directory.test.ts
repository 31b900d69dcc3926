import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { addressIn, Directory } from '../../../src/evidence/metrics/path/directory.ts';
import { edgesOf } from '../../../src/evidence/metrics/path/edges.ts';
import { thingsOf, worldLabelsIn, type Thing } from '../../../src/evidence/metrics/path/things.ts';
import { storeOf } from '../../../src/statistics/names/stores.ts';

function directoryOf(targets: readonly LabelSet[], said: readonly LabelSet[] = []): Directory {
  const [up, words] = [targets, said].map((all) => all.map((labels) => ({ labels, value: 1 })));
  return new Directory(thingsOf(up ?? [], words ?? []), storeOf);
}

function thing(directory: Directory, name: string): Thing {
  const found = directory.things.find((each) => each.name === name);
  assert.ok(found, name);
  return found;
}

test('an address is a host with a port, whatever is around it', () => {
  assert.equal(addressIn('http://user:secret@Shop:80/health?x=1'), 'shop:80');
  assert.equal(addressIn('10.0.0.1:5432'), '10.0.0.1:5432');
  assert.equal(addressIn('shop'), null);
});

const shop = [
  { job: 'web', instance: '10.0.0.1:80' }, { job: 'payments', instance: '10.0.0.2:80' },
  { job: 'payments-db-exporter', instance: '10.0.0.3:9104' },
];
const said = [{ __name__: 'mysql_up', job: 'payments-db-exporter', instance: '10.0.0.3:9104' }];

const named: readonly (readonly [value: string, name: string | null])[] = [
  ['payments', 'payments'], ['be_payments', 'payments'], ['payments-2', 'payments'],
  ['payments1', 'payments'], ['http://payments.shop.svc:8080/charge', 'payments'],
  ['http://10.0.0.2:80/', 'payments'], ['payments@docker', null], ['payments-db', 'payments-db'],
  ['mariadb', 'payments-db'], ['pay', null], ['', null], ['10.0.0.2', null],
  ['x'.repeat(999), null],
  ['__proto__', null], ['constructor', null],
];
for (const [value, name] of named) {
  test(`${value.slice(0, 40) || 'nothing'} names ${name ?? 'nothing'}`, () => {
    const directory = directoryOf(shop, said);
    const found = directory.find(value, thing(directory, 'web'))?.thing.name ?? null;
    assert.equal(found, name === 'payments-db' ? 'payments-db-exporter' : name);
  });
}

test('environments are told by the usual labels, and by any that splits jobs alike', () => {
  const twice = ['shop', 'pay'].flatMap((job) => ['a', 'b'].map((planet) =>
    ({ job, planet, namespace: 'x', node: planet, team: job })));
  assert.deepEqual(worldLabelsIn(twice), ['namespace', 'planet']);
});

test('a name is looked for in its own namespace, then in the only other that is no twin', () => {
  const at = (namespace: string, ...jobs: readonly string[]): LabelSet[] =>
    jobs.map((job) => ({ job, namespace, instance: `${job}.${namespace}:80` }));
  const spaces = (all: readonly LabelSet[]): (value: string) => LabelSet | undefined => {
    const directory = directoryOf(all);
    return (value) => directory.find(value, thing(directory, 'web'))?.thing.labels;
  };
  const shared = spaces([...at('shop', 'web'), ...at('data', 'db')]);
  assert.equal(shared('db')?.['namespace'], 'data');
  const twin = spaces([...at('prod', 'web'), ...at('test', 'web', 'db')]);
  assert.equal(twin('db'), undefined);
  const both = spaces([...at('prod', 'web'), ...at('one', 'db'), ...at('two', 'db')]);
  assert.equal(both('db'), undefined);
});

test('a label names things by all of its values where half of them do', () => {
  const directory = directoryOf(shop, said);
  const web = thing(directory, 'web');
  const series = (label: string, ...values: readonly string[]): LabelSet[] =>
    values.map((value) => ({ __name__: 'out_total', [label]: value }));
  const all = [
    ...series('partner', 'payments', 'unheard-of'),
    ...series('flavour', 'payments', 'sweet', 'sour', 'bitter'),
    ...series('queue', 'payments'), ...series('database', 'payments'),
  ];
  const edgeOf = edgesOf(all, web, directory);
  const to = (label: string, value: string): string | null => {
    const edge = edgeOf({ __name__: 'out_total', [label]: value });
    return edge && (edge.to?.name ?? `${edge.value}?`);
  };
  assert.equal(to('partner', 'payments'), 'payments');
  assert.equal(to('partner', 'unheard-of'), 'unheard-of?');
  assert.equal(to('flavour', 'payments'), null);
  for (const value of ['unknown', '-', ' ', '404', 'x'.repeat(201)]) {
    assert.equal(to('partner', value), null, value.slice(0, 9));
  }
  // Parts of things may be called like another thing.
  assert.equal(to('queue', 'payments'), null);
  assert.equal(to('database', 'payments'), null);
});

test('a host names the only program on it, whatever else is measured there', () => {
  const all = [{ job: 'broker', instance: 'b-1.example:80' },
    ...['leaf-1', 'leaf-2'].flatMap((host) => [{ job: 'idx', instance: `${host}.example:70` },
      { job: 'node', instance: `${host}.example:9100` }])];
  const directory = directoryOf(all, [
    { __name__: 'node_exporter_build_info', job: 'node', instance: 'leaf-1.example:9100' }]);
  const from = thing(directory, 'broker');
  assert.equal(directory.find('leaf-2', from)?.thing.name, 'idx');
  assert.equal(directory.find('leaf-3', from), null);
});

test('a label that names what a job scrapes does so in every environment', () => {
  const at = (application: string, namespace: string): LabelSet =>
    ({ job: 'pods', application, namespace, instance: `${application}.${namespace}:80` });
  const told = directoryOf([at('quote', 'a'), at('rating', 'a'), at('portal', 'b')]).things;
  assert.deepEqual(told.map(({ name }) => name), ['quote', 'rating', 'portal']);
  assert.deepEqual(told.map(({ selects }) => selects.includes('application')), [true, true, true]);
});

test('services that tell a collector about themselves are things, and no targets of it', () => {
  const info = (labels: LabelSet): LabelSet => ({ __name__: 'target_info', ...labels });
  const targets = [{ job: 'otel', instance: 'o:1' }, { job: 'web', instance: 'w:1' }];
  const { things } = directoryOf(targets,
    [info({ job: 'otel', instance: 'o:1', exported_job: 'shop/cart', exported_instance: 'a' }),
      info({ job: 'web', instance: 'w:1' }), info({ job: 'shop/mail', instance: 'pushed' })]);
  assert.deepEqual(things.map(({ name, targets }) => `${name} ${targets.length}`),
    ['otel 1', 'web 1', 'cart 1', 'mail 1']);
});
