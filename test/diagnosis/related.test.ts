import assert from 'node:assert/strict';
import test from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import {
  labelSimilarity, sharedLabels, topologySimilarity,
} from '../../src/alert/similarity.ts';
import type { OpenAlert } from '../../src/report/case-file.ts';
import { relatedAlerts } from '../../src/diagnosis/related.ts';
import { scopeWord } from '../../src/diagnosis/scope.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, investigated, openAlert } from '../support/samples/case-files.ts';

const pod = { alertname: 'A', namespace: 'shop', pod: 'api-1', node: 'n1', severity: 'critical' };

test('labelSimilarity weighs what names the object above the rest', () => {
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

test('relatedAlerts is bounded and in a fixed order', () => {
  const openAlerts = Array.from({ length: 900 }, (_, index) => {
    return openAlert({ ...pod, alertname: `A${index % 450}`, instance: `${index}` }, 0);
  });
  const forward = relatedAlerts(aCaseFile({ alert: anAlert({ labels: pod }), openAlerts }));
  assert.equal(forward.length, 20);
  assert.deepEqual(forward, forward.toSorted((a, b) => b.similarity - a.similarity));
});

test('scopeWord grows with the number of alerts', () => {
  const cases = [[1, 'single'], [2, 'few'], [4, 'few'], [5, 'many'], [20, 'broad']] as const;
  for (const [count, word] of cases) assert.equal(scopeWord(count), word);
});

test('the scope of an alert that names no object is unknown', async () => {
  const scopeOf = async (labels: LabelSet, openAlerts: readonly OpenAlert[]): Promise<unknown> =>
    (await investigated(aCaseFile({ alert: anAlert({ labels }), openAlerts }))).impact.scope;
  const bare = { alertname: 'ErrorRateHigh', severity: 'critical' };
  assert.equal(await scopeOf(bare, []), null);
  assert.equal(await scopeOf({ ...bare, service: 'api' }, []), 'single');
});

test('timelineOf tells alerts of one name that begin together in one line', async () => {
  const other = (alertname: string, name: string, secondsLater: number): OpenAlert =>
    openAlert({ ...pod, alertname, pod: name, instance: name }, secondsLater);
  const report = await investigated(aCaseFile({
    alert: anAlert({ labels: pod }),
    openAlerts: [
      other('Down', 'b', 170), other('Down', 'c', 150), other('Down', 'd', -160),
      other('Slow', 'e', 5),
    ],
  }));
  const lines = report.timeline.filter(({ kind }) => kind === 'related');
  assert.deepEqual(lines.map(({ at, text }) => [at.slice(11, 19), text.replace(/\. .*/u, '')]), [
    ['09:57:20', 'Down begins'],
    ['10:00:05', 'Slow begins'],
    ['10:02:30', '2 Down alerts begin within 20 s'],
  ]);
});
