import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CauseTest } from '../../src/evidence/metrics/cause-tests.ts';
import { collected, firedAt, shop } from '../support/samples/shop-scenario.ts';

test('collectMetrics asks the queries that decide causes, at most 12', async () => {
  const tests = Array.from({ length: 14 }, (_, index) =>
    ({ id: `c${index}`, cause: 'It is full', query: 'up', isSupported: () => false }));
  tests[1] = { id: 'bad', cause: 'It is full', query: 'sum(', isSupported: () => false };
  const { facts } = await collected(shop(), { context: { testsFor: () => tests } });
  assert.equal(facts.answers.size, 12);
  assert.deepEqual(facts.answers.get('c0')?.samples, [1, 1, 1, 1]);
  assert.match(facts.answers.get('bad')?.failed ?? '', /parse error/);
  assert.equal(facts.answers.get('c2')?.failed, null);
});

test('collectMetrics asks the same of what an answer names, a few times', async () => {
  const options = shop();
  const calls = [{ labels: { peer: 'a' }, valueAt: () => 9 }];
  const expressions = { ...options.expressions, calls };
  const testOf = (id: string): CauseTest => {
    return {
      id, cause: 'It waits', query: 'calls', isSupported: () => true,
      next: ({ samples: [sample] }) => [testOf(`${id} of ${sample?.labels['peer']}`)],
    };
  };
  const { facts } = await collected({ ...options, expressions }, {
    context: { testsFor: () => [testOf('slow')] },
  });
  assert.deepEqual([...facts.answers.keys()],
    ['slow', 'slow of a', 'slow of a of a', 'slow of a of a of a']);
});

test('collectMetrics follows no answer when it asks tests again after the end', async () => {
  const options = shop();
  const expressions = { ...options.expressions, calls: [{ labels: {}, valueAt: () => 9 }] };
  const endsAt = firedAt + 9 * 60_000;
  const testOf = (id: string): CauseTest => {
    return {
      id, cause: 'It waits', query: 'calls', isSupported: () => true,
      next: () => (id.startsWith('slow') ? [testOf(`${id} of a`)] : []),
    };
  };
  const { facts } = await collected({ ...options, expressions }, {
    alert: { status: 'resolved', endsAt: new Date(endsAt).toISOString() },
    context: { now: endsAt + 5 * 60_000, testsFor: () => [testOf('slow'), testOf('full')] },
  });
  assert.deepEqual([...facts.answersAtEnd?.keys() ?? []], ['slow', 'full']);
});

test('collectMetrics tests the causes of an ended alert as they were while it fired', async () => {
  const asked: number[] = [];
  const options = shop();
  const expressions = { ...options.expressions, late: [{
    labels: {},
    valueAt: (at: number) => {
      asked.push(at);
      return 1;
    },
  }] };
  // The rule looks back over 5 min of these 9.
  const endsAt = firedAt + 9 * 60_000;
  await collected({ ...options, expressions }, {
    alert: { status: 'resolved', endsAt: new Date(endsAt).toISOString() },
    context: {
      now: endsAt, testsFor: () => [
        { id: 'late', cause: 'It is full', query: 'late', isSupported: () => false },
      ],
    },
  });
  assert.deepEqual([...new Set(asked)], [firedAt + 2 * 60_000]);
});

for (const [query, minutes, expected] of [
  ['level', 4, null], ['level', 4.75, [3]], ['level', 90, [3]],
  ['max_over_time(level[1h])', 6, []],
] as const) {
  test(`collectMetrics asks ${query} again ${minutes} min after the end`, async () => {
    const options = shop();
    const endsAt = firedAt + 9 * 60_000;
    // What it was while the alert fired, five minutes after its end, and much later.
    const valueAt = (at: number): number =>
      at <= endsAt ? 9 : at <= endsAt + 300_000 ? 3 : 7;
    const expressions = { ...options.expressions, [query]: [{ labels: {}, valueAt }] };
    const { facts: { answersAtEnd } } = await collected({ ...options, expressions }, {
      alert: { status: 'resolved', endsAt: new Date(endsAt).toISOString() },
      context: {
        now: endsAt + minutes * 60_000,
        testsFor: () => ['high', 'low'].map((id) => {
          return {
            id, cause: 'It is full', query,
            isSupported: ([value = 0]) => (id === 'high' ? value > 5 : value < 2),
          };
        }),
      },
    });
    const samples = answersAtEnd === null ? null : answersAtEnd.get('high')?.samples ?? [];
    assert.deepEqual(samples, expected);
    assert.notEqual(answersAtEnd?.has('low'), true, 'its test never supported it');
  });
}

for (const [name, at, isOfBefore] of [
  ['just before', firedAt - 5 * 60_000, false], ['long before', firedAt - 40 * 60_000, true],
] as const) {
  test(`what happened ${name} the problem is known to have happened then`, async () => {
    const options = shop();
    // Whichever range is asked for.
    const ranges = [['1h', 3600], ...Array.from({ length: 120 }, (_, index) =>
      [`${600 + 15 * index}s`, 600 + 15 * index] as const)] as const;
    const expressions = Object.fromEntries(ranges.map(([range, seconds]) =>
      [`changes(start[${range}])`, [{
        labels: {},
        valueAt: (atMs: number) => Number(at > atMs - seconds * 1000 && at <= atMs),
      }]]));
    const { facts } = await collected({ ...options, expressions }, {
      context: { testsFor: () => [{
        id: 'restart', cause: 'It restarted', query: 'changes(start[1h])',
        isSupported: (samples) => samples.some((value) => value >= 1),
      }] },
    });
    assert.equal(facts.answers.get('restart')?.isFromBefore, isOfBefore);
    assert.deepEqual(facts.answers.get('restart')?.samples, [1]);
  });
}
