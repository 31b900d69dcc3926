import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contributorsOf, type Contribution, type Contributors, type Leaders,
} from '../../src/statistics/contributions.ts';

/** Pods on nodes, from what they had to what they have: `a n1 1 5`. */
function pods(...lines: readonly string[]): Contribution[] {
  return lines.map((line) => {
    const [pod = '', node = '', before, after] = line.split(' ');
    return {
      labels: { pod: `pod-${pod}`, node, uid: pod }, before: Number(before), after: Number(after),
    };
  });
}

type Told = Exclude<Contributors, { readonly kind: 'leaders' }> | {
  readonly kind: 'leaders';
  readonly leaders: readonly Pick<Leaders, 'label' | 'values' | 'of' | 'share'>[];
};

function leading(...leaders: readonly [string, string, number, number][]): Told {
  return {
    kind: 'leaders',
    leaders: leaders.map(([label, values, of, share]) => {
      return { label, values: values.split(' '), of, share };
    }),
  };
}

/** Without the amounts. */
function toldOf(parts: readonly Contribution[], direction: 'rise' | 'fall'): Told | null {
  const found = contributorsOf(parts, direction);
  return found?.kind !== 'leaders' ? found : {
    kind: 'leaders',
    leaders: found.leaders.map(({ label, values, of, share }) => ({ label, values, of, share })),
  };
}

const cases: readonly (readonly [string, readonly Contribution[], Told | null])[] = [
  ['one that leads, and not its node', pods('a n1 1 9', 'b n1 1 2', 'c n2 1 2'),
    leading(['pod', 'pod-a', 3, 0.8])],
  ['two that lead', pods('a n1 1 6', 'b n2 1 6', 'c n3 1 1', 'd n1 1 1', 'e n2 1 1', 'f n3 1 1'),
    leading(['pod', 'pod-a pod-b', 6, 1])],
  ['a node in place of its pods', pods('a n1 1 6', 'b n1 1 6', 'c n2 1 1', 'd n2 1 1'),
    leading(['node', 'n1', 2, 1])],
  ['all alike', pods('a n1 1 5', 'b n1 1 6', 'c n2 1 5', 'd n2 1 6'),
    { kind: 'spread', label: 'pod', values: ['pod-b', 'pod-d', 'pod-a', 'pod-c'] }],
  ['who always had the most of it', pods('a n1 90 180', 'b n2 10 20'), null],
  ['what took the place of others', pods('a n1 5 0', 'b n1 5 0', 'c n2 0 11', 'd n2 0 9'), null],
  ['a sum within its noise', pods('a n1 100 105', 'b n1 100 105', 'c n1 100 105'), null],
  ['what went both ways', pods('a n1 1 41', 'b n1 9 0', 'c n1 9 0', 'd n1 9 0'), null],
  ['who moved little of its own',
    pods('a n1 100 140', 'b n1 97 97', 'c n1 97 97', 'd n1 96 96'), null],
  ['who made less than most of it', pods('a n1 1 9', 'b n1 1 3', 'c n1 1 3', 'd n1 1 3', 'e n1 1 3',
    'f n1 1 3', 'g n1 1 3'), null],
  ['who is not far ahead of two', pods('a n1 1 9', 'b n1 1 2.5', 'c n1 1 1'), null],
  ['most of the values', pods('a n1 1 6', 'b n1 1 6', 'c n1 1 1'), null],
  ['an uneven spread', pods('a n1 1 6', 'b n1 1 3', 'c n1 1 3', 'd n1 1 3'), null],
  ['one that lags behind', pods('a n1 1 5', 'b n1 1 5', 'c n1 1 5', 'd n1 1 2'), null],
  ['a label that people do not know', ['a', 'b', 'c'].map((path) =>
    ({ labels: { path }, before: 1, after: 5 })), null],
  ['a sum that fell', pods('a n1 9 1', 'b n2 1 1'), null],
  ['what may be negative', pods('a n1 -1 9', 'b n2 1 1'), null],
  ['what is infinite', pods('a n1 1 Infinity', 'b n2 1 1'), null],
  ['nothing', [], null],
];

for (const [name, parts, expected] of cases) {
  test(`contributorsOf tells of ${name}: ${expected?.kind ?? 'nothing'}`, () => {
    assert.deepEqual(toldOf(parts, 'rise'), expected);
  });
}

test('contributorsOf tells who makes a fall', () => {
  const parts = pods('a n1 1 0', 'b n2 1 1', 'c n3 1 1', 'd n4 1 1');
  assert.deepEqual(toldOf(parts, 'fall'), leading(['pod', 'pod-a', 4, 1]));
});

test('contributorsOf tells two labels that say different things', () => {
  const parts = ['a', 'b', 'c'].flatMap((pod) => ['/pay', '/cart'].map((path) => {
    const isBad = pod === 'b' && path === '/pay';
    return { labels: { path, pod }, before: 1, after: isBad ? 11 : 1 };
  }));
  assert.deepEqual(toldOf(parts, 'rise'),
    leading(['pod', 'b', 3, 1], ['path', '/pay', 2, 1]));
});

test('contributorsOf knows labels with the names of members', () => {
  const parts = [{ toString: 'x' }, { toString: 'y' }, {}, { toString: 'z' }]
    .map((labels, index) => ({ labels, before: 1, after: index === 2 ? 90 : 1 }) as Contribution);
  assert.equal(toldOf(parts, 'rise'), null);
});

test('contributorsOf tells how much leaders had of the whole, before and after', () => {
  const found = contributorsOf(pods('a n1 1 33', 'b n1 2 2', 'c n2 2 2'), 'rise');
  assert.ok(found?.kind === 'leaders');
  assert.deepEqual([found.leaders[0]?.before, found.leaders[0]?.after], [1, 33]);
  assert.deepEqual(found.whole, { before: 5, after: 37 });
});
