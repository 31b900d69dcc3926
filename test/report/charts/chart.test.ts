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
    span: { fromMs: start, toMs: start + (values.length - 1) * minute, near: null }, points,
    ghosts: [], threshold: null, shaded: null, movedMs: null, markers: [], notes: [], ...over,
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
  assert.equal(course(markup), 'M0 56L333.3 0L666.7 56L1000 0');
  for (const text of ['>0<', '>1 s<', '>2 s<', '>UTC<', '>01:00<', '>01:02<']) {
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
    const markup = drawn([], { span: { fromMs, toMs, near: null }, points });
    return [...markup.matchAll(/>(\d\d:\d\d)</gu)]
      .map(([, time]) => time ?? '');
  };
  assert.deepEqual(times(start, 60), ['01:00', '01:15', '01:30', '01:45', '02:00']);
  assert.deepEqual(times(start + minute, 50), ['01:10', '01:20', '01:30', '01:40']);
});

test('chart() breaks the line at a gap and shows an isolated point as a dot', () => {
  const markup = drawn([1, 1, null, 1, null, 1, 1]);
  assert.equal(course(markup), 'M0 37.3L166.7 37.3M833.3 37.3L1000 37.3');
  assert.equal(course(markup, 'course dots'), 'M500 37.3h0');
});

test('chart() draws a single point, and nothing without points', () => {
  assert.equal(course(drawn([3]), 'course dots'), 'M500 28h0');
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
  assert.equal(course(markup, 'limit'), 'M0 28L1000 28');
  assert.equal(course(markup, 'ghost'), 'M0 84L1000 84');
  assert.equal(course(markup, 'ghost older'), course(markup, 'ghost'));
  assert.doesNotMatch(markup, /never/u);
  assert.equal(course(markup, 'shade'), 'M500 0H1000V112H500Z');
  assert.equal(course(markup, 'mark fired'), 'M500 0V112');
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
  assert.equal(course(markup, 'limit'), 'M0 0L500 56L1000 56');
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
  assert.equal(course(tiny, 'limit'), 'M0 112L1000 112');
});

test('chart() tells a script how to read values from heights', () => {
  assert.match(drawn([1, 2]), /data-axis="0 2 1" data-unit=" s"/u);
  assert.match(drawn([2e6, 3e6], { unit: 'bytes' }),
    /data-axis="0 \d+ 9\.5\d*e-7" data-unit=" MiB"/u);
  assert.match(drawn([0.1, 0.8], { unit: 'ratio' }), /data-axis="0 1 100" data-unit=" %"/u);
});

test('chart() zooms by drawing the same lines again, with names and times of their own', () => {
  const values = Array.from({ length: 61 }, (_, index) => index);
  const near = { fromMs: start + 45 * minute, toMs: start + 60 * minute };
  const markup = drawn(values, {
    span: { fromMs: start, toMs: start + 60 * minute, near },
    markers: [
      { atMs: start + 10 * minute, name: 'a', kind: 'event' },
      { atMs: start + 50 * minute, name: 'fired', kind: 'fired' },
    ],
  });
  assert.match(markup, /<use href="#c-plot" transform="matrix\(4 0 0 1 -3000 0\)">/u);
  assert.equal([...markup.matchAll(/class="course"/gu)].length, 1);
  const textsOf = (group: string): string =>
    new RegExp(`<g class="${group}"><text[^]*?</g>`, 'u').exec(markup)?.[0] ?? '';
  assert.match(textsOf('far'), />fired<[^]*>a<[^]*>01:00</u);
  assert.match(textsOf('near'), /^(?![^]*>a<)[^]*>fired<[^]*>01:50</u);
});

test('chart() marks where the series began to move, and the moments in every size', () => {
  const small = drawn([1, 2, 2], {
    size: 'small', movedMs: start + minute, markers: [{ atMs: start, name: 'x', kind: 'fired' }],
  });
  assert.equal(course(small, 'moved'), 'M500 38v-9');
  assert.equal(course(small, 'mark fired'), 'M0 0V38');
  assert.doesNotMatch(small, />x<|UTC/u);
  assert.equal(course(drawn([1, 2], { movedMs: start - minute }), 'moved'), undefined);
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
  assert.ok(large.length < 6 * 1024, `${large.length}`);
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
