import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chart, type Chart } from '../../../src/report/charts/chart.ts';
import { levelAt, pointsOf, type Point } from '../../../src/report/charts/line.ts';
import { markupText } from '../../../src/report/html.ts';
import { seededRandom } from '../../support/random.ts';

const start = Date.parse('2026-11-20T01:00:00Z');
const minute = 60_000;

function drawn(values: readonly (number | null)[], over: Partial<Chart> = {}): string {
  const points = pointsOf([{ startMs: start, stepMs: minute, values }]);
  return markupText(chart({
    id: 'c', size: 'large', title: 'It rose.', description: 'From 1 to 2.', unit: 'seconds',
    fromMs: start, toMs: start + (values.length - 1) * minute, points, ghosts: [],
    threshold: null, shaded: null, markers: [], notes: [], ...over,
  }));
}

/** A threshold that does not move. */
function level(value: number, name: string, minutes = 1): Chart['threshold'] {
  return { points: levelAt(value, start, start + minutes * minute), name };
}

function course(markup: string, name = 'course'): string | undefined {
  return new RegExp(`class="${name}" d="([^"]*)"`, 'u').exec(markup)?.[1];
}

test('chart() draws the points, an axis from zero and times in UTC', () => {
  const markup = drawn([1, 2, 1, 2]);
  assert.equal(course(markup), 'M0 74L333.3 0L666.7 74L1000 0');
  for (const text of ['>0<', '>0.5 s<', '>1 s<', '>2 s<', '>UTC<', '>01:00<', '>01:02<']) {
    assert.ok(markup.includes(text), text);
  }
  assert.match(markup, /<figcaption id="c-title">It rose\.<\/figcaption>/u);
  assert.match(markup, /role="img" aria-labelledby="c-title c-text"/u);
  assert.match(markup, /<desc id="c-text">From 1 to 2\.<\/desc>/u);
  assert.doesNotMatch(markup, /start at zero/u);
});

test('chart() leaves out a last time that would overlap the one before it', () => {
  const times = (fromMs: number, minutes: number): string[] => {
    const toMs = fromMs + minutes * minute;
    const points = pointsOf([{ startMs: fromMs, stepMs: toMs - fromMs, values: [1, 2] }]);
    return [...drawn([], { fromMs, toMs, points }).matchAll(/>(\d\d:\d\d)</gu)]
      .map(([, time]) => time ?? '');
  };
  assert.deepEqual(times(start, 60), ['01:00', '01:15', '01:30', '01:45', '02:00']);
  assert.deepEqual(times(start + minute, 50), ['01:10', '01:20', '01:30', '01:40']);
});

test('chart() breaks the line at a gap and shows an isolated point as a dot', () => {
  const markup = drawn([1, 1, null, 1, null, 1, 1]);
  assert.equal(course(markup), 'M0 49.3L166.7 49.3M833.3 49.3L1000 49.3');
  assert.equal(course(markup, 'course dots'), 'M500 49.3h0');
});

test('chart() draws a single point, and nothing without points', () => {
  assert.equal(course(drawn([3]), 'course dots'), 'M500 37h0');
  for (const values of [[], [null, null], [Number.NaN, Infinity]]) {
    assert.equal(drawn(values), '', values.join());
  }
});

test('chart() says when its axis does not start at zero', () => {
  assert.match(drawn([1000, 1003]), /The axis does not start at zero\./u);
});

test('chart() draws threshold, ghost, shade and markers, each with its name', () => {
  const flat = (value: number): Point[] =>
    pointsOf([{ startMs: start, stepMs: minute, values: [value, value, value] }]);
  const markup = drawn([1, 2, 2], {
    threshold: level(1.5, 'threshold > 1.5 s', 2),
    ghosts: [
      { name: 'yesterday', points: flat(0.5) }, { name: 'a week ago', points: flat(0.5) },
      { name: 'never', points: [] },
    ],
    shaded: { fromMs: start + minute, toMs: start + 99 * minute },
    markers: [
      { atMs: start + minute, name: 'fired', kind: 'fired' },
      { atMs: start + minute, name: 'new version', kind: 'event' },
      { atMs: start - minute, name: 'long before', kind: 'event' },
    ],
  });
  assert.equal(course(markup, 'limit'), 'M0 37L1000 37');
  assert.equal(course(markup, 'ghost'), 'M0 111L500 111L1000 111');
  assert.equal(course(markup, 'ghost older'), course(markup, 'ghost'));
  assert.doesNotMatch(markup, /never/u);
  assert.equal(course(markup, 'shade'), 'M500 0H1000V148H500Z');
  assert.equal(course(markup, 'mark fired'), 'M500 0V148');
  for (const name of ['threshold &gt; 1.5 s', 'yesterday', 'a week ago', 'fired', 'new version']) {
    assert.ok(markup.includes(`>${name}</text>`), name);
  }
  assert.doesNotMatch(markup, /long before/u);
});

test('chart() puts the last value where it does not cover the line', () => {
  const markup = drawn(Array.from({ length: 60 }, (_, index) => (index < 40 ? 1 : 9 + index % 2)));
  const numberIn = (pattern: RegExp): number => Number(pattern.exec(markup)?.[1]);
  const y = numberIn(/y="([\d.]+)" class="end last"/u) - numberIn(/<svg y="(\d+)"/u);
  const points = [...(course(markup) ?? '').matchAll(/([\d.]+) ([\d.]+)/gu)];
  const heights = points.filter(([, x]) => Number(x) > 850).map(([, , height]) => Number(height));
  assert.ok(heights.length > 5);
  assert.deepEqual(heights.filter((height) => height > y - 12 && height < y), []);
});

