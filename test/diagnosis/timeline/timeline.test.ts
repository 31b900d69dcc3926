import assert from 'node:assert/strict';
import test from 'node:test';
import type { OpenAlert } from '../../../src/report/case-file.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile, investigated, openAlert } from '../../support/samples/case-files.ts';
import {
  concluded, latencyCase, moving, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

test('timelineOf tells beginning, limit, changes and what was done, oldest first', () => {
  const { timeline, report } = concluded(latencyCase(), {
    rule: {}, own: { overSinceMs: problemBegan + 30_000 },
    candidates: [moving('orders-db', 'connections', { after: 198 }), moving('cart', 'a_bytes')],
    events: [{}],
    fired: {
      intervals: [
        { fromMs: problemBegan - 7_200_000, toMs: problemBegan - 7_000_000 },
        { fromMs: problemBegan + 300_000, toMs: problemBegan + 2_100_000 },
      ],
      pendingOnly: 0,
    },
  });
  assertCompleteReport(report);
  assert.deepEqual(timeline.map(({ kind, text }) => `${kind}: ${text}`), [
    'episode: An earlier episode begins and lasts 3 min 20 s.',
    'change: orders-db connections rose from 40 to 201',
    'change: image of checkout changed from 1 to 2',
    'note: The problem begins: the alert is pending.',
    'note: The value goes beyond its threshold and stays there.',
    'started: The alert starts firing.',
    'received: The notification arrives.',
  ]);
});

test('timelineOf tells what was released, however much else moved', () => {
  const { timeline } = concluded(latencyCase(), {
    events: [{}],
    candidates: Array.from({ length: 20 }, (_, index) =>
      moving(`db-${index}`, 'connections', { after: 198 })),
  });
  const changes = timeline.filter(({ kind }) => kind === 'change').map(({ text }) => text);
  assert.equal(changes.length, 12);
  assert.ok(changes.includes('image of checkout changed from 1 to 2'));
});

test('a value that was beyond its threshold before anybody looked has no beginning', () => {
  const { findings, timeline } = concluded(latencyCase(), { own: { wasOverBefore: true } });
  assert.ok(findings.some(({ text }) => text === 'Beyond its threshold since before 09:55 UTC.'));
  assert.ok(timeline.every(({ text }) => !text.startsWith('The value goes beyond')));
});

test('a beginning that nobody told is no moment, nor is that of no problem', () => {
  const begins = (over: FactsOver, caseFile = latencyCase()): number =>
    concluded(caseFile, over).timeline
      .filter(({ text }) => text.startsWith('The problem begins')).length;
  const untold: FactsOver = { rule: null, own: null, scrape: null, ranking: null };
  assert.equal(begins({ ...untold, source: { state: 'failed' } }), 0);
  assert.equal(begins(untold), 0);
  assert.equal(begins({ ...untold, rule: {} }), 1);
  const heartbeat = anAlert({ labels: { alertname: 'Watchdog' } });
  assert.equal(begins({ ...untold, rule: {} }, latencyCase({ alert: heartbeat })), 0);
});

test('timelineOf tells alerts of one name that begin together in one line', async () => {
  const pod = { alertname: 'A', namespace: 'shop', pod: 'api-1', node: 'n1', severity: 'critical' };
  const other = (alertname: string, name: string, secondsLater: number): OpenAlert =>
    openAlert({ ...pod, alertname, pod: name, instance: name }, secondsLater);
  const report = await investigated(aCaseFile({
    alert: anAlert({ labels: pod }),
    openAlerts: [
      other('Down', 'b', 170), other('Down', 'c', 150), other('Down', 'd', -160),
      other('Slow', 'e', 5), other('Full', 'f', 40), other('Full', 'g', -30),
    ],
  }));
  const lines = report.timeline.filter(({ kind }) => kind === 'related');
  assert.deepEqual(lines.map(({ at, text }) => [at.slice(11, 19), text.replace(/\. .*/u, '')]), [
    ['09:57:20', 'Down begins'],
    ['09:59:30', '2 Full alerts begin within 1 min 10 s'],
    ['10:00:05', 'Slow begins'],
    ['10:02:30', '2 Down alerts begin within 20 s'],
  ]);
});

test('timelineOf counts no more of a storm than it knows of', async () => {
  const report = await investigated(aCaseFile({
    alert: anAlert({ labels: { alertname: 'NodeDown', node: 'n1' } }),
    openAlerts: Array.from({ length: 30 }, (_, index) =>
      openAlert({ alertname: 'PodDown', node: 'n1', instance: `i${index}` }, index)),
  }));
  const [line] = report.timeline.filter(({ kind }) => kind === 'related');
  assert.match(line?.text ?? '', /^At least 20 PodDown alerts begin within \d+ s\. /u);
});
