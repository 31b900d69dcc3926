import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryBudget } from '../../src/sources/query-budget.ts';
import { answering, startFakeSource } from '../support/sources/fake-source.ts';
import { testClient } from '../support/sources/source-clients.ts';

test('QueryBudget counts what one investigation asks, failures too', async (t) => {
  const source = await startFakeSource(t, answering('1'));
  const client = testClient({ url: source.url });
  const [mine, others] = [new QueryBudget(client, 2), new QueryBudget(client, 2)];
  assert.equal(await mine.ask({ path: '/' }, (body) => body.length), 1);
  const refused = mine.ask({ path: '/' }, () => {
    throw new SyntaxError('refused');
  });
  await assert.rejects(refused, { name: 'SourceFailure' });
  assert.deepEqual([mine.used, mine.left, others.left], [2, 0, 2]);
  await assert.rejects(mine.ask({ path: '/' }, () => 0), {
    name: 'SourceFailure', reason: 'cancelled', detail: /All 2 queries/,
  });
  assert.equal(mine.used, 2);
});
