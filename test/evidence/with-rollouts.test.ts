import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withRollouts } from '../../src/evidence/kubernetes/rollouts.ts';
import { Ledger } from '../../src/evidence/ledger.ts';
import type { EventFact } from '../../src/evidence/metric-facts.ts';
import { someKubernetesFacts } from '../support/samples/kubernetes-facts.ts';
import { someFacts } from '../support/samples/metric-facts.ts';

const at = Date.parse('2026-01-02T03:00:00Z');
const minute = 60_000;

const rollout: EventFact = {
  kind: 'version', atMs: at, component: { label: 'deployment', value: 'cart' },
  subject: 'deployment cart', verb: 'rolled_out',
  text: 'deployment cart rolled out revision 2: image of cart from 1.8 to 1.9',
  before: '1.8', after: '1.9', labels: { namespace: 'shop', deployment: 'cart' }, isOfAlert: true,
  evidence: 'E1',
};

function eventsWith(measured: Partial<EventFact>): readonly string[] {
  const event = { ...rollout, text: 'measured', evidence: 'E2', ...measured };
  const metrics = { ...someFacts(new Ledger()), events: [event] };
  const kubernetes = someKubernetesFacts({ rollouts: [rollout] });
  return withRollouts(metrics, kubernetes)?.events.map(({ evidence }) => evidence) ?? [];
}

const rows: readonly (readonly [what: string, event: Partial<EventFact>, left: string[]])[] = [
  ['the same rollout, a scrape later', { atMs: at + minute }, ['E1']],
  ['the same on one of its pods',
    { component: { label: 'pod', value: 'cart-67c4c47d76-twbqp' }, atMs: at + minute }, ['E1']],
  ['its generation', { kind: 'config', atMs: at - minute }, ['E1']],
  ['one of another workload', { component: { label: 'deployment', value: 'cart-db' } },
    ['E2', 'E1']],
  ['an earlier one', { atMs: at - 20 * minute }, ['E2', 'E1']],
  ['a restart', { kind: 'restart', atMs: at + minute }, ['E1', 'E2']],
];
for (const [what, event, left] of rows) {
  const does = left.length === 1 ? 'stands for' : 'leaves beside it';
  test(`withRollouts() ${does} what metrics say of ${what}`, () => {
    assert.deepEqual(eventsWith(event), left);
  });
}

test('withRollouts() stays null without metrics', () => {
  assert.equal(withRollouts(null, someKubernetesFacts({ rollouts: [rollout] })), null);
});
