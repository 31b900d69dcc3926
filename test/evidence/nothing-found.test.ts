import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askKubernetes } from '../../src/evidence/kubernetes/ask-kubernetes.ts';
import { whyNothing } from '../../src/evidence/kubernetes/collect-kubernetes.ts';
import { nodes, type Kubernetes } from '../../src/sources/kubernetes/kubernetes.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow } from '../support/samples/case-files.ts';

/** What is said where the cluster has no nodes, apart from those that were not read. */
async function said(labels: Readonly<Record<string, string>>, unread: number): Promise<unknown> {
  const kubernetes: Kubernetes = {
    list: ({ plural }) => {
      return Promise.resolve({ items: [], omitted: plural === nodes.plural ? unread : 0 });
    },
    log: () => Promise.resolve([]),
  };
  const answers = await askKubernetes(aCaseFile({ alert: anAlert({ labels }) }), caseNow, {
    clock: new ManualClock(caseNow), signal: new AbortController().signal, deadlineMs: 2_500,
    open: () => kubernetes,
  });
  return whyNothing(answers)?.why;
}

test('nothingFound() denies only what was read', async () => {
  const node = { instance: '10.0.0.7:9100', job: 'node' };
  assert.equal(await said(node, 0), 'Kubernetes has no node 10.0.0.7.');
  assert.equal(await said(node, 50), 'Kubernetes has no node 10.0.0.7 among those that were read.');
  const pod = { namespace: 'shop', pod: 'cart-1' };
  assert.match(String(await said(pod, 50)), /^Kubernetes has no pod cart-1 .*in namespace shop\.$/);
  assert.match(String(await said({ alertname: 'A' }, 50)), /was not asked/);
});
