import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  KubernetesFacts, SignFact,
} from '../../../src/evidence/kubernetes/kubernetes-facts.ts';
import { caseNow } from '../../support/samples/case-files.ts';
import { someKubernetesFacts } from '../../support/samples/kubernetes-facts.ts';
import { concluded, latencyCase } from '../../support/samples/metric-facts.ts';

function said(over: Partial<KubernetesFacts>): readonly string[] {
  const kubernetes = someKubernetesFacts(over);
  return concluded(latencyCase(), null, { kubernetes }).findings.map(({ text }) => text);
}

const { pods } = someKubernetesFacts();

test('findingsOf says how many pods are ready, and names some of those that are not', () => {
  const cases: readonly (readonly [Partial<NonNullable<typeof pods>>, string])[] = [
    [{}, '2 of 2 pods of deployment cart are ready.'],
    [{ subject: 'pod cart-1', ready: 1, total: 1 }, 'The pod cart-1 is ready.'],
    [{ subject: 'pod cart-1', ready: 0, total: 1 }, 'The pod cart-1 is not ready.'],
    [{ ready: 0, total: 0, wanted: 3 }, 'Deployment cart has no pods; it asks for 3.'],
    [{ ready: 1, total: 6, wanted: 6, unreadyOthers: ['a', 'b', 'c', 'd', 'e'] },
      '1 of 6 pods of deployment cart are ready; not ready: a, b, c and 2 more.'],
  ];
  for (const [over, expected] of cases) {
    const texts = said({ pods: pods && { ...pods, ...over } });
    assert.ok(texts.includes(expected), texts.join('\n'));
  }
});

test('findingsOf tells of several pods in the plural', () => {
  const sign: SignFact = {
    kind: 'unfinished', who: '3 pods of job import', container: null, reason: 'Running',
    message: '', pods: 3, times: 0, exitCode: null, memoryLimit: null,
    sinceMs: caseNow - 60_000, lastMs: null, evidence: 'E1',
  };
  const of = (over: Partial<SignFact>): readonly string[] =>
    said({ signs: [{ ...sign, ...over }] });
  const running = '3 pods of job import have not finished (running since 10:29 UTC).';
  assert.ok(of({}).includes(running));
  assert.ok(of({ kind: 'gone', reason: 'Evicted', sinceMs: null })
    .includes('3 pods of job import were evicted.'));
  assert.ok(of({ kind: 'gone', reason: 'Shutdown', sinceMs: null })
    .includes('3 pods of job import have ended: Shutdown.'));
});
