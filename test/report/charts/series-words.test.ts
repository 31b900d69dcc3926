import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointsOf } from '../../../src/report/charts/line.ts';
import {
  mediansAround, movementText, seriesDescription,
} from '../../../src/report/charts/series-words.ts';

const startMs = Date.parse('2026-11-20T01:00:00Z');
const pointsAt = (values: readonly (number | null)[]): ReturnType<typeof pointsOf> =>
  pointsOf([{ startMs, stepMs: 60_000, values }]);

test('mediansAround() is null on a side without points, and on both without a moment', () => {
  const points = pointsAt([1, 3, null, 8, 9]);
  const atMinute = (minute: number): unknown => mediansAround(points, startMs + minute * 60_000);
  assert.deepEqual(atMinute(3), { before: 2, after: 8.5 });
  assert.deepEqual(atMinute(0), { before: null, after: 5.5 });
  assert.deepEqual(atMinute(9), { before: 5.5, after: null });
  assert.deepEqual(mediansAround(points, null), { before: null, after: null });
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
