import assert from 'node:assert/strict';
import test from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { jaccard, sharedLabels, topologySimilarity } from '../../src/alert/similarity.ts';
import { sharedWeight } from '../../src/alert/subject.ts';
import { relatedAlerts } from '../../src/diagnosis/related.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, openAlert } from '../support/samples/case-files.ts';

const pod = { alertname: 'A', namespace: 'shop', pod: 'api-1', node: 'n1', severity: 'critical' };

test('labels are weighed by what they name: the object above the rest', () => {
  const labelSimilarity = (a: LabelSet, b: LabelSet): number => {
    const { shared, total } = sharedWeight(a, b);
    return jaccard(shared, total);
  };
  assert.equal(labelSimilarity({}, {}), 0);
  assert.equal(labelSimilarity(pod, pod), 1);
  assert.equal(labelSimilarity({ pod: 'a' }, { pod: 'b' }), 0);
  // Shared pod 3 of a union of 3 + half of namespace's 2.
  assert.equal(labelSimilarity({ pod: 'a' }, { pod: 'a', namespace: 'x' }), 3 / 4);
  assert.equal(labelSimilarity({ replica: 'a' }, { replica: 'a' }), 0);
});

test('topologySimilarity knows the object, its node and its namespace', () => {
  const cases = [
    [pod, { ...pod, alertname: 'B' }, 1],
    [pod, { namespace: 'shop', pod: 'api-2', node: 'n1' }, 0.4],
    [pod, { node: 'n1' }, 0.8],
    [{ instance: 'n1:9100' }, pod, 0.8],
    [{ instance: 'a' }, { instance: 'a' }, 1],
    [{ instance: 'a' }, { instance: 'b' }, 0],
    [{ instance: '' }, { instance: '' }, 0],
  ] as const;
  for (const [a, b, expected] of cases) {
    assert.equal(topologySimilarity(a, b), expected, JSON.stringify([a, b]));
  }
});

test('sharedLabels does not read what objects inherit', () => {
  const hostile = JSON.parse('{"__proto__":"x","pod":"p"}') as Record<string, string>;
  assert.deepEqual(sharedLabels(hostile, { pod: 'p' }), ['pod p']);
});

test('relatedAlerts leaves out what is far away in time or in labels', () => {
  const alert = anAlert({ labels: pod });
  const found = relatedAlerts(aCaseFile({
    alert,
    openAlerts: [
      openAlert({ ...pod, alertname: 'Restarting' }, -120),
      openAlert({ ...pod, alertname: 'LongAgo', instance: 'x' }, -7200),
      openAlert({ alertname: 'Elsewhere', namespace: 'other', pod: 'z-1' }, 0),
      openAlert({ ...pod, alertname: 'Watchdog' }, 0),
      openAlert({ ...pod, alertname: 'Inhibitor', severity: 'none' }, 0),
      { ...openAlert(pod, 0), fingerprint: alert.fingerprint },
    ],
  }));
  assert.deepEqual(found.map(({ name }) => name), ['Restarting']);
  assert.equal(found[0]?.why, 'Same pod api-1 and node n1; began 2 min earlier.');
  assert.ok((found[0]?.similarity ?? 0) > 0.7 && (found[0]?.similarity ?? 1) <= 1);
  assert.equal(found[0]?.report_url, 'https://reports.example/report/Restarting-');
});

test('relatedAlerts leaves out objects of the same names in another cluster', () => {
  const alert = anAlert({ labels: { ...pod, cluster: 'a' } });
  const of = (cluster: string, index: number): CaseFile['openAlerts'][number] =>
    openAlert({ ...pod, alertname: 'B', ...(cluster !== '' && { cluster }) }, index);
  const openAlerts = ['a', 'b', ''].map(of);
  const found = relatedAlerts(aCaseFile({ alert, openAlerts })).map((each) => each.fingerprint);
  const [same, , unknown] = openAlerts.map((each) => each.fingerprint);
  assert.deepEqual(found.toSorted(), [same, unknown].toSorted());
});

test('relatedAlerts are at most 20, in an order that is not that of the open alerts', () => {
  const openAlerts = Array.from({ length: 400 }, (_, index) => {
    return openAlert({ ...pod, alertname: `A${index}`, instance: `${index % 3}` }, index % 7);
  });
  const alert = anAlert({ labels: { ...pod, instance: '1' } });
  const found = relatedAlerts(aCaseFile({ alert, openAlerts }));
  assert.equal(found.length, 20);
  assert.deepEqual(found, relatedAlerts(aCaseFile({ alert, openAlerts: openAlerts.toReversed() })));
});
