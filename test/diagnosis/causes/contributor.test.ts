import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InsideFacts } from '../../../src/evidence/inside-fact.ts';
import type { Hypothesis } from '../../../src/report/report.ts';
import {
  concluded, latencyCase, moving, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

const warehouse: Omit<InsideFacts, 'evidence'> = {
  isWhole: true, unit: 'count',
  finding: {
    kind: 'leaders', direction: 'rise', measured: 'amount', whole: { before: 5, after: 37 },
    leaders: [
      { label: 'datname', values: ['warehouse'], of: 5, share: 1, before: 1, after: 33 },
    ],
  },
};
const slow: Omit<InsideFacts, 'evidence'> = {
  isWhole: true, unit: 'seconds',
  finding: {
    kind: 'leaders', direction: 'rise', measured: 'mean', whole: { before: 0.01, after: 0.2 },
    leaders: [
      { label: 'route', values: ['/search'], of: 5, share: 0.99, before: 0.015, after: 0.98 },
    ],
  },
};
const blocked = { 'event-loop': { samples: [0.9], query: 'max(lag_seconds)' } };

function causesOf(over: FactsOver): readonly Hypothesis[] {
  return concluded(latencyCase(), over).hypotheses;
}

test('the cause that a test supports says who makes the value rise, in numbers', () => {
  const [first, ...others] = causesOf({ answers: blocked, inside: warehouse });
  assert.equal(first?.detail, 'datname warehouse has 33 of 37, 1 before');
  assert.ok(first.cause.endsWith(`: ${first.detail}`));
  assert.ok(first.for.some(({ text }) => text.includes('datname warehouse')));
  assert.ok(others.every(({ detail }) => detail === undefined));
});

test('of a latency the cause says what has become slow, by its mean', () => {
  const [first] = causesOf({ answers: blocked, inside: slow });
  assert.equal(first?.detail, 'route /search takes 980 ms on average, 15 ms before');
});

test('where nothing says why, who makes the value rise is a possible cause', () => {
  const [first] = causesOf({ inside: warehouse });
  assert.equal(first?.certainty, 'possible');
  assert.match(first.cause, /^Datname warehouse has 33 of 37/u);
});

test('the one series that decided the test of a cause names it', () => {
  const place = { labels: { job: 'web' }, target: {}, added: [] };
  const named = { job: 'web', instance: 'web-2:80', pool: 'orders' };
  const [first] = causesOf({
    place, answers: { 'event-loop': { ...blocked['event-loop'], named } },
  });
  assert.equal(first?.detail, 'instance web-2:80, pool orders');
});

test('who makes only a part of the rise is not named in the cause', () => {
  const told = { ...warehouse.finding } as Extract<InsideFacts['finding'], { kind: 'leaders' }>;
  const part = { ...told, leaders: told.leaders.map((each) => ({ ...each, share: 0.7 })) };
  const [first] = causesOf({ answers: blocked, inside: { ...warehouse, finding: part } });
  assert.equal(first?.detail, undefined);
});

/** What a database of the alert's shows of its clients, and a release of one of them. */
function withClient(client: string, instance = 'db-1:9187'): FactsOver {
  return {
    answers: blocked, inside: warehouse,
    place: { labels: { job: 'postgres', instance: 'db-1:9187' }, target: {}, added: [] },
    candidates: [moving('db', 'sessions', {
      before: 1, after: 33, labels: { instance, job: 'postgres', application_name: client },
    })],
    events: [{
      kind: 'version', atMs: problemBegan - 49_000, before: '0.9.0', after: '0.9.1',
      component: { label: 'job', value: 'reporting' }, text: 'reporting changed',
    }],
  };
}

test('the release of a client that the store names is told with the cause', () => {
  const released = '; reporting went from 0.9.0 to 0.9.1 49 s before the problem';
  const detailOf = (over: FactsOver): string => causesOf(over)[0]?.detail ?? '';
  assert.ok(detailOf(withClient('reporting')).endsWith(released));
  assert.ok(!detailOf(withClient('mailer')).includes('0.9.1'), 'of another client');
  assert.ok(!detailOf(withClient('reporting', 'db-2:9187')).includes('0.9.1'), 'of another store');
});

test('a kind of what is done makes nothing rise', () => {
  const collections = {
    ...warehouse, finding: { ...warehouse.finding, leaders: [
      { label: 'action', values: ['major'], of: 5, share: 1, before: 1, after: 33 },
    ] },
  } as Omit<InsideFacts, 'evidence'>;
  assert.notEqual(causesOf({ inside: collections })[0]?.kind, 'contributor');
});
