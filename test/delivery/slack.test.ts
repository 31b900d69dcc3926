import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewsKind } from '../../src/delivery/chat-news.ts';
import { slack } from '../../src/delivery/slack.ts';
import type { Report } from '../../src/report/report.ts';
import { naughtyStrings, withEveryText } from '../support/samples/hostile-report.ts';
import { sampleReport } from '../support/samples/sample-report.ts';

const url = 'https://alerts.example/report/3b1c2d4e5f60718a/3';

function textOf(report: Report, news: NewsKind = 'report'): string {
  const body = slack.message(report, { news, url });
  const message = JSON.parse(body) as Record<string, unknown>;
  const { text, ...unfurling } = message;
  assert.deepEqual(unfurling, { unfurl_links: false, unfurl_media: false });
  assert.equal(typeof text, 'string');
  return String(text);
}

test('slack.message() has name, place, words of the author, headline, cause and first step', () => {
  const { alert, ...rest } = sampleReport();
  const report = { ...rest, alert: { ...alert, name: 'HighLatency', labels: {
    alertname: 'HighLatency', severity: 'critical', namespace: 'shop', pod: 'web-1',
  } }, incident: null };
  assert.equal(textOf(report), [
    `◆ *<${url}|HighLatency>* critical · web-1 in shop`,
    '“Checkout is slow”',
    'P95 latency is 1.9 s, 3.8 times its threshold of 500 ms, and still rising.',
    'Most likely: database connections are exhausted on orders-db since 01:09 UTC (likely)',
    `<${url.slice(0, -1)}2|Last time> (13 Nov 01:20 UTC, 24 min): ` +
      'orders-db had a bad disk. Replaced it, see INC-77',
    'First: See who holds the connections of orders-db.',
  ].join('\n'));
});

test('slack.message() of an end says how long it lasted, without a first step', () => {
  const report = sampleReport();
  const episode = {
    ...report.episode, state: 'resolved', ends_at: '2026-11-20T01:26:10Z',
  } as const;
  const text = textOf({ ...report, episode, incident: null }, 'end');
  assert.match(text, /^✓ \*<[^>]+>\* ended after 12 min/);
  assert.doesNotMatch(text, /First:|incident/);
});

test('slack.message() links to the incident', () => {
  const incident = {
    id: 'i', url: 'https://alerts.example/incident/i', members: ['a', 'b', 'c'],
    likely_origin: null,
  };
  const text = textOf({ ...sampleReport(), incident });
  assert.match(text, /^Part of <https:\S+\/incident\/i\|an incident> of 3 alerts$/m);
  assert.match(textOf({ ...sampleReport(), incident }, 'origin'),
    /^The likely origin of <https:\S+\/incident\/i\|an incident> of 3 alerts$/m);
});

test('slack.message() of an end says that the incident is over', () => {
  const incident = {
    id: 'i', url: 'https://alerts.example/incident/i', members: ['a', 'b', 'c'],
    likely_origin: null,
  };
  const text = textOf({ ...sampleReport(), incident }, 'end');
  assert.match(text, /^<https:\S+\/incident\/i\|Its incident of 3 alerts> is over$/m);
});

test('slack.message() of an alert that flaps says that it is the last for now', () => {
  const text = textOf({ ...sampleReport(), incident: null }, 'flaps');
  assert.match(text, /^◆ \*<[^>]+>\* critical, flapping · /);
  assert.match(text, /\nNothing more is posted about it until it is steady\.$/);
});

test('slack.digest() counts incidents by severity, the worst first', () => {
  const base = 'https://alerts.example/';
  const textIn = (...args: Parameters<typeof slack.digest>): unknown =>
    (JSON.parse(slack.digest(...args)) as { text: unknown }).text;
  assert.equal(
    textIn({ firing: ['info', 'critical', 'info', 'unknown'], ended: 2, url: base }),
    'News of 6 more incidents: ◆ 1 critical, ■ 2 info, ▬ 1 without a known severity, ' +
      `✓ 2 ended\n<${base}|All reports>`);
  assert.equal(textIn({ firing: ['warning'], ended: 0, url: base }),
    `News of 1 more incident: ▲ 1 warning\n<${base}|All reports>`);
});

test('slack.message() omits what is unknown and what it has said', () => {
  const report = sampleReport();
  const headline = 'A: Firing since 02:14 UTC.';
  const annotations = { summary: 'An alert a' };
  const verdict = { ...report.verdict, headline, gist: '', most_likely: null, do_first: null };
  const text = textOf({
    ...report, verdict, next_steps: [], incident: null,
    history: { ...report.history, last_said: null },
    alert: {
      ...report.alert, name: 'A', severity: null, labels: { alertname: 'A' }, annotations,
    },
  });
  assert.match(text, /^\S+ \*<[^>]+\|A>\* no known severity$/);
});

test('slack.message() lets no text from outside mention, link or break its markup', () => {
  const ofChats = [
    '<!channel>', '<@U1>', 'a|b>c', '@channel', '.@here', '_@all_', '![a](https://b)',
    'https://evil.example/login', '_http://evil.example_', 'www.evil.example', '(WWW.evil.example)',
    'https:/http:///evil.example',
    'x'.repeat(5_000),
  ];
  for (const hostile of [...naughtyStrings(), ...ofChats]) {
    const report = withEveryText(sampleReport(), () => hostile);
    const labels = { alertname: hostile, severity: hostile, namespace: hostile, pod: hostile };
    const text = textOf({ ...report, incident: null, alert: { ...report.alert, labels } });
    const links = text.match(/<[^>]*>/gu) ?? [];
    const told = [`<${url}|`, `<${url.slice(0, -1)}2|`];
    assert.deepEqual(links.map((link) => link.slice(0, url.length + 2)), told, text);
    assert.equal(text.replace(/<[^>]*>/gu, '').match(/[<>`]/gu), null, text);
    assert.doesNotMatch(text, /(?<![a-z\d])@\w|\]\(/i, text);
    assert.doesNotMatch(text.replace(/<[^>]*>/gu, ''), /:\/\/|\bwww\./i, text);
    assert.doesNotMatch(text, /(?!\n)[\p{Cc}\p{Cs}\u202a-\u202e]/u, text);
    assert.ok(text.length < 10_000, `${text.length}`);
  }
});

test('slack.message() has what holds of a narrative, and one sentence as unchecked', () => {
  const { narrative } = sampleReport();
  assert.ok(narrative.state === 'present');
  const claim = { text: 'Connections <of> db: rose.', evidence: ['E3'], verified: true };
  const report = sampleReport({ narrative: {
    ...narrative, text: 'It ran full at 198 @here. Then it failed.',
    asserted: { made: 5, held_at_first: 5, held: 5 },
    claims: Array.from({ length: 5 }, () => claim),
  } });
  const lines = [
    ...Array.from({ length: 3 }, () => '✓ Connections &lt;of&gt; db: rose.'),
    "The model's reading, not checked: It ran full at 198 @\u2060here.",
  ];
  assert.equal(textOf(report, 'narrative').split('\n').slice(2).join('\n'), lines.join('\n'));
  assert.ok(textOf(report).includes(lines.join('\n')));
  assert.doesNotMatch(textOf(sampleReport()), /✓|not checked/, 'of an earlier version');
});
