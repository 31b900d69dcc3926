import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Asker } from '../../src/evidence/metrics/asking.ts';
import { askTests } from '../../src/evidence/metrics/cause-tests.ts';
import { unwrapped } from '../../src/evidence/rule/unwrapped.ts';

test('unwrapped() finds the series behind a single number', () => {
  const queryOf = (query: string): string | null => unwrapped(query)?.query ?? null;
  assert.equal(queryOf('min(link_up{job="r"} or link2_up{job="r"})'),
    'bottomk(2, link_up{job="r"} or link2_up{job="r"})');
  assert.equal(queryOf('sum(a{state="idle"}) / sum(a)'), 'topk(2, a{state="idle"})');
  assert.deepEqual(unwrapped('max(a{state="idle"})')?.asked, new Set(['state']));
  for (const other of ['sum by (x) (a)', 'a > 1', 'avg(a)', 'max(a) - min(a)', 'sum(']) {
    assert.equal(queryOf(other), null, other);
  }
});

test('a test that supports its cause keeps the labels of the series that decides it', async () => {
  const namedBy = async (
    query: string, behind: readonly number[],
  ): Promise<Readonly<Record<string, string>> | null | undefined> => {
    const asker = {
      query: (_: string, asked: string) => Promise.resolve({
        omitted: 0, notes: { warnings: [], isPartial: false },
        samples: /^(?:topk|bottomk)/u.test(asked)
          ? behind.map((value, index) => ({ labels: { replica: `r-${index}` }, value }))
          : [{ labels: {}, value: behind[0] ?? 0 }],
      }),
    } as unknown as Asker;
    const test_ = { id: 'a', cause: 'It is down', query, isSupported: () => true };
    const [asked] = await askTests(asker, [test_], {
      atMs: 0, bind: (same) => Promise.resolve({ query: same }),
      age: { seconds: 600, scrapeSeconds: null, rangeSeconds: 0 },
    });
    return asked?.named;
  };
  assert.deepEqual(await namedBy('min(link_up)', [0, 1]), { replica: 'r-0' });
  assert.equal(await namedBy('min(link_up)', [0, 0]), null, 'which of two is not known');
  assert.deepEqual(await namedBy('sum(held)', [33, 2]), { replica: 'r-0' });
  assert.equal(await namedBy('sum(held)', [20, 17]), null, 'both have a part');
});
