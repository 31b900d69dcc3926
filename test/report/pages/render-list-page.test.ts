import assert from 'node:assert/strict';
import { test } from 'node:test';

import { everything } from '../../../src/report/list-filter.ts';
import { renderListPage } from '../../../src/report/pages/render-list-page.ts';
import { renderWaitingPage } from '../../../src/report/pages/render-notice-page.ts';
import type { ReportList } from '../../../src/report/report-list.ts';
import { brokenAnywhere } from '../../support/broken-anywhere.ts';
import { naughtyStrings } from '../../support/samples/hostile-report.ts';
import {
  alertRow, emptyList, incidentRow, listEntryOf, listOf, listPageOptions as options,
} from '../../support/samples/report-lists.ts';

test('renderListPage() shows what to configure until the first alert arrives', () => {
  const page = brokenAnywhere(renderListPage(emptyList, options));
  assert.match(page, /- url: https:\/\/alerts\.example\/base\/webhook\n/);
  assert.match(page, /continue: true/);
  assert.match(page, /send_resolved: true/);
  assert.match(page, /curl -H &#39;Content-Type/);
  assert.match(page, /data-copy-from="receiver".*data-copy-from="trial"/s);
  assert.match(page, /http-equiv="refresh" content="5"/);
  assert.doesNotMatch(page, /ACCESS_TOKEN|<form/);
});

test('renderListPage() shows where the token goes if one is needed', () => {
  const page = brokenAnywhere(renderListPage(emptyList, { ...options, needsToken: true }));
  assert.match(page, /type: Bearer\n +credentials: &lt;ACCESS_TOKEN&gt;/);
  assert.match(page, /curl -H &#39;Authorization: Bearer &lt;ACCESS_TOKEN&gt;&#39;/);
});

test('renderListPage() links each alert and says its state in words', () => {
  const page = renderListPage(listOf([alertRow({ notifications: 3 })]), options);
  assert.match(page, /<a href="https:\/\/alerts\.example\/base\/report\/abc\/2"/);
  assert.match(page, /<li class="row" id="https:\/\/alerts\.example\/base\/report\/abc\/2"/);
  for (const word of [
    'firing', 'critical', '12 min ago', 'Needs action', 'It is slow.', '3 notifications',
    'checkout-7d9f in payments',
  ]) assert.ok(page.includes(word), word);
});

test('renderListPage() shows the latest rating of a report', () => {
  assert.match(renderListPage(listOf([alertRow({ said: 'wrong' })]), options),
    /Needs action · rated wrong/);
});

test('renderListPage() folds the alerts of an incident and links its page', () => {
  const incident = { url: 'https://alerts.example/base/incident/1', members: 4 };
  const alone = alertRow({ incident });
  const page = renderListPage(listOf([incidentRow(), alone]), options);
  assert.match(page, /Incident of 300: <bdi>KubeNodeNotReady<\/bdi>/);
  assert.match(page, /KubeNodeNotReady<\/bdi>, 280 still firing, in <bdi>payments/);
  assert.match(page, /<details id="[^"]+#alerts" class="note"><summary>Needs action · 280 alerts/);
  assert.match(page, /278 more on <a href="https:\/\/alerts\.example\/base\/incident\/00c0ffee/);
  assert.match(page, /part of an incident of 4/);
});

test('renderListPage() names three namespaces of an incident, and says if there are others', () => {
  const lineOf = (namespaces: readonly string[]): string => {
    const page = renderListPage(listOf([incidentRow({ namespaces })]), options);
    return /, in (.*)<\/span><\/div>/.exec(page)?.[1]?.replaceAll(/<\/?bdi>/g, '') ?? '';
  };
  assert.equal(lineOf(['a', 'b', 'c']), 'a, b, c');
  assert.equal(lineOf(['a', 'b', 'c', 'd']), 'a, b, c and others');
});

test('renderListPage() counts by severity, with links that keep the other filters', () => {
  const filter = { ...everything, namespace: 'a&b' };
  const page = renderListPage(listOf([alertRow()]), { ...options, filter });
  assert.match(page, /href="\?state=open&amp;severity=critical&amp;namespace=a%26b"/);
  assert.match(page, /href="\?state=ended&amp;namespace=a%26b"/);
  const chosen = { ...filter, state: 'open', severity: 'critical' } as const;
  assert.match(renderListPage(listOf([alertRow()]), { ...options, filter: chosen }),
    /severity=critical&amp;namespace=a%26b" aria-current="true"/);
});

test('renderListPage() says that no alert is open if all have ended', () => {
  const ended = alertRow({ ends_at: '2026-11-20T01:20:10Z', status: 'final' });
  const page = renderListPage(listOf([], [ended]), options);
  assert.match(page, /No alert is open/);
  assert.match(brokenAnywhere(page), /after 6 min/);
  assert.doesNotMatch(page, /firing<\/span>/);
});

test('renderListPage() has the title and colour of the open alerts', () => {
  const ended = alertRow({ ends_at: '2026-11-20T01:20:10Z', status: 'final' });
  const headOf = (list: ReportList): string =>
    /<title>(.*?)<\/title>.*<body class="(.*?)"/s.exec(renderListPage(list, options))
      ?.slice(1).join() ?? '';
  assert.equal(headOf(listOf([alertRow({ severity: 'info' })])), '1 open alert,tone-info wide');
  const two = listOf([alertRow(), alertRow()], [ended]);
  assert.equal(headOf(two), '2 open alerts,tone-critical wide');
  assert.equal(headOf(listOf([], [ended])), 'Alerts,tone-resolved wide');
  const none = { ...emptyList, total: { open: 2, ended: 0 } };
  assert.equal(headOf(none), '2 open alerts,tone-unknown wide');
  assert.equal(headOf(emptyList), 'Alerts,tone-unknown wide');
});

test('renderListPage() has only the parts that fit its filter and its cursor', () => {
  const ended = alertRow({ ends_at: '2026-11-20T01:20:10Z', status: 'final' });
  const partsOf = (list: ReportList, state: 'all' | 'open' | 'ended'): string => {
    const page = renderListPage(list, { ...options, filter: { ...everything, state } });
    return [...page.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id).join();
  };
  const both = listOf([alertRow()], [ended]);
  const none: ReportList = { ...emptyList, total: { open: 1, ended: 0 } };
  assert.equal(partsOf(both, 'all'), 'open,ended');
  assert.equal(partsOf(both, 'open'), 'open');
  assert.equal(partsOf(both, 'ended'), 'ended');
  assert.equal(partsOf(none, 'all'), 'open');
  assert.equal(partsOf(none, 'ended'), 'ended');
  assert.equal(partsOf({ ...listOf([], [ended]), is_continued: true }, 'all'), 'ended');
  assert.equal(partsOf({ ...both, is_continued: true }, 'all'), 'open,ended');
});

test('renderListPage() says which kind of alert there is none of', () => {
  const none: ReportList = { ...emptyList, total: { open: 1, ended: 0 } };
  const pageOf = (state: 'open' | 'ended', text: string): string =>
    renderListPage(none, { ...options, filter: { ...everything, state, text } });
  assert.match(pageOf('ended', ''), /No alert has ended yet\./);
  assert.match(pageOf('open', ''), /No alert is open\./);
  assert.match(pageOf('ended', 'nil'), /No ended alert matches this filter\./);
  assert.match(pageOf('open', 'nil'), /No open alert matches this filter\./);
  assert.doesNotMatch(pageOf('open', ''), /class="notice"/);
});

test('renderListPage() links to the next page, and to the same list as JSON', () => {
  const more = { ...listOf([alertRow()]), next: 'o.1.2.f' };
  assert.match(renderListPage(more, options), /after=o\.1\.2\.f">Next page</);
  assert.match(renderListPage(more, options), /base\/reports\.json" rel/);
  assert.match(renderListPage(more, { ...options, filter: { ...everything, text: 'a' } }),
    /base\/reports\.json\?text=a" rel/);
  assert.doesNotMatch(renderListPage(emptyList, options), /reports\.json/);
});

test('renderListPage() says that nothing matches, and links to everything', () => {
  const list: ReportList = { ...emptyList, total: { open: 3, ended: 0 } };
  const page = renderListPage(list, { ...options, filter: { ...everything, text: 'nil' } });
  assert.match(page, /No open alert matches this filter\./);
  assert.match(page, /name="text" value="nil"/);
});

test('renderListPage() says what it did not understand and how far it searched', () => {
  const list: ReportList = {
    ...listOf([alertRow()]),
    ignored: ['state is ignored: it must be <b>.'],
    next: 'e.1.2.f&g',
    is_continued: true,
    searched: {
      open: 10, ended: 50_000, open_cut: true, ended_back_to: '2026-11-19T01:20:10Z',
    },
  };
  const page = renderListPage(list, options);
  assert.match(page, /state is ignored: it must be &lt;b&gt;\./);
  assert.match(page, /Searched 50000 ended alerts, back to/);
  assert.match(page, /Searched only the latest 10 of 1/);
  assert.match(page, /<a rel="next" href="\?after=e\.1\.2\.f%26g">Search further back/);
  assert.match(page, /First page/);
  assert.doesNotMatch(page, /http-equiv="refresh"/);
});

const home = { reportBase: options.reportBase, keptMs: 86_400_000 };

function tagsIn(page: string): number {
  return page.split('<').length;
}

test('renderListPage() and renderWaitingPage() escape naughty strings', () => {
  const clean = tagsIn(renderWaitingPage({ fingerprint: 'x', ...home }));
  const hostile = (text: string): string => {
    const member = listEntryOf({ name: text, place: text });
    const list = listOf([
      alertRow({ name: text, namespace: text, place: `in ${text}`, headline: `a ${text}` }),
      incidentRow({ name: text, headline: `a ${text}`, namespaces: [text], alerts: [member] }),
    ]);
    const filter = { ...everything, text, namespace: text };
    const named = { ...list, namespaces: [text], ignored: [`a ${text}`] };
    return brokenAnywhere(renderListPage(named, { ...options, filter })).replaceAll('<wbr>', '');
  };
  const plain = tagsIn(hostile('plain'));
  for (const text of naughtyStrings()) {
    const waiting = renderWaitingPage({ fingerprint: text, ...home });
    assert.equal(tagsIn(waiting), clean);
    if (text.trim() === '') continue; // A filter by nothing is none, so the page has other links.
    assert.equal(tagsIn(hostile(text)), plain, text);
  }
});

test('renderListPage() stays below 150 KB for a full page', () => {
  const incident = incidentRow({ alerts: Array.from({ length: 10 }, () => listEntryOf()) });
  const alert = alertRow({ headline: 'h'.repeat(1000), name: 'n'.repeat(1000) });
  const rows = Array.from({ length: 50 }, (_, index) => (index < 6 ? incident : alert));
  const size = Buffer.byteLength(renderListPage(listOf(rows), options));
  assert.ok(size < 150_000, `${size} bytes`);
});
