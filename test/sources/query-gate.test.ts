import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GateFullError, QueryGate } from '../../src/sources/query-gate.ts';

interface HeldQuery {
  readonly query: () => Promise<string>;
  readonly isRunning: () => boolean;
  readonly end: (error?: Error) => void;
}

function held(name: string): HeldQuery {
  const { promise, resolve, reject } = withResolvers();
  let isRunning = false;
  return {
    query: () => {
      isRunning = true;
      return promise;
    },
    isRunning: () => isRunning,
    end: (error) => (error ? reject(error) : resolve(name)),
  };
}

function withResolvers(): {
  promise: Promise<string>;
  resolve: (value: string) => void;
  reject: (error: Error) => void;
} {
  let resolve: (value: string) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<string>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

const settle = (): Promise<void> => new Promise(setImmediate);

test('QueryGate runs a few queries at once, in the order they came', async () => {
  const gate = new QueryGate({ atOnce: 2, waitingMax: 10 });
  const queries = ['a', 'b', 'c', 'd'].map(held);
  const results = queries.map(({ query }) => gate.run(query));
  await settle();
  const running = (): boolean[] => queries.map((each) => each.isRunning());
  assert.deepEqual(running(), [true, true, false, false]);
  queries[1]?.end(new Error('b failed'));
  await assert.rejects(results[1] ?? Promise.resolve(), /b failed/);
  await settle();
  assert.deepEqual(running(), [true, true, true, false]);
  const late = held('late');
  const lateResult = gate.run(late.query);
  queries[0]?.end();
  await settle();
  assert.deepEqual([...running(), late.isRunning()], [true, true, true, true, false]);
  for (const query of [...queries, late]) query.end();
  assert.equal(await lateResult, 'late');
  assert.equal(await results[3], 'd');
});

test('QueryGate removes an aborted query from the line', async () => {
  const gate = new QueryGate({ atOnce: 1, waitingMax: 10 });
  const [first, second, third] = [held('first'), held('second'), held('third')];
  const cancelled = new AbortController();
  const firstResult = gate.run(first.query);
  const secondResult = gate.run(second.query, cancelled.signal);
  const thirdResult = gate.run(third.query, cancelled.signal);
  await settle();
  cancelled.abort(new Error('stopping'));
  await assert.rejects(secondResult, /stopping/);
  await assert.rejects(thirdResult, /stopping/);
  first.end();
  assert.equal(await firstResult, 'first');
  await assert.rejects(gate.run(second.query, cancelled.signal), /stopping/);
  assert.ok(!second.isRunning());
  assert.equal(await gate.run(async () => 'the slot is free'), 'the slot is free');
});

test('QueryGate does not reject a query whose turn has come', async () => {
  const gate = new QueryGate({ atOnce: 1, waitingMax: 10 });
  const [first, second] = [held('first'), held('second')];
  const cancelled = new AbortController();
  const firstResult = gate.run(first.query);
  const secondResult = gate.run(second.query, cancelled.signal);
  first.end();
  await firstResult;
  await settle();
  cancelled.abort(new Error('too late'));
  second.end();
  assert.equal(await secondResult, 'second');
  assert.equal(await gate.run(async () => 'the slot is free'), 'the slot is free');
});

test('QueryGate refuses when too many wait', async () => {
  const gate = new QueryGate({ atOnce: 1, waitingMax: 1 });
  const queries = ['a', 'b'].map(held);
  const results = queries.map(({ query }) => gate.run(query));
  await assert.rejects(gate.run(held('c').query), GateFullError);
  for (const query of queries) query.end();
  assert.deepEqual(await Promise.all(results), ['a', 'b']);
});
