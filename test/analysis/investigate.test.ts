import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { labelOf } from '../../src/alert/labels.ts';
import { parseNotification } from '../../src/alert/notification.ts';
import { investigate } from '../../src/analysis/investigate.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import type { Progress } from '../../src/report/report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import {
  aCaseFile, capturedCases, caseNow, investigated, noSources, openAlert, pastEpisode,
} from '../support/samples/case-files.ts';

const capturedAt = Date.parse('2026-11-20T16:10:00Z');

test('investigate throws the reason of an aborted signal, at once or between steps', async () => {
  const clock = new ManualClock(caseNow);
  const reason = new Error('deadline');
  const aborted = AbortSignal.abort(reason);
  const context = { clock, version: '1', sources: noSources, onProgress: () => {} };
  await assert.rejects(investigate(aCaseFile(), { ...context, signal: aborted }), reason);
  const controller = new AbortController();
  const steps: string[] = [];
  const onProgress = ({ step, done }: Progress): void => {
    steps.push(step);
    if (done === 1) controller.abort(reason);
  };
  const running = investigate(aCaseFile(), { ...context, onProgress, signal: controller.signal });
  await assert.rejects(running, reason);
  assert.equal(steps.length, 2);
});

test('investigate tells its progress in order', async () => {
  const seen: Progress[] = [];
  await investigate(aCaseFile(), {
    clock: new ManualClock(caseNow), version: '1', sources: noSources,
    signal: new AbortController().signal,
    onProgress: (progress) => seen.push(progress),
  });
  assert.deepEqual(seen.map(({ done, of }) => `${done}/${of}`), ['0/4', '1/4', '2/4', '3/4']);
});

test('investigate makes a complete report of every captured notification', async () => {
  const folder = join(process.cwd(), 'test/fixtures/payloads');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?:alertmanager|prometheus)-.*\.json$/u.test(file));
  assert.ok(files.length >= 20, `${files.length} files`);
  for (const file of files) {
    const cases = capturedCases(file, capturedAt);
    assert.ok(cases.length > 0, file);
    for (const caseFile of cases) {
      const report = await investigated(caseFile, capturedAt);
      assertCompleteReport(report);
      assert.equal(report.status, caseFile.alert.status === 'resolved' ? 'final' : 'ready', file);
    }
  }
});

test('investigate says what is known of a captured alert', async () => {
  const [caseFile] = capturedCases('alertmanager-0.33.1/firing-single.json', capturedAt);
  assert.ok(caseFile);
  const report = await investigated(caseFile, capturedAt);
  assert.equal(
    report.verdict.headline,
    '“Error ratio above 5% on checkout-api”. Firing since 15:31 UTC.',
  );
  assert.equal(report.verdict.classification, 'actionable');
  assert.match(report.verdict.do_first ?? '', /^Open the runbook/u);
  assert.deepEqual(report.alert.links.map(({ title }) => title), [
    'Runbook', 'Prometheus', 'Alertmanager', 'Silence',
  ]);
});

test('investigate gives the same bytes for the same case at the same moment', async () => {
  const [caseFile] = capturedCases('alertmanager-0.33.1/firing-group-of-5.json', capturedAt);
  assert.ok(caseFile);
  const [one, two] = [await investigated(caseFile), await investigated(structuredClone(caseFile))];
  assert.equal(JSON.stringify(one), JSON.stringify(two));
});

test('investigate closes an episode that was never seen firing', async () => {
  const alert = anAlert({ status: 'resolved', endsAt: '2026-11-20T10:12:30Z' });
  const earlier = [30, 60, 90, 120].map((hours, index) => pastEpisode(4 - index, hours, 3));
  const report = await investigated(aCaseFile({ alert, earlier }));
  assertCompleteReport(report);
  assert.equal(report.status, 'final');
  assert.equal(report.verdict.classification, 'recovered');
  assert.match(report.verdict.headline, /Recovered 10:12 UTC after 12 min\.$/u);
  assert.deepEqual(report.resolution, {
    ended_at: '2026-11-20T10:12:30.000Z',
    duration_seconds: 750,
    value_at_end: null,
    changes: [{
      text: 'It lasted 12 min, longer than 4 of 4 earlier episodes.', evidence: ['E5'],
    }],
    hypothesis_held: null,
  });
});

test('investigate tells when no earlier episode was shorter', async () => {
  const earlier = [30, 60, 90, 120].map((hours, index) => pastEpisode(4 - index, hours, 300));
  const { findings } = await investigated(aCaseFile({ earlier }));
  const texts = findings.map(({ text }) => text);
  const said = 'It has fired for 30 min, no longer than any of 4 earlier episodes.';
  assert.ok(texts.includes(said), texts.join('\n'));
});

