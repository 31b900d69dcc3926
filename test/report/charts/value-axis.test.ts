import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAxis } from '../../../src/report/charts/value-axis.ts';
import { seededRandom } from '../../support/random.ts';

const labelled: readonly {
  readonly values: readonly number[];
  readonly unit: string | null;
  readonly labels: readonly string[];
}[] = [
  { values: [0, 4], unit: 'count', labels: ['0', '1', '2', '3', '4'] },
  { values: [40, 198], unit: 'count', labels: ['0', '50', '100', '150', '200'] },
  { values: [0, 1], unit: 'count', labels: ['0', '1'] },
  { values: [0.2, 1], unit: 'count', labels: ['0', '0.5', '1'] },
  { values: [12, 42_000], unit: null, labels: ['0', '20 k', '40 k', '60 k'] },
  { values: [0.21, 1.93], unit: 'seconds', labels: ['0', '0.5 s', '1 s', '1.5 s', '2 s'] },
  { values: [0.01, 0.35], unit: 'seconds', labels: ['0', '100 ms', '200 ms', '300 ms', '400 ms'] },
  { values: [100, 1900], unit: 'milliseconds', labels: ['0', '0.5 s', '1 s', '1.5 s', '2 s'] },
  { values: [2e-6, 7e-6], unit: 'seconds', labels: ['0', '2 µs', '4 µs', '6 µs', '8 µs'] },
  { values: [10, 170], unit: 'seconds', labels: ['0', '1 min', '2 min', '3 min'] },
  { values: [0, 40], unit: 'minutes', labels: ['0', '10 min', '20 min', '30 min', '40 min'] },
  { values: [0, 30_000], unit: 'seconds', labels: ['0', '3 h', '6 h', '9 h'] },
  { values: [0, 20], unit: 'days', labels: ['0', '5 d', '10 d', '15 d', '20 d'] },
  { values: [0.1, 0.93], unit: 'ratio', labels: ['0', '50 %', '100 %'] },
  { values: [0, 0.02], unit: 'ratio', labels: ['0', '0.5 %', '1 %', '1.5 %', '2 %'] },
  { values: [3, 82], unit: 'percent', labels: ['0', '50 %', '100 %'] },
  { values: [2 ** 29, 3.4 * 2 ** 30], unit: 'bytes',
    labels: ['0', '1 GiB', '2 GiB', '3 GiB', '4 GiB'] },
  { values: [0, 700 * 2 ** 20], unit: 'bytes', labels: ['0', '256 MiB', '512 MiB', '768 MiB'] },
  { values: [0, 700], unit: 'mebibytes', labels: ['0', '256 MiB', '512 MiB', '768 MiB'] },
  { values: [0, 900], unit: 'bytes', labels: ['0', '256 B', '512 B', '768 B', '1 KiB'] },
  { values: [0, 3000], unit: 'bytes_per_second',
    labels: ['0', '1 KiB/s', '2 KiB/s', '3 KiB/s'] },
  { values: [0, 4e9], unit: 'bits_per_second',
    labels: ['0', '1 Gbit/s', '2 Gbit/s', '3 Gbit/s', '4 Gbit/s'] },
  { values: [0, 180], unit: 'mebibytes_per_second',
    labels: ['0', '64 MiB/s', '128 MiB/s', '192 MiB/s'] },
  { values: [0, 180], unit: 'megabits_per_second',
    labels: ['0', '50 Mbit/s', '100 Mbit/s', '150 Mbit/s', '200 Mbit/s'] },
  { values: [0, 2100], unit: 'per_second', labels: ['0', '1000/s', '2000/s', '3000/s'] },
  { values: [0, 42_000], unit: 'per_second', labels: ['0', '20 k/s', '40 k/s', '60 k/s'] },
  { values: [-5, 5], unit: 'celsius', labels: ['-5 °C', '0', '5 °C'] },
  { values: [-3, -1], unit: null, labels: ['-3', '-2', '-1', '0'] },
  { values: [0, 0], unit: null, labels: ['0', '1'] },
  { values: [0], unit: 'ratio', labels: ['0', '50 %', '100 %'] },
  { values: [7], unit: 'count', labels: ['0', '5', '10'] },
  { values: [], unit: null, labels: ['0', '1'] },
];

for (const { values, unit, labels } of labelled) {
  test(`valueAxis() has round ticks for ${values.join(', ')} in ${unit}`, () => {
    assert.deepEqual(valueAxis(values, unit, 4).ticks.map(({ label }) => label), labels);
  });
}

test('valueAxis() begins at zero unless that would flatten the line', () => {
  assert.equal(valueAxis([40, 198], 'count', 4).isCut, false);
  const cut = valueAxis([1000, 1010], 'count', 4);
  assert.equal(cut.isCut, true);
  assert.deepEqual([cut.from, cut.to], [1000, 1010]);
  assert.equal(valueAxis([-1000, -1010], null, 4).isCut, true);
  assert.equal(valueAxis([20, 35], 'celsius', 4).isCut, true);
  assert.equal(valueAxis([1000, 1000], null, 4).isCut, false);
});

const units = [
  null, 'seconds', 'milliseconds', 'nanoseconds', 'days', 'bytes', 'bytes_per_second', 'ratio',
  'percent', 'per_second', 'count', 'celsius', 'timestamp_seconds', 'things', 'bits_per_second',
];

test('valueAxis() spans all values with a few distinct ticks, whatever they are', () => {
  const random = seededRandom(7);
  const share = (): number => random() / 2 ** 32;
  for (let round = 0; round < 3000; round += 1) {
    const unit = units[round % units.length] ?? null;
    const size = 10 ** (share() * 560 - 280);
    const level = share() < 0.3 ? size * (share() - 0.5) * 10 ** (share() * 12) : 0;
    const values = Array.from({ length: 1 + random() % 4 }, () => level + size * (share() - 0.3))
      .filter((value) => value === 0 || (Math.abs(value) > 1e-280 && Math.abs(value) < 1e300));
    const { from, to, ticks } = valueAxis(values, unit, 2 + random() % 4);
    const what = `${values.join(', ')} in ${unit}`;
    assert.ok(Number.isFinite(from) && Number.isFinite(to) && from < to, what);
    assert.ok(ticks.length >= 2 && ticks.length <= 9, `${ticks.length} ticks for ${what}`);
    const slack = (to - from) * 1e-6;
    for (const value of values) assert.ok(value >= from - slack && value <= to + slack, what);
    const labels = ticks.map(({ label }) => label);
    assert.equal(new Set(labels).size, labels.length, `${labels.join()} for ${what}`);
    assert.doesNotMatch(labels.join(), /NaN|Infinity|undefined/u);
  }
});
