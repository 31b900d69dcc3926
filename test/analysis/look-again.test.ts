import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookAgainAt } from '../../src/analysis/look-again.ts';
import { Ledger } from '../../src/evidence/ledger.ts';
import type { ChangeAtEnd } from '../../src/evidence/metric-facts.ts';
import { latencyCase, someFacts } from '../support/metric-facts.ts';

const minute = 60_000;
const end = Date.parse('2026-11-20T10:20:00Z');
const endsAt = new Date(end).toISOString();
const { alert, episode } = latencyCase();
const ended = latencyCase({
  alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
});

const rows: readonly (readonly [ChangeAtEnd['state'], minutes: number, expected: number | null])[] =
  [['unsettled', 1, end + 5 * minute], ['unsettled', 5, null], ['unsettled', 30, null],
    ['back', 1, null], ['changed', 1, null], ['partly', 1, null], ['unseen', 1, null]];
for (const [state, minutes, expected] of rows) {
  const then = expected === null ? 'does not look again' : 'looks again';
  test(`lookAgainAt ${then} ${minutes} min after an end at which a change is ${state}`, () => {
    const facts = someFacts(new Ledger(), { atEnd: { settled: { state: 'back' }, a: { state } } });
    assert.equal(lookAgainAt(ended, facts, end + minutes * minute), expected);
  });
}

test('lookAgainAt has no reason to look again where nothing had changed', () => {
  assert.equal(lookAgainAt(ended, someFacts(new Ledger()), end + minute), null);
  assert.equal(lookAgainAt(ended, null, end + minute), null);
});
