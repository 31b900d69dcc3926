import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { alertLinks } from '../../src/report/alert-links.ts';
import { renderReportPage } from '../../src/report/pages/render-report-page.ts';
import type { Report } from '../../src/report/report.ts';
import { unkeptReportBase } from '../../src/report/report-url.ts';
import { alertmanagerAddresses, silenceCommand } from '../../src/report/silence.ts';
import { renderMarkdown } from '../../src/report/text/render-markdown.ts';
import { renderText } from '../../src/report/text/render-text.ts';
import { cpuTimer } from '../support/cpu-timer.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { sampleNow, sampleReport } from '../support/samples/sample-report.ts';

function withLabels(labels: LabelSet, externalURL = 'http://am.example:9093/'): Report {
  const { alert } = sampleReport();
  const { silence } = alertmanagerAddresses(labels, externalURL);
  const links = [{ title: 'Silence', kind: 'silence', url: silence } as const];
  return sampleReport({ alert: { ...alert, labels, links } });
}

/** What a POSIX shell makes of a command, word by word. */
function wordsOf(command: string): string[] {
  const script = `printf '%s\\0' ${command}`;
  return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\0').slice(0, -1);
}

test('silenceCommand() is one shell word per matcher, whatever is in a label', () => {
  const labels = { alertname: 'A b', x: `'; rm -rf / #$(id)\`id\`"\\`, path: 'C:\\new\nline' };
  assert.deepEqual(wordsOf(silenceCommand(withLabels(labels)) ?? ''), [
    'amtool', 'silence', 'add', '--alertmanager.url=http://am.example:9093', '--duration=2h',
    '--comment=https://alerts.example/report/3b1c2d4e5f60718a/3',
    'alertname="A b"', 'path="C:\\\\new\\nline"', `x="'; rm -rf / #$(id)\`id\`\\"\\\\"`,
  ]);
});

test("an alert of Grafana leads to Grafana's own form, and no command is for it", () => {
  const silenceURL = 'https://grafana.example/alerting/silence/new?alertmanager=grafana';
  const links = alertLinks(anAlert({ silenceURL }), aGroup);
  assert.deepEqual(links.filter(({ url }) => url.includes('/#/')), []);
  assert.deepEqual(links.at(-1), { kind: 'silence', title: 'Silence', url: silenceURL });
  const { alert } = sampleReport();
  assert.equal(silenceCommand(sampleReport({ alert: { ...alert, links } })), null);
});

test('silenceCommand() has the alert\'s name as comment if its report is not stored', () => {
  const report_url = `${unkeptReportBase}/report/3b1c2d4e5f60718a/1`;
  const command = silenceCommand({ ...withLabels({ alertname: 'A b' }), report_url }) ?? '';
  assert.ok(wordsOf(command).includes(`--comment=${sampleReport().alert.name}`), command);
});

test('silenceCommand() is null if it could not be pasted or would not be understood', () => {
  const unfit = ['\u202egnp', '\u001b[2J', '\u0007', '\ud800'];
  for (const value of unfit) {
    assert.equal(silenceCommand(withLabels({ a: value })), null, JSON.stringify(value));
  }
  for (const name of ['\u202egnp', 'a\u0007']) {
    assert.equal(silenceCommand(withLabels({ [name]: 'x' })), null, JSON.stringify(name));
  }
  assert.equal(silenceCommand(withLabels({})), null);
  assert.equal(silenceCommand(sampleReport()), null);
});

function everyFormat(report: Report): Readonly<Record<string, string>> {
  const page = renderReportPage(report, { now: sampleNow });
  return {
    page: page.replaceAll('&#39;', "'").replaceAll('&quot;', '"'),
    Markdown: renderMarkdown(report), text: renderText(report, { color: false, width: 80 }),
  };
}

test('alertmanagerAddresses() keeps the prefix and encodes every matcher', () => {
  const { alerts, silence } = alertmanagerAddresses({ a: 'x&y=%"' }, 'http://am.example/p/#/x');
  const filter = encodeURIComponent('{a="x&y=%\\""}');
  assert.equal(alerts, `http://am.example/p/#/alerts?filter=${filter}`);
  assert.equal(silence.replace('silences/new', 'alerts'), alerts);
});

test('alertmanagerAddresses() quotes names that are not classic ones', () => {
  const filterOf = (name: string): string =>
    decodeURIComponent(alertmanagerAddresses({ [name]: 'x' }, '').alerts).replace(/^.*filter=/, '');
  assert.equal(filterOf('http_code2'), '{http_code2="x"}');
  for (const name of ['a.b', '2a', 'größe', '\u212a', '__proto__.']) {
    assert.equal(filterOf(name), `{"${name}"="x"}`);
  }
});

test('a silence has all labels of the alert and is shown whole, or it is not offered', () => {
  const labelsOf = (count: number): LabelSet => Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`label_team_${index}`, `team-${index}`]));
  const labels = { ...labelsOf(100), pod: 'web-1', severity: 'critical' };
  const words = wordsOf(silenceCommand(withLabels(labels)) ?? '');
  assert.equal(words.slice(6).length, 102);
  for (const matcher of ['pod="web-1"', 'severity="critical"']) assert.ok(words.includes(matcher));
  for (const [format, shown] of Object.entries(everyFormat(withLabels(labels)))) {
    assert.ok(shown.includes(silenceCommand(withLabels(labels)) ?? ''), `whole in ${format}`);
  }
  const externalURL = 'http://am.example';
  const titles = (count: number): string[] =>
    alertLinks(anAlert({ labels: labelsOf(count) }), { ...aGroup, externalURL })
      .map(({ title }) => title);
  assert.ok(titles(100).includes('Silence'));
  assert.ok(!titles(256).includes('Silence'), 'its address would be too long');
});

test('alertmanagerAddresses() is fast for an address full of slashes', () => {
  const cpuMs = cpuTimer();
  const { alerts } = alertmanagerAddresses({}, `http://am${'/'.repeat(100_000)}x//?q`);
  assert.match(alerts, /\/x\/#\/alerts\?filter=/u);
  assert.ok(cpuMs() < 1000);
});
