import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWithinJsonLimits } from '../../src/lib/json-limits.ts';

const levels = (count: number, filler = ''): string =>
  `${'['.repeat(count)}"${filler}"${']'.repeat(count)}`;

for (const filler of ['', 'x'.repeat(70_000)]) {
  const size = filler === '' ? 'short' : 'long';
  test(`isWithinJsonLimits() allows 32 levels and no more in a ${size} text`, () => {
    assert.equal(isWithinJsonLimits(levels(32, filler)), true);
    assert.equal(isWithinJsonLimits(levels(33, filler)), false);
  });
}

test('isWithinJsonLimits() does not count what is beside for depth', () => {
  for (const each of ['[]', '{}', '[{}]', '{"a":[]}']) {
    assert.equal(isWithinJsonLimits(`[${Array(100).fill(each).join(',')}]`), true, each);
  }
});

test('isWithinJsonLimits() allows two million values and no more', () => {
  const list = (values: number): string => `[0${',0'.repeat(values - 1)}]`;
  assert.equal(isWithinJsonLimits(list(2_000_000)), true);
  assert.equal(isWithinJsonLimits(list(2_000_001)), false);
});

test('isWithinJsonLimits() takes linear time over hostile backslashes and quotes', () => {
  const hostile = [`["${'\\'.repeat(4e6)}`, `["${'\\"'.repeat(2e6)}`, '"'.repeat(4e6)];
  const start = process.cpuUsage();
  for (const text of hostile) isWithinJsonLimits(text);
  assert.ok(process.cpuUsage(start).user < 5e6);
});

test('isWithinJsonLimits() agrees with a recursive count on random JSON', () => {
  let seed = 42;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  const grow = (depth: number): unknown => {
    if (depth === 0) return ['', '"', '\\', '[{', '\\"]', 'é🔥'][random(6)];
    const inner = grow(depth - 1);
    return random(2) === 0 ? [1, inner, 'x'] : { 'k"[': inner, b: '{' };
  };
  for (let round = 0; round < 500; round += 1) {
    const depth = 25 + random(15);
    const text = JSON.stringify(grow(depth));
    assert.equal(isWithinJsonLimits(text), depth <= 32, `depth ${depth}: ${text}`);
  }
});
