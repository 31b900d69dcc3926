import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../../src/alert/alert.ts';
import type { CaseFile, FoundBefore } from '../../src/report/case-file.ts';
import { foundIn } from '../../src/report/found-before.ts';
import type { Report } from '../../src/report/report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, investigated, openAlert } from '../support/samples/case-files.ts';
import { concluded, type FactsOver } from '../support/samples/metric-facts.ts';

const at = '2026-11-20T10:05:00.000Z';
const refused: FoundBefore = {
  at, cause: 'Nothing listens at its address: the connection is refused', mechanism: null,
  certainty: 'confirmed', statements: ['Prometheus says of its last scrape of a:1: refused.'],
};
const ended: Partial<CaseFile> = {
  alert: anAlert({
    labels: { alertname: 'TargetDown', instance: 'a:1' },
    status: 'resolved', endsAt: '2026-11-20T10:10:00Z',
  }),
};

async function endedAfter(foundBefore: FoundBefore | null): Promise<Report> {
  const report = await investigated(aCaseFile({ ...ended, foundBefore }));
  assertCompleteReport(report);
  return report;
}

test('what was confirmed while an alert fired stays so once it has ended', async () => {
  const report = await endedAfter(refused);
  const { verdict, hypotheses: [leading], evidence } = report;
  assert.equal(verdict.certainty, 'confirmed');
  assert.match(verdict.most_likely ?? '', /^Nothing listens at its address/);
  assert.equal(leading?.for[0]?.text, 'Prometheus says of its last scrape of a:1: refused ' +
    '(at 10:05 UTC, while the alert fired).');
  const item = evidence.find(({ id }) => leading.for[0]?.evidence.includes(id));
  assert.equal(item?.title, 'What explained the alert while it fired');
  // The next report is told the same, with the same time.
  assert.deepEqual(foundIn(JSON.parse(JSON.stringify(report)) as Report), refused);
});

test('what was likely stays so once the alert has ended', async () => {
  const { verdict } = await endedAfter({ ...refused, certainty: 'likely' });
  assert.equal(verdict.certainty, 'likely', 'no metrics at all');
});

test('an alert that was the same problem stays so once it has ended as well', async () => {
  const labels = { alertname: 'HighErrorRate', job: 'api' };
  const redis = { alertname: 'RedisDown', severity: 'critical', instance: 'redis-1:9121' };
  const firing = await investigated(aCaseFile({
    alert: anAlert({ labels }), openAlerts: [openAlert(redis, -18)],
  }));
  const { hypotheses: [before] } = firing;
  assert.match(before?.cause ?? '', /^The same problem as RedisDown /u);
  const alert = anAlert({ ...ended.alert, labels });
  const last = await investigated(aCaseFile({ alert, foundBefore: foundIn(firing) }));
  assert.equal(last.hypotheses[0]?.cause, before?.cause);
  assert.equal(last.verdict.certainty, 'possible');
  assertCompleteReport(last);
  assert.deepEqual(foundIn(last), foundIn(firing), 'the next report is told the same');
  // What else is possible does not come before it, what is likely does.
  const causeWith = (over: FactsOver): string | undefined =>
    concluded(aCaseFile({ alert, foundBefore: foundIn(firing) }), over).hypotheses[0]?.cause;
  assert.equal(causeWith({ answers: { 'traffic-peak': { samples: [9] } } }), before?.cause);
  const fails = { dependency: { samples: [1] } };
  assert.equal(causeWith({ answers: fails }), 'Something it calls fails');
});

test('an alert that was the same problem stays so while its effect fires on', async () => {
  const alert = anAlert({ labels: { alertname: 'HighErrorRate', job: 'api' } });
  const redis = { alertname: 'RedisDown', severity: 'critical', instance: 'redis-1:9121' };
  const openAlerts = [openAlert(redis, -18)];
  const first = await investigated(aCaseFile({ alert, openAlerts }));
  const before = foundIn(first);
  const causesWith = async (over: Partial<CaseFile>): Promise<Report> => {
    const report = await investigated(aCaseFile({ alert, foundBefore: before, ...over }));
    assertCompleteReport(report);
    return report;
  };
  const { hypotheses: [kept] } = await causesWith({});
  assert.equal(kept?.cause, first.hypotheses[0]?.cause);
  assert.match(kept?.for[0]?.text ?? '', / \(at \d\d:\d\d UTC\)\.$/u);
  // None stands out among several that are down.
  const down = ['KafkaDown', 'MongodbDown', 'MysqlDown'].map((alertname) =>
    openAlert({ ...redis, alertname }, -10));
  const { hypotheses: [other] } = await causesWith({ openAlerts: [...openAlerts, ...down] });
  assert.doesNotMatch(other?.cause ?? '', /^The same problem/u);
});

test('nothing is taken over from a report that established nothing', async () => {
  assert.equal((await endedAfter(null)).verdict.certainty, 'inconclusive');
  assert.equal(foundIn(await endedAfter(null)), null);
});

test('what moves at the end does not come before what was likely while the alert fired', () => {
  const foundBefore: FoundBefore =
    { ...refused, cause: 'Its disk is slow', certainty: 'likely', kind: 'component', about: ['a'] };
  const fails = { dependency: { samples: [1] } };
  const leading = (alert: Alert): string | undefined =>
    concluded(aCaseFile({ alert, foundBefore }), { answers: fails }).hypotheses[0]?.cause;
  const labels = { alertname: 'HighErrorRate', job: 'api' };
  assert.equal(leading(anAlert({ ...ended.alert, labels })), 'Its disk is slow');
  assert.equal(leading(anAlert({ labels })), 'Something it calls fails', 'while it fires');
});

test('what was found before is judged by what is known now, where all of that is known', () => {
  const causesAfter = (before: Partial<FoundBefore>, over: FactsOver): readonly string[] => {
    const foundBefore: FoundBefore = { ...refused, cause: 'Its disk is slow', ...before };
    const labels = { alertname: 'etcdMembersDown', job: 'etcd' };
    const alert = anAlert({ ...ended.alert, labels });
    const { hypotheses, report } = concluded(aCaseFile({ alert, foundBefore }), over);
    assertCompleteReport(report);
    return hypotheses.filter(({ for: support }) => support.some(({ text }) =>
      text.includes('while the alert fired'))).map(({ cause, test: check, mechanism }) =>
      `${cause}, ${mechanism ?? 'no mechanism'}, ${check === null ? 'no test' : 'test'}`);
  };
  assert.deepEqual(causesAfter({}, {}), ['Its disk is slow, no mechanism, test']);
  assert.deepEqual(causesAfter({ cause: 'Unheard of', mechanism: 'Known then' }, {}),
    ['Unheard of, Known then, no test']);
  const likely = { certainty: 'likely' } as const;
  assert.deepEqual(causesAfter(likely, {}), ['Its disk is slow, no mechanism, test']);
  assert.deepEqual(causesAfter(likely, { answers: { 'slow-disk': { samples: [0] } } }), []);
  assert.deepEqual(causesAfter(likely, { faults: [{}] }), ['Its disk is slow, no mechanism, test']);
  const fast = { 'slow-disk': { samples: [0] } };
  assert.deepEqual(causesAfter({}, { answers: fast }), [], 'ruled out by now');
});
