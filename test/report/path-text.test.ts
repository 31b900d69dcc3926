import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HopFault, PathHop } from '../../src/report/path.ts';
import { hopText, hopTexts, pathText } from '../../src/report/path-text.ts';
import { pathPoints } from '../../src/report/text/path-points.ts';
import { sampleReport } from '../support/samples/sample-report.ts';

const now = Date.parse('2026-11-29T00:20:00Z');

function fault(given: Partial<HopFault>): HopFault {
  return {
    kind: 'down', seen_by: 'itself', what: null, metric: 'pg_up', labels: {}, value: null,
    before: null, limit: null, since: null, until: null, ...given,
  };
}

function hop(component: string, given: Partial<PathHop> = {}): PathHop {
  return {
    component, labels: {}, relation: null, state: 'unknown', faults: [], works: null, since: null,
    evidence: [], ...given,
  };
}

test('a path is told in one line, with what fails at its origin and since when', () => {
  const text = pathText({
    hops: [
      hop('shop', { state: 'failing', faults: [fault({ kind: 'fails', value: 2 })] }),
      hop('be_inventory', { relation: 'called' }),
      hop('inventory', {
        relation: 'server', state: 'failing', since: '2026-11-29T00:15:40.000Z',
        faults: [fault({ kind: 'slow', seen_by: 'client', value: 1.9, before: 0.02 })],
      }),
    ],
    origin: 2,
  }, now);
  assert.equal(text, 'shop → be_inventory → inventory: calls take 1.9 s, before 20 ms ' +
    'since 00:15:40 UTC');
});

test('each kind of fault has its numbers and labels in its text', () => {
  const told = (given: Partial<HopFault>): string =>
    hopText(hop('x', { state: 'failing', faults: [fault(given)] }), now);
  assert.equal(told({}), 'x: down (pg_up is 0)');
  assert.equal(told({ kind: 'full', what: 'connections', value: 37, limit: 40 }),
    'x: 37 of 40 connections in use');
  assert.equal(told({
    kind: 'limit_lowered', what: 'memory', value: 141 * 2 ** 20, before: 400 * 2 ** 20,
    limit: 60 * 2 ** 20,
  }), 'x: the limit of its memory was lowered from 400 MiB to 60 MiB, 141 MiB in use');
  assert.match(told({ kind: 'fails', value: 3.2, labels: { error: 'ECONNREFUSED' } }),
    /3\.2\/s requests fail \(error ECONNREFUSED\)/u);
  assert.match(told({ kind: 'no_consumer', value: 0, labels: { queue: 'orders' } }),
    /no consumer \(queue orders\)/u);
  assert.equal(told({ kind: 'locked', what: 'table', value: 1, labels: { datname: 'shop' } }),
    'x: a lock keeps everybody from a table (datname shop)');
  assert.equal(told({ kind: 'slow', value: 0.4, before: 0.05, rate: 38, rate_before: 6 }),
    'x: requests take 400 ms, before 50 ms, at 38/s instead of 6/s');
});

test('a hop is told in two, with its time unless the problem began then', () => {
  const failing = hop('db', {
    state: 'failing', since: '2026-11-29T00:15:40.000Z',
    faults: [fault({}), fault({ kind: 'fails', seen_by: 'client', value: 3 })],
  });
  const beganMs = Date.parse('2026-11-29T00:15:00Z');
  assert.deepEqual(hopTexts(failing, { now, beganMs }),
    ['db: down (pg_up is 0)', '3/s calls fail']);
  assert.equal(hopTexts(failing, { now, beganMs: beganMs - 60_000 })[1],
    '3/s calls fail since 00:15:40 UTC');
  assert.equal(hopTexts(hop('db'), { now, beganMs })[1], '');
});

test('a hop that works is told with what shows it, and one that is unknown by its name', () => {
  const works = { targets: { up: 1, total: 1 }, answers_probe: true, successes: 13 };
  assert.equal(hopText(hop('db', { state: 'innocent', works }), now),
    'db: is up, answers its probe and 13/s calls succeed');
  assert.equal(hopText(hop('db'), now), 'db');
});

test('a name of a hop cannot reorder the text around it', () => {
  assert.doesNotMatch(pathText({ hops: [hop('a\u202eb'), hop('c\nd')], origin: null }, now),
    /[\u202e\n]/u);
});

test('a path of a single hop is told once', () => {
  const only = hop('postgres', { state: 'failing', faults: [fault({ value: 0 })] });
  const points = pathPoints(sampleReport({ path: { hops: [only], origin: 0 } }));
  assert.deepEqual(points.map(({ line, more }) => [line.length, more.length]), [[1, 0]]);
  const both = { hops: [hop('shop'), only], origin: 1 };
  assert.deepEqual(pathPoints(sampleReport({ path: both })).map(({ more }) => more.length), [1]);
});
