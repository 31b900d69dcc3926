import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKin } from '../../../src/diagnosis/causes/kinship.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import { concluded } from '../../support/samples/metric-facts.ts';

test('isKin() takes no part of another machine for the alert\'s own, as every one has it', () => {
  const labels = { alertname: 'InterfaceErrors', host: 'edge-7', device: 'eth1' };
  const { situation } = concluded(aCaseFile({ alert: anAlert({ labels }) }), {});
  const isKinOf = (host: string): boolean =>
    isKin({ host, device: 'eth1', instance: `${host}:9100` }, host, situation);
  assert.deepEqual([isKinOf('edge-7'), isKinOf('edge-9')], [true, false]);
  assert.ok(isKin({ device: 'eth1' }, 'x', situation), 'of an unknown machine');
});

test('isKin() finds what is named after a thing of the path, not what only begins so', () => {
  const { situation } = concluded(aCaseFile(), { path: { origin: null, hops: [{
    component: 'search/ranker', relation: 'called', labels: {}, state: 'failing', since: null,
    faults: [], evidence: [], works: null,
  }] } });
  const isKinOf = (flag: string): boolean => isKin({ flag_key: flag }, 'flags', situation);
  assert.deepEqual(['ranker_v3', 'ranker', 'rankers', 'banner'].map(isKinOf),
    [true, true, false, false]);
});
