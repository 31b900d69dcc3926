import assert from 'node:assert/strict';
import test from 'node:test';
import { loneNamesOf, nameKeyOf } from '../../src/statistics/lone-names.ts';
import { lonePartsOf, type LoneSeries } from '../../src/statistics/lone-parts.ts';

const split = 60;
const until = 66;
const options = { split, until, stepSeconds: 60 };

interface Given {
  readonly metric?: string;
  readonly made?: LoneSeries['made'] | null;
  readonly signal?: LoneSeries['signal'];
  /** First point with a value. */
  readonly from?: number;
  /** Point from which on it has the value `after`. */
  readonly at?: number;
}

/** A series that goes from one value to another around the split. */
function series(
  labels: LoneSeries['labels'],
  before: number,
  after: number,
  { metric = 'requests_total', made = 'rate', signal = 'traffic', from = 0, at = 61 }: Given = {},
): LoneSeries {
  const values = Float64Array.from({ length: until }, (_, index) =>
    index < from ? Number.NaN
      : (index < at ? before : after) * (1 + ((index * 7919) % 13 - 6) / 300));
  return {
    id: `${metric}${JSON.stringify(labels)}`, metric, labels, values, signal, unit: null,
    kind: made === 'rate' ? 'counter' : 'gauge', ...made !== null && { made },
  };
}

const found = (all: readonly LoneSeries[]): unknown[] => lonePartsOf(all, options)
  .map(({ label, value, of, within }) => [label, value, of, within]);

const clients = (code: string, factor: number, acme: number): LoneSeries[] => [
  ...['b', 'c', 'd'].map((name) =>
    series({ client: name, code, by: code === '429' ? 'gate' : 'app' }, 5 * factor, 5 * factor)),
  series({ client: 'acme', code, by: code === '429' ? 'gate' : 'app' }, 4 * factor, acme),
];

test('one client of several that sends more is alone, whatever becomes of its requests', () => {
  assert.deepEqual(found([...clients('200', 1, 40), ...clients('429', 0, 120)]),
    [['client', 'acme', 4, {}]]);
  const [{ before, after, othersBefore, othersAfter } = assert.fail('none')] =
    lonePartsOf(clients('200', 1, 40), options);
  assert.deepEqual([before, after, othersBefore, othersAfter].map(Math.round), [4, 39, 15, 15]);
});

test('nobody is alone where all grow alike, or the one had nearly all before', () => {
  const all = ['a', 'b', 'c', 'd'];
  assert.deepEqual(found(all.map((client) => series({ client }, 5, 50))), []);
  assert.deepEqual(found(all.map((client, index) =>
    series({ client }, index === 0 ? 100 : 2, index === 0 ? 200 : 2))), []);
  assert.deepEqual(found(all.map((client, index) =>
    series({ client }, 5, index === 0 ? 6 : 5))), [], 'by too little');
});

test('how something went, and what that decides, is never who did it', () => {
  const failed = ['a', 'b', 'c'].flatMap((client) => [
    series({ client, code: '200', source: 'app' }, 5, 5),
    series({ client, code: '404', source: 'app' }, 1, 1),
    series({ client, code: '429', source: 'gate' }, 0, 20),
  ]);
  assert.deepEqual(found(failed), []);
});

test('one is found among those of the same other labels, where all together hide it', () => {
  const names = ['fan1', 'fan2', 'fan3', 'fan4'];
  const fans = ['h-1', 'h-2', 'h-3', 'h-4'].flatMap((host) => names.map((fan) =>
    series({ host, fan }, 9000, host === 'h-3' && fan === 'fan2' ? 0 : 9000,
      { metric: 'fan_rpm', made: null, signal: 'other' })));
  assert.deepEqual(found(fans), [['host', 'h-3', 4, { fan: 'fan2' }]]);
});

test('what did not exist before is none of an amount, and unknown of a level', () => {
  const pods = (signal: LoneSeries['signal'], made: LoneSeries['made'] | null): LoneSeries[] => [
    ...['a', 'b', 'c'].map((pod) => series({ pod }, 5, 5, { signal, made })),
    series({ pod: 'new' }, 0, 900, { signal, made, from: 61 }),
  ];
  assert.deepEqual(found(pods('traffic', 'rate')), [['pod', 'new', 4, {}]]);
  assert.deepEqual(found(pods('other', null)), []);
  assert.deepEqual(found(pods('latency', 'mean')), []);
});

