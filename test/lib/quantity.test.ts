import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatDuration, formatQuantity } from '../../src/lib/quantity.ts';

const quantities: readonly (readonly [number, string | null, string])[] = [
  [1.93, 'seconds', '1.93 s'],
  [0.5, 'seconds', '500 ms'],
  [0.0003, 'seconds', '300 µs'],
  [59.99, 'seconds', '60 s'],
  [720, 'seconds', '12 min'],
  [0, 'seconds', '0 s'],
  [250, 'milliseconds', '250 ms'],
  [0.82, 'ratio', '82 %'],
  [0.9995, 'ratio', '99.95 %'],
  [1, 'ratio', '100 %'],
  [99.5, 'percent', '99.5 %'],
  [3.4 * 2 ** 30, 'bytes', '3.4 GiB'],
  [1023.9, 'bytes', '1 KiB'],
  [512, 'bytes', '512 B'],
  [950, 'mebibytes', '950 MiB'],
  [1.02e9, 'hertz', '1.02 GHz'],
  [2100, 'per_second', '2.1 k/s'],
  [0.4, 'per_second', '0.4/s'],
  [2 * 2 ** 20, 'bytes_per_second', '2 MiB/s'],
  [155, 'mebibytes_per_second', '155 MiB/s'],
  [120, 'megabits_per_second', '120 Mbit/s'],
  [2450.4, 'percent', '2450 %'],
  [198, 'count', '198'],
  [4096, 'count', '4096'],
  [12_345, 'count', '12.3 k'],
  [-0, 'count', '0'],
  [-3.14159, null, '-3.14'],
  [0.00002, null, '0.00002'],
  [1e21, null, '1e+21'],
  [Number.NaN, 'seconds', 'NaN'],
  [-Infinity, 'bytes', '-Inf'],
  [3, 'connections', '3 connections'],
  [3, 'terabits_per_second', '3 terabits per second'],
  [3, 'messages_in_queue', '3 messages in queue'],
];

for (const [value, unit, expected] of quantities) {
  test(`formatQuantity() says ${value} ${unit ?? 'of an unknown unit'} as a person does`, () => {
    assert.equal(formatQuantity(value, unit), expected);
  });
}

const durations: readonly (readonly [number, string])[] = [
  [0, '0 s'], [0.35, '350 ms'], [59.9, '59 s'], [61, '1 min 1 s'], [720, '12 min'],
  [3599, '59 min'], [3600, '1 h'], [11_100, '3 h 5 min'], [90_000, '1 d 1 h'],
  [14 * 86_400 - 60, '13 d 23 h'], [14 * 86_400, '14 d'],
  [40 * 86_400, '40 d'], [-300, '-5 min'], [Infinity, '+Inf'],
];

for (const [seconds, expected] of durations) {
  test(`formatDuration() says ${seconds} seconds as ${expected}`, () => {
    assert.equal(formatDuration(seconds), expected);
  });
}
