import assert from 'node:assert/strict';
import test from 'node:test';
import { labelTelling } from '../../src/statistics/familiar-labels.ts';

test('labelTelling takes no label of who collected it for others', () => {
  const job = 'kube-state-metrics';
  const own = { job, container: job, instance: '10.0.0.1:80' };
  assert.equal(labelTelling([{ ...own, deployment: 'web' }]), 'deployment');
  assert.equal(labelTelling([{ pod: 'exporter-1', exported_pod: 'web-1' }]), 'exported_pod');
  assert.equal(labelTelling([{ app: 'exporter', exported_app: 'web' }]), 'exported_app');
  assert.equal(labelTelling([{ le: '1', uid: '7' }]), null);
  assert.equal(labelTelling([{ sloth_window: '5m' }]), null);
  assert.equal(labelTelling([{ pod: 'a', node: 'n' }], [{ pod: 'b', node: 'n' }]), 'pod');
  assert.equal(labelTelling([{ pod: 'a', node: 'n' }], [{ pod: 'a', node: 'm' }]), 'node');
});

test('labelTelling knows labels with the names of members', () => {
  assert.equal(labelTelling([{ constructor: 'c', a: '1' }, { a: '1' }] as never), null);
});
