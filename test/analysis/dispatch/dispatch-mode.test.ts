import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  nextDispatchMode, type DispatchMode,
} from '../../../src/analysis/dispatch/dispatch-mode.ts';

type DispatchEvent = Parameters<typeof nextDispatchMode>[1];

function after(...events: readonly DispatchEvent[]): DispatchMode {
  return events.reduce<DispatchMode>(nextDispatchMode, 'open');
}

test('a report that cannot be stored pauses analyses until a wait is over or one is stored', () => {
  assert.equal(after('lost'), 'paused');
  assert.equal(after('lost', 'lost'), 'paused');
  assert.equal(after('lost', 'waited'), 'trying');
  assert.equal(after('lost', 'stored'), 'open');
  assert.equal(after('lost', 'waited', 'stored'), 'open');
  assert.equal(after('lost', 'waited', 'lost'), 'paused');
});

test('a wait that ends late changes nothing', () => {
  assert.equal(after('lost', 'stored', 'waited'), 'open');
  assert.equal(after('waited'), 'open');
});

test('once stopped, analyses stay stopped', () => {
  for (const before of [[], ['lost'], ['lost', 'waited']] as const) {
    for (const event of ['stored', 'lost', 'waited', 'stop'] as const) {
      assert.equal(after(...before, 'stop', event), 'stopped');
    }
  }
});
