import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointsOf } from '../../../src/report/charts/course.ts';
import {
  crossingOf, isBeyond, movementText, seriesDescription,
} from '../../../src/report/charts/series-words.ts';

const startMs = Date.parse('2026-11-20T01:00:00Z');
const pointsAt = (values: readonly (number | null)[]): ReturnType<typeof pointsOf> =>
  pointsOf([{ startMs, stepMs: 60_000, values }]);

const crossings: readonly (readonly [
  values: readonly (number | null)[], fired: number,
  expected: readonly [minute: number, before: number, after: number] | null,
])[] = [
  [[1, 1, 9, 9], 3, [2, 1, 9]],
  // One step late.
  [[1, 1, 9, 9], 1, [2, 1, 9]],
  [[1, 1, 1, 9], 1, null],
  // Several runs: that in which it fired, with the numbers around its own beginning.
  [[1, 9, 2, 7, 8, 8, 3], 4, [3, 2, 8]],
  [[1, 9, 2, 1, 9], 3, [4, 1.5, 9]],
  [[1, 9, 2, 1, 1], 3, null],
  [[9, 9, 9, 9], 2, null],
  [[1, 9, null, 9, 9], 4, [1, 1, 9]],
  [[1, null, null, 9, 9], 4, [3, 1, 9]],
  [[null, null, 9, 9], 3, null],
  [[], 0, null],
];

for (const [values, fired, expected] of crossings) {
  test(`crossingOf() is ${expected} for ${values.join(' ')}, fired at ${fired}`, () => {
    const crossing = crossingOf(
      pointsAt(values), startMs + fired * 60_000, ({ value }) => value > 5,
    );
    const said = crossing && [
      (crossing.atMs - startMs) / 60_000, crossing.before, crossing.after,
    ];
    assert.deepEqual(said, expected);
  });
}

test('isBeyond() compares as the rule does', () => {
  const cases = [['>', 5, false], ['>=', 5, true], ['<', 4, true], ['<=', 5, true]] as const;
  for (const [operator, value, expected] of cases) {
    assert.equal(isBeyond(value, { operator, threshold: 5 }), expected, operator);
  }
  assert.equal(isBeyond(5, { operator: '==', threshold: 5 }), true);
  assert.equal(isBeyond(5, { operator: '!=', threshold: 5 }), false);
  assert.equal(isBeyond(5, { operator: null, threshold: 5 }), false);
});

test('movementText() says how a value moved, as far as it is known', () => {
  assert.equal(movementText({ before: 40, after: 198 }, null), 'rose from 40 to 198');
  assert.equal(movementText({ before: 2, after: 0.5 }, 'seconds'), 'fell from 2 s to 500 ms');
  assert.equal(movementText({ before: 40.001, after: 40.002 }, null), 'stayed at 40');
  assert.equal(movementText({ before: null, after: 1 }, null), null);
});

test('seriesDescription() describes the series in numbers', () => {
  const text = seriesDescription(pointsAt([1, 2, null, 8, 9]), {
    splitMs: startMs + 180_000, unit: 'seconds', stepMs: 60_000,
  });
  assert.equal(text, 'Lowest 1 s, highest 9 s, latest 9 s. The median is 1.5 s before and ' +
    '8.5 s after. From 2026-11-20 01:00:00 UTC to 2026-11-20 01:04:00 UTC, a value every 1 min. ' +
    '1 gap.');
  const options = { splitMs: null, unit: null, stepMs: 60_000 };
  assert.equal(seriesDescription([], options), 'No values.');
  for (const minute of [0, 9]) {
    const splitMs = startMs + minute * 60_000;
    const oneSided = seriesDescription(pointsAt([1, 2]), { ...options, splitMs });
    assert.match(oneSided, /latest 2\. From/, `all ${minute === 0 ? 'after' : 'before'} it`);
  }
});
