import assert from 'node:assert/strict';
import test from 'node:test';
import { distinguishingLabel } from '../../src/statistics/familiar-labels.ts';

test('distinguishingLabel takes no label of who collected it for others', () => {
  const job = 'kube-state-metrics';
  const own = { job, container: job, instance: '10.0.0.1:80' };
  assert.equal(distinguishingLabel([{ ...own, deployment: 'web' }]), 'deployment');
  assert.equal(distinguishingLabel([{ pod: 'exporter-1', exported_pod: 'web-1' }]), 'exported_pod');
  assert.equal(distinguishingLabel([{ app: 'exporter', exported_app: 'web' }]), 'exported_app');
  assert.equal(distinguishingLabel([{ le: '1', uid: '7' }]), null);
  assert.equal(distinguishingLabel([{ sloth_window: '5m' }]), null);
  assert.equal(distinguishingLabel([{ pod: 'a', node: 'n' }], [{ pod: 'b', node: 'n' }]), 'pod');
  assert.equal(distinguishingLabel([{ pod: 'a', node: 'n' }], [{ pod: 'a', node: 'm' }]), 'node');
});

test('distinguishingLabel knows labels with the names of members', () => {
  assert.equal(distinguishingLabel([{ constructor: 'c', a: '1' }, { a: '1' }] as never), null);
});