test('a mean is compared only with others that are known', () => {
  const mean = { metric: 'seconds', made: 'mean', signal: 'latency' } as const;
  const all = [
    ...['a', 'b', 'c'].map((job) => series({ job, method: 'GET' }, 0.1, 0.1, mean)),
    series({ job: 'd', method: 'POST' }, 0.1, 9, mean),
  ];
  assert.deepEqual(found(all), [['job', 'd', 4, {}]]);
  const others = ['a', 'b'].map((job) => series({ job, method: 'GET' }, 0.1, 9, mean));
  assert.deepEqual(found([...others, all[3] ?? assert.fail()]), []);
  const slow = ['a', 'b', 'c'].map((job) => series({ job, method: 'GET' }, 0.1, 9, mean));
  const well = ['a', 'b', 'c', 'd'].map((job) => series({ job, method: 'POST' }, 0.1,
    job === 'd' ? 9 : 0.1, mean));
  assert.deepEqual(found([...slow, ...well]), [], 'others are as slow in what they do');
});

test('of two, only a machine or an address is alone', () => {
  const two = (label: string, a: string, b: string): LoneSeries[] =>
    [series({ [label]: a }, 5, 5), series({ [label]: b }, 5, 90)];
  assert.deepEqual(found(two('path', '/a', '/b')), []);
  assert.deepEqual(found(two('to', '10.0.0.2:53', '10.0.0.3:53')), [['to', '10.0.0.3:53', 2, {}]]);
  assert.deepEqual(found(two('instance', 'a', 'b')), [['instance', 'b', 2, {}]]);
});

test('what moved long before, or comes and goes, is not alone now', () => {
  const all = (given: Given): LoneSeries[] => [
    ...['a', 'b', 'c'].map((client) => series({ client }, 5, 5)),
    series({ client: 'd' }, 5, 90, given),
  ];
  assert.equal(found(all({ at: 59 })).length, 1);
  assert.deepEqual(found(all({ at: 30 })), []);
  const bursts = series({ client: 'd' }, 5, 90);
  bursts.values.forEach((_, index, values) => { if (index % 10 === 0) values[index] = 90; });
  assert.deepEqual(found([...all({}).slice(0, 3), bursts]), []);
});

test('a machine has one name, whatever its port, its domain or the label', () => {
  assert.equal(nameKeyOf('instance', 'leaf-07.ams.example:9100'), 'leaf-07');
  assert.equal(nameKeyOf('leaf', 'leaf-07'), 'leaf-07');
  assert.equal(nameKeyOf('instance', '10.0.0.7:9100'), '10.0.0.7');
  assert.equal(nameKeyOf('partition', '9'), 'partition=9');
  assert.equal(nameKeyOf('path', '/a.b:80'), '/a.b:80');
});

test('parts of several metrics that name one thing are one thing', () => {
  const leaf = (name: string): string => `leaf-0${name}`;
  const names = ['1', '2', '3', '4'];
  const is = (name: string, yes: number): number => name === '3' ? yes : 1;
  const all = [
    ...names.map((name) => series({ leaf: leaf(name) }, 1, is(name, 40))),
    ...names.map((name) => series({ instance: `${leaf(name)}.x:9100`, shard: `s-${name}` }, 1,
      is(name, 30), { metric: 'throttles_total' })),
    ...['a', 'b', 'c'].map((queue) => series({ queue }, 1, queue === 'a' ? 90 : 1,
      { metric: 'depth', made: null, signal: 'saturation' })),
  ];
  const [first, second, ...others] = loneNamesOf(lonePartsOf(all, options));
  assert.equal(others.length, 0);
  assert.deepEqual(first?.labels.map(({ value }) => value).sort(), ['leaf-03', 's-3']);
  assert.deepEqual(first?.parts.map(({ lead }) => lead.series.metric).sort(),
    ['requests_total', 'throttles_total']);
  assert.deepEqual(second?.labels, [{ label: 'queue', value: 'a' }]);
});

test('of a rack in which one host moved, the host is named', () => {
  const hosts = ['r1-a', 'r1-b', 'r2-a', 'r2-b', 'r3-a', 'r3-b'];
  const of = (metric: string): LoneSeries[] => hosts.map((host) =>
    series({ host, rack: host.slice(0, 2) }, 5, host === 'r2-b' ? 300 : 5, { metric }));
  const [first, ...others] = loneNamesOf(lonePartsOf(
    [...of('drops_total'), ...of('retransmitted_total')], options));
  assert.deepEqual(first?.labels, [{ label: 'host', value: 'r2-b' }]);
  assert.equal(others.length, 0);
});