test('chart() draws a moving threshold as a line', () => {
  const limit = (values: readonly (number | null)[]): Chart['threshold'] => ({
    points: pointsOf([{ startMs: start, stepMs: minute, values }]), name: 'threshold >',
  });
  const markup = drawn([1, 2, 2], { threshold: limit([2, 1, 1, 9]) });
  assert.equal(course(markup, 'limit'), 'M0 0L500 74L1000 74');
  assert.match(markup, />threshold &gt;<\/text>/u);
  assert.equal(course(drawn([1, 2], { threshold: limit([500, 1]) }), 'limit'), undefined);
  assert.equal(course(drawn([1, 2], { threshold: limit([null, null, 3]) }), 'limit'), undefined);
});

test('chart() leaves out a threshold that would flatten the line, and says so', () => {
  const markup = drawn([1, 2], { threshold: level(500, 'far') });
  assert.equal(course(markup, 'limit'), undefined);
  assert.match(markup, /The threshold is too far from the values to be drawn\./u);
  const idle = drawn([0, 0], { threshold: level(5, 'x') });
  assert.notEqual(course(idle, 'limit'), undefined);
  const tiny = drawn([0, 0], { threshold: level(5e-324, 'x') });
  assert.equal(course(tiny, 'limit'), 'M0 148L1000 148');
});

test('chart() says how many points are drawn when they are thinned out', () => {
  const values = Array.from({ length: 360 }, (_, index) => index % 17);
  assert.match(drawn(values), /\d+ of 360 points are drawn, including all peaks and dips\./u);
  assert.doesNotMatch(drawn(values.slice(0, 100)), /points are drawn/u);
});

test('chart() shows every value below the pointer, in at most 40 areas', () => {
  const few = drawn([1, 2]);
  assert.match(few, /<title>01:00 UTC: 1 s<\/title>/u);
  assert.match(few, /<title>01:01 UTC: 2 s<\/title>/u);
  const many = drawn(Array.from({ length: 80 }, (_, index) => index));
  assert.equal([...many.matchAll(/<title>/gu)].length, 40);
  assert.match(many, /<title>01:00 to 01:01 UTC: 0 s to 1 s<\/title>/u);
});

test('chart() escapes its title, unit and names', () => {
  const bad = '"><script>alert(1)</script>\u202e';
  const markup = drawn([1, 2], {
    title: bad, description: bad, unit: bad, notes: [bad], threshold: level(1, bad),
    ghosts: [{ name: bad, points: pointsOf([{ startMs: start, stepMs: minute, values: [1] }]) }],
    markers: [{ atMs: start, name: bad, kind: 'event' }],
  });
  assert.doesNotMatch(markup, /<script|\u202e/u);
});

test('chart() stays small', () => {
  const random = seededRandom(3);
  const values = Array.from({ length: 600 }, () => random() / 2 ** 16);
  const points = pointsOf([{ startMs: start, stepMs: minute, values }]);
  const ghosts = [{ name: 'yesterday', points }, { name: 'a week ago', points }];
  const large = drawn(values, { ghosts, unit: 'bytes_per_second' });
  assert.ok(large.length < 8.25 * 1024, `${large.length}`);
  const small = drawn(values, { size: 'small', unit: 'bytes_per_second' });
  assert.ok(small.length < 3 * 1024, `${small.length}`);
});

test('chart() is valid and repeatable, whatever it is given', () => {
  const random = seededRandom(5);
  const odd = [
    0, -0, 1, -1, 1e-300, 5e-324, 1e300, -1e300, 1.7e308, Number.NaN, Infinity, -Infinity, 1e15,
    0.1,
  ];
  const pick = (): number => odd[random() % odd.length] ?? 0;
  for (let round = 0; round < 1000; round += 1) {
    const values = Array.from({ length: 1 + random() % 30 }, () =>
      random() % 4 === 0 ? null : round % 2 === 0 ? pick() : random() / 2 ** (random() % 60));
    const over: Partial<Chart> = {
      size: round % 3 === 0 ? 'small' : 'large',
      unit: ['seconds', 'bytes', 'ratio', 'count', null][random() % 5] ?? null,
      threshold: random() % 2 === 0 ? level(pick(), 'limit') : null,
      shaded: { fromMs: start + random() % minute, toMs: start + random() % (9 * minute) },
      markers: [{ atMs: start + random() % minute, name: 'x', kind: 'event' }],
    };
    const markup = drawn(values, over);
    assert.doesNotMatch(markup, /NaN|Infinity|undefined|null/u, JSON.stringify({ values, over }));
    for (const [, path = ''] of markup.matchAll(/ d="([^"]*)"/gu)) {
      assert.match(path, /^[MLHVhvzZ0-9. -]+$/u);
      for (const [number = ''] of path.matchAll(/\d+\.\d+/gu)) assert.match(number, /\.\d$/u);
    }
    assert.equal(markup, drawn(values, over));
  }
});
