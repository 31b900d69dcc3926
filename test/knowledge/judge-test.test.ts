import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bounds } from '../../src/knowledge/family.ts';
import { judgeTest } from '../../src/knowledge/judge-test.ts';

const high: Bounds = { atLeast: 0.8, notUpTo: 0.3 };
const low: Bounds = { atMost: 0, notFrom: 1 };
const cases: readonly (readonly [Bounds, readonly number[], ReturnType<typeof judgeTest>])[] = [
  [high, [0.1, 0.8], 'supported'],
  [high, [0.1, 0.3], 'ruled_out'],
  [high, [0.5], 'undecided'],
  [low, [1, 0], 'supported'],
  [low, [1, 2], 'ruled_out'],
  [low, [0.5], 'undecided'],
  [{ atLeast: 1 }, [0], 'undecided'],
  [{ atLeast: 1 }, [1], 'supported'],
  [{ notFrom: 2 }, [3], 'ruled_out'],
  [{ notFrom: 2 }, [0], 'undecided'],
  [high, [Number.NaN, Infinity], 'undecided'],
  [high, [], 'undecided'],
];
for (const [bounds, samples, expected] of cases) {
  test(`judgeTest() takes ${samples.join(', ') || 'nothing'} by ${JSON.stringify(bounds)} for ` +
    expected, () => assert.equal(judgeTest(bounds, samples), expected));
}
