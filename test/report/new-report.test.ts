import assert from 'node:assert/strict';
import test from 'node:test';
import { failedReport, newReport } from '../../src/report/new-report.ts';
import { webAddress } from '../../src/report/web-address.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow, pastEpisode } from '../support/samples/case-files.ts';

const version = '1.2.3';

test('newReport() is complete in every status', () => {
  for (const status of ['queued', 'analysing', 'ready', 'final'] as const) {
    const report = newReport(aCaseFile(), { status, now: caseNow, version });
    assertCompleteReport(report);
    assert.equal(report.status, status);
    assert.equal(report.verdict.certainty, 'inconclusive');
    assert.equal(
      report.verdict.headline,
      'HighCPU on a:9100 has been firing since 10:00 UTC.',
    );
  }
});

test('newReport() has the progress, the history and the end of the case file', () => {
  const alert = anAlert({ status: 'resolved', endsAt: '2026-11-20T10:20:00Z' });
  const caseFile = aCaseFile({ alert, earlier: [pastEpisode(1, 30, 5)] });
  const progress = { step: 'Reading', done: 1, of: 4 };
  const report = newReport(caseFile, { status: 'analysing', now: caseNow, version, progress });
  assertCompleteReport(report);
  assert.deepEqual(report.progress, progress);
  assert.equal(report.episode.state, 'resolved');
  assert.equal(report.verdict.classification, 'recovered');
  assert.deepEqual([report.history.last_24h, report.history.last_7d], [1, 2]);
});

test('newReport() lists at most a hundred episodes but counts all', () => {
  const earlier = Array.from({ length: 700 }, (_, index) => pastEpisode(700 - index, index + 1, 1));
  const episode = { ...aCaseFile().episode, number: 701 };
  const caseFile = aCaseFile({ earlier, episode });
  const report = newReport(caseFile, { status: 'queued', now: caseNow, version });
  assert.equal(report.history.episodes.length, 100);
  assert.equal(report.history.last_30d, 701);
});

test('newReport() takes the time of receipt as the end of a resolved alert without one', () => {
  const alert = anAlert({ status: 'resolved', endsAt: null });
  const { episode } = newReport(aCaseFile({ alert }), { status: 'queued', now: caseNow, version });
  assert.equal(episode.ends_at, '2026-11-20T10:00:10.000Z');
});

test('failedReport() says what the alert says and why the analysis failed', () => {
  const reason = 'the worker died\nthree times.';
  const report = failedReport(aCaseFile({ attempts: 3 }), {
    now: caseNow, version, reason, hasModel: false,
  });
  assertCompleteReport(report);
  assert.equal(report.status, 'failed');
  assert.equal(
    report.verdict.headline,
    'HighCPU on a:9100 has been firing since 10:00 UTC. ' +
      'Its analysis failed: the worker died three times.',
  );
  assert.equal(report.provenance.attempts, 3);
  assert.equal(report.unknowns.length, 1);
  const reasonOf = (hasModel: boolean): string | null => {
    const { narrative } = failedReport(aCaseFile(), { now: caseNow, version, reason, hasModel });
    return narrative.state === 'absent' ? narrative.reason : null;
  };
  assert.deepEqual([true, false].map(reasonOf), ['failed', 'not_configured']);
});

test('alertLinks() reads addresses that are marked up, as for a chat', () => {
  const address = 'https://wiki.example/rb?a=1';
  for (const text of [`<${address}|Runbook>`, `<${address}>`, `[Runbook](${address})`,
    `<a href="${address}">Runbook</a>`, `Runbook: ${address}`]) {
    const alert = anAlert({ annotations: { runbook_url: text } });
    const [link] = newReport(aCaseFile({ alert }), {
      status: 'queued', now: caseNow, version,
    }).alert.links;
    assert.deepEqual([link?.kind, link?.url], ['runbook', address], text);
  }
});

test('alertLinks() has only valid web addresses, each once', () => {
  const alert = anAlert({
    labels: { alertname: 'A b', 'x.y': '"q"', job: '\ud800' },
    annotations: {
      runbook_url: 'javascript:alert(1)', dashboard: 'https://d.example/1',
      link: 'https://d.example/1', logs: 'http://[broken',
    },
    generatorURL: 'data:text/html,x',
    panelURL: 'https://g.example/p',
  });
  const group = { ...aGroup, externalURL: 'http://am.example/prefix/' };
  const { links } = newReport(aCaseFile({ alert, group }), {
    status: 'queued', now: caseNow, version,
  }).alert;
  assert.deepEqual(links.map(({ title }) => title), [
    'Dashboard', 'Panel', 'Alertmanager', 'Silence',
  ]);
  const silence = links.at(-1)?.url ?? '';
  assert.ok(silence.startsWith('http://am.example/prefix/#/silences/new?filter=%7B'));
  assert.equal(
    decodeURIComponent(silence.split('filter=')[1] ?? ''),
    '{alertname="A b",job="\\ud800","x.y"="\\"q\\""}',
  );
});

const graphs: readonly (readonly [string, string | null, string])[] = [
  [
    'http://p.example/x/graph?g0.expr=up+%3D%3D+0&g0.tab=1', '2026-11-20T10:00:00Z',
    'http://p.example/x/graph?g0.expr=up+%3D%3D+0&g0.tab=0&g0.range_input=2h'
      + '&g0.end_input=2026-11-20+10%3A30%3A00',
  ],
  ['http://p.example/graph?g0.expr=up', null, 'http://p.example/graph?g0.expr=up'],
  [
    'http://p.example/other?g0.expr=up', '2026-11-20T10:00:00Z',
    'http://p.example/other?g0.expr=up',
  ],
];

for (const [generatorURL, startsAt, expected] of graphs) {
  test(`the link to ${generatorURL} shows the time around ${startsAt}`, () => {
    const alert = anAlert({ generatorURL, startsAt });
    const { links } = newReport(aCaseFile({ alert }), { status: 'queued', now: caseNow, version })
      .alert;
    assert.deepEqual(links.find(({ title }) => title === 'Prometheus')?.url, expected);
  });
}

test('webAddress() refuses everything that is not http or https', () => {
  const long = `http://x/${'a'.repeat(9000)}`;
  for (const text of ['', 'x', 'ftp://x', 'javascript:1', '//x', 'http://', long]) {
    assert.equal(webAddress(text), null, text.slice(0, 20));
  }
  assert.equal(webAddress('HTTPS://Example.com'), 'https://example.com/');
});