test('investigate reads twelve earlier episodes', async () => {
  const earlier = Array.from({ length: 12 }, (_, index) => {
    return pastEpisode(12 - index, 7.5 + 24 * index, 20);
  });
  const episode = { ...aCaseFile().episode, number: 13 };
  const report = await investigated(aCaseFile({ earlier, episode }));
  assertCompleteReport(report);
  assert.equal(report.episode.of, 13);
  assert.equal(report.history.episodes.length, 13);
  assert.deepEqual([report.history.last_24h, report.history.last_7d], [2, 8]);
  assert.equal(report.history.median_duration_seconds, 1200);
  assert.equal(report.history.self_resolved_share, 0);
  assert.equal(report.history.rhythm, 'usually around 03:00 UTC');
  assert.ok(report.findings.some(({ text }) => {
    return text === 'It has fired for 30 min, longer than 12 of 12 earlier episodes.';
  }));
  assert.equal(report.history.episodes[1]?.report_url.endsWith('/12'), true);
});

test('investigate stays complete with clocks that disagree', async () => {
  const cases: readonly [string, string][] = [
    ['begins in the future', '2026-11-21T10:00:00Z'],
    ['began before the epoch', '1960-01-01T00:00:00Z'],
    ['has an offset', '2026-11-20T12:00:00.123456789+02:00'],
  ];
  for (const [name, startsAt] of cases) {
    const report = await investigated(aCaseFile({ alert: anAlert({ startsAt }) }));
    assertCompleteReport(report);
    assert.equal(report.episode.starts_at, startsAt, name);
  }
  const ahead = anAlert({ startsAt: '2026-11-21T10:00:00Z' });
  const future = await investigated(aCaseFile({ alert: ahead }));
  assert.ok(future.findings.some(({ text }) => text.includes('the clocks differ')));
  assertCompleteReport(await investigated(aCaseFile(), Date.parse('2020-01-01T00:00:00Z')));
  const backwards = anAlert({ status: 'resolved', endsAt: '2026-11-20T09:00:00Z' });
  const ended = await investigated(aCaseFile({ alert: backwards }));
  assertCompleteReport(ended);
  assert.equal(ended.resolution?.duration_seconds, 0);
});

test('investigate makes a complete and bounded report of hostile labels', async () => {
  const long = 'x9 '.repeat(21_000);
  const texts = [
    long, '\u0000', '\u202e\n', '\u0000\u001b[31m', '\u202egnp.exe', '\ud800', '<script>',
    `'"\`$(id)`, '',
  ];
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'pod', 'instance'];
  for (const value of texts) {
    const members = [...names, 'alertname', 'severity', 'namespace'].map((name) => [name, value]);
    const body = `{${members.map((pair) => pair.map((t) => JSON.stringify(t)).join(':')).join()}}`;
    const alerts = [{
      labels: JSON.parse(body) as unknown, annotations: JSON.parse(body) as unknown,
      generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(value.replace(/\ud800/gu, ''))}`,
    }];
    const { alerts: [alert], group } = parseNotification({ alerts }, caseNow);
    assert.ok(alert);
    const openAlerts = [{ ...openAlert(alert.labels, -60) }];
    const report = await investigated(aCaseFile({ alert, group, openAlerts, sameNameOpen: 1 }));
    assertCompleteReport(report);
    assert.equal(labelOf(report.alert.labels, '__proto__'), value);
    assert.doesNotMatch(report.verdict.headline, /[\p{Cc}\u202e]/u);
  }
});

test('investigate bounds a report of the largest alert there may be', async () => {
  const big = Object.fromEntries(
    Array.from({ length: 256 }, (_, index) => [`label_${index}`, '7 %é'.repeat(13_000)]),
  );
  const alert = anAlert({ labels: { ...big, alertname: 'Big' }, annotations: big });
  const openAlerts = Array.from({ length: 500 }, (_, index) => {
    return openAlert({ alertname: 'Big', instance: `i${index}` }, 0);
  });
  const earlier = Array.from({ length: 720 }, (_, index) => pastEpisode(720 - index, index + 1, 2));
  const report = await investigated(aCaseFile({ alert, openAlerts, earlier, sameNameOpen: 500 }));
  assertCompleteReport(report);
  const own = { ...report, alert: { ...report.alert, labels: {}, annotations: {} } };
  assert.ok(JSON.stringify(own).length < 200_000, `${JSON.stringify(own).length}`);
});

test('investigate reports an alert without a name', async () => {
  const caseFile: CaseFile = aCaseFile({ alert: anAlert({ labels: {}, startsAt: null }) });
  const report = await investigated(caseFile);
  assertCompleteReport(report);
  assert.equal(report.alert.name, 'Unknown');
  assert.equal(report.verdict.headline, 'Unknown. Firing since 10:00 UTC.');
});
