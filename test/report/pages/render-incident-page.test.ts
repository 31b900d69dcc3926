import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncidentEntry, IncidentView } from '../../../src/report/incident.ts';
import { renderIncidentPage } from '../../../src/report/pages/render-incident-page.ts';
import { brokenAnywhere } from '../../support/broken-anywhere.ts';
import { assertOnlyOwnMarkup } from '../../support/own-markup.ts';
import { naughtyStrings } from '../../support/samples/hostile-report.ts';
import { listEntryOf } from '../../support/samples/report-lists.ts';
import { sampleNow as now } from '../../support/samples/sample-report.ts';

const base = 'https://alerts.example/base';
const start = '2026-11-20T01:14:10Z';
const moment = { at: start, until: '2026-11-20T01:20:10Z' };

function entry(over: Partial<IncidentEntry> = {}): IncidentEntry {
  return { ...listEntryOf({ name: 'NodeDown', headline: 'It is down.' }), layer: 'node', ...over };
}

function incident(over: Partial<IncidentView> = {}): IncidentView {
  return {
    schema: 1, id: '00c0ffee00c0ffee', url: `${base}/incident/00c0ffee00c0ffee`,
    name: 'NodeDown', opened_at: start, ended_at: null,
    most_likely: {
      text: 'no power', certainty: 'likely', name: 'NodeDown', report_url: `${base}/report/n`,
    },
    do_first: { text: 'See the rack.', name: 'NodeDown', report_url: `${base}/report/n` },
    members: [entry(), entry({ name: 'ApiSlow', severity: 'warning' })], likely_origin: 'abc',
    origin: null, origin_reasons: ['It began 12 s before ApiSlow.'],
    scope: {
      namespaces: [{ name: 'payments', alerts: 2 }],
      layers: [{ name: 'node', alerts: 1 }, { name: 'service', alerts: 1 }],
      names: [{ name: 'NodeDown', alerts: 1 }, { name: 'ApiSlow', alerts: 1 }],
    },
    also_began: [],
    timeline: [
      { ...moment, kind: 'began', name: 'NodeDown', alerts: 60, report_url: `${base}/report/1` },
      { ...moment, kind: 'changed', name: 'Free memory fell.', alerts: 1, report_url: base },
    ],
    ...over,
  };
}

test('renderIncidentPage() shows the likely origin first, with links to all reports', () => {
  const page = brokenAnywhere(renderIncidentPage(incident(), { now }));
  assert.match(page, /<p class="place"><span>Incident of 2: <bdi>NodeDown<\/bdi></);
  const unknown = renderIncidentPage(incident({ most_likely: null }), { now });
  assert.match(unknown, /<h1>Incident of 2: <bdi>NodeDown<\/bdi><\/h1>/);
  assert.match(page, /All alerts are firing/);
  assert.ok(page.indexOf('NodeDown') < page.indexOf('ApiSlow'));
  const sections = [...page.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id);
  assert.deepEqual(sections, ['cause', 'origin', 'course', 'timeline', 'members']);
  assert.match(page, /not proof/);
  assert.match(page, /<a href="https:\/\/alerts\.example\/base\/report\/abc\/2"/);
  assert.match(page, /It began 12 s before ApiSlow/);
  assert.match(page, />01:14:10 UTC<\/time>.*the last at <time[^>]*>01:20:10 UTC/);
  assert.match(page, /NodeDown<\/bdi><\/a> began, 60 alerts, the last at <time/);
  assert.match(page, /Free memory fell\./);
  assert.match(page, /Since <time/);
  assert.match(page, /Firing for <time data-age="span"[^>]*>12 min<\/time>/);
  assert.match(page, /incident\/00c0ffee00c0ffee\.json/);
  assert.match(page, /<a href="https:\/\/alerts\.example\/base\/"[^>]*>All alerts</);
  assert.match(page, /http-equiv="refresh"/);
});

test('renderIncidentPage() shows the cause and the first step of its reports', () => {
  const wordsOf = (over: Partial<IncidentView>): string =>
    /<section id="cause".*?<\/section>/s.exec(renderIncidentPage(incident(over), { now }))?.[0]
      .replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ').trim() ?? '';
  const first = { text: 'Ask Ann.', name: 'ApiSlow', report_url: `${base}/report/a` };
  assert.equal(wordsOf({}), 'What its reports say Most likely: no power (likely) · report of ' +
    'NodeDown Do first See the rack.');
  assert.equal(wordsOf({ most_likely: null, do_first: first }), 'What its reports say ' +
    'No report has established a cause. Do first Ask Ann. · report of ApiSlow');
  assert.equal(wordsOf({ most_likely: null, do_first: null }),
    'What its reports say No report has established a cause.');
});

test('renderIncidentPage() lists what else began then in lower layers, after the origin', () => {
  const url = `${base}/report/dns/1`;
  const other = entry({ name: 'CoreDNSDown', place: 'dns-1', layer: 'control plane' });
  const page = renderIncidentPage(
    incident({ also_began: [{ ...other, report_url: url }] }), { now });
  const sections = [...page.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id);
  assert.deepEqual(sections, ['cause', 'origin', 'also', 'course', 'timeline', 'members']);
  const words = /<section id="also".*?<\/section>/s.exec(page)?.[0] ?? '';
  assert.ok(words.includes(`href="${url}"`));
  assert.match(words.replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' '),
    /Also began then .*CoreDNSDown dns-1 since 01:14 UTC .*other incidents, in lower layers/);
});

test('renderIncidentPage() leaves out an unknown origin, and says that all have ended', () => {
  const members = [entry({ ends_at: '2026-11-20T01:20:10Z' })];
  const over = { likely_origin: null, members, ended_at: '2026-11-20T01:20:10Z' };
  const page = renderIncidentPage(incident(over), { now });
  assert.doesNotMatch(page, /id="origin"/);
  assert.match(page, /All alerts have ended/);
  assert.match(page, /<title>Ended: Incident of 1: NodeDown<\/title>/);
  assert.match(page, /<body class="tone-resolved wide"/);
  assert.match(page, /Resolved after 6 min/);
  assert.match(page, /after 6 min/);
  assert.doesNotMatch(page, /http-equiv="refresh"/);
});

test('renderIncidentPage() has the colour and the severity of the worst firing alert', () => {
  const ended = entry({ ends_at: '2026-11-20T01:20:10Z' });
  for (const severity of ['critical', 'warning', 'info', 'unknown'] as const) {
    const members = [ended, entry({ severity: 'none' }), entry({ severity })];
    const page = renderIncidentPage(incident({ members }), { now });
    assert.match(page, new RegExp(`<body class="tone-${severity} wide"`));
    assert.match(page, new RegExp(`<span class="badge ${severity}">`));
    assert.match(page, /2 of them are still firing/);
  }
  const last = [ended, entry({ severity: 'info' })];
  const page = renderIncidentPage(incident({ members: last }), { now });
  assert.match(page, /One of them is still firing/);
  assert.match(page, /<title>Incident of 2: NodeDown<\/title>/);
  assert.match(page, /<body class="tone-info wide"/);
});

test('renderIncidentPage() lists 250 members, and says how many of 500 are left out', () => {
  const pageOf = (count: number): string => {
    const members = Array.from({ length: count }, (_, index) => entry({ name: `A${index}` }));
    return renderIncidentPage(incident({ members }), { now });
  };
  assert.match(pageOf(250), />A249</);
  assert.match(pageOf(250), /<summary>240 more/);
  assert.doesNotMatch(pageOf(250), /in the JSON/);
  assert.match(pageOf(500), /and 250 more in the JSON/);
  const size = Buffer.byteLength(pageOf(300));
  // The scripts add some 25 kB to it.
  assert.ok(size < 125_000, `${size} bytes`);
});

test('renderIncidentPage() names 20 parts of the scope and counts the others', () => {
  const scopeOf = (count: number): string => {
    const namespaces = Array.from({ length: count }, (_, index) =>
      ({ name: `n${index}`, alerts: 2 }));
    const members = Array.from({ length: 11 }, () => entry());
    const scope = { namespaces, layers: [], names: [] };
    const page = renderIncidentPage(incident({ members, scope }), { now });
    return /Namespaces<\/dt><dd>(.*?)<\/dd>/.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '';
  };
  assert.equal(scopeOf(2), 'n0 (2), n1 (2)');
  assert.match(scopeOf(20), /, n19 \(2\)$/);
  assert.match(scopeOf(21), /, n19 \(2\) and 1 more$/);
});

test('renderIncidentPage() folds its timeline after the first 12 entries', () => {
  const pageOf = (count: number): string => {
    const timeline = Array.from({ length: count }, () =>
      ({ ...moment, kind: 'ended' as const, name: 'A', alerts: 1, report_url: base }));
    return renderIncidentPage(incident({ timeline }), { now });
  };
  assert.doesNotMatch(pageOf(12), /<summary>/);
  assert.match(pageOf(13), /<summary>1 more<\/summary><ol class="moments"><li>/);
  assert.match(pageOf(1), /<\/a> ended, the last at/);
});

test('renderIncidentPage() folds the members after the first ten', () => {
  const pageOf = (count: number): string => {
    const members = Array.from({ length: count }, () => entry());
    return renderIncidentPage(incident({ members }), { now });
  };
  assert.doesNotMatch(pageOf(10), /<summary>/);
  assert.match(pageOf(11), /<summary>1 more<\/summary><ul class="folded">/);
  assert.match(pageOf(251), /and 1 more in the JSON/);
});

test('renderIncidentPage() escapes naughty strings', () => {
  const alike = incident({ members: [entry(), entry()] });
  const plain = brokenAnywhere(renderIncidentPage(alike, { now })).split('<').length;
  for (const text of naughtyStrings()) {
    const headline = `a ${text}`;
    const hostile = entry({ name: text, namespace: text, place: `in ${text}`, headline });
    const [began, changed] = incident().timeline.map((each) => ({ ...each, name: text }));
    const over = {
      name: text, members: [hostile, hostile], origin_reasons: [text],
      most_likely: { text, name: text, report_url: base, certainty: 'likely' as const },
      do_first: { text, name: text, report_url: base },
      timeline: began === undefined || changed === undefined ? [] : [began, changed],
    };
    const page = brokenAnywhere(renderIncidentPage(incident(over), { now }))
      .replaceAll('<wbr>', '');
    assert.equal(page.split('<').length, plain, text);
  }
});

test('renderIncidentPage() shows one alert of each name in full, below how many there are', () => {
  const names = ['NodeDown', ...Array.from({ length: 30 }, () => 'HighErrorRate'), 'QueueLong'];
  const members = names.map((name, index) =>
    entry({ name, report_url: `${base}/report/${index}` }));
  const scope = { namespaces: [], layers: [], names: [{ name: 'HighErrorRate', alerts: 30 }] };
  const page = renderIncidentPage(incident({ members, scope }), { now });
  const sections = [...page.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id);
  assert.deepEqual(sections, ['cause', 'origin', 'scope', 'course', 'timeline', 'members']);
  assert.match(page, /Alerts<\/dt><dd>.*HighErrorRate.* \(30\)/);
  const rows = page.slice(page.indexOf('<section id="members"'), page.indexOf('22 more'));
  const links = rows.matchAll(/<h3><a href="[^"]*report\/(\d+)"/g);
  const linked = [...links].map(([, index]) => Number(index));
  assert.deepEqual(linked, [0, 1, 31, 2, 3, 4, 5, 6, 7, 8]);
});

test('renderIncidentPage() says on what else an alert of the likely origin fires', () => {
  const pageOf = (count: number, all?: string): string => {
    const origins = Array.from({ length: count }, (_, index) =>
      entry({ place: all ?? `node-${index}` }));
    const members = [...origins, entry({ name: 'ApiSlow' })];
    return renderIncidentPage(incident({ members }), { now }).replaceAll(/<\/?bdi>/g, '');
  };
  assert.match(pageOf(1), /<p>node-0<\/p>/);
  assert.match(pageOf(3), /<p>node-0 and 2 more alerts of this name: node-1; node-2<\/p>/);
  assert.match(pageOf(2, 'in shop'), /<p>in shop and 1 more alert of this name<\/p>/);
  assert.match(pageOf(3, ''), /<p>2 more alerts of this name<\/p>/, 'their labels name no place');
  assert.doesNotMatch(pageOf(1, ''), /<p><\/p>/);
  assert.match(pageOf(8), /7 more alerts of this name: node-1; node-2; node-3; node-4; node-5; …/);
});

test('renderIncidentPage() isolates the place of the likely origin, which a sender chose', () => {
  const page = renderIncidentPage(incident({ members: [entry({ place: '\u202Eedon' })] }), { now });
  const section = page.slice(page.indexOf('id="origin"'), page.indexOf('id="members"'));
  assert.doesNotMatch(section, /\u202E/);
});

test('renderIncidentPage() draws its alerts over one time, and the path', () => {
  const hop = { labels: {}, works: null, evidence: [], since: null } as const;
  const path: NonNullable<IncidentView['path']> = {
    name: 'ApiSlow', report_url: 'https://alerts.example/report/aa', origin: 1,
    hops: [
      { ...hop, component: 'api', relation: null, state: 'failing', faults: [] },
      { ...hop, component: 'db', relation: 'called', state: 'failing', faults: [] },
    ],
  };
  const members = [
    entry({ name: 'Late', starts_at: '2026-11-20T01:20:10Z' }),
    entry({ name: 'Early', starts_at: '2026-11-20T01:10:10Z', ends_at: '2026-11-20T01:12:10Z' }),
  ];
  const page = renderIncidentPage(incident({ members, path }), { now });
  const drawn = /<figure class="chart lanes">[^]*?<\/figure>/u.exec(page)?.[0] ?? '';
  assert.ok(drawn.indexOf('>Early<') < drawn.indexOf('>Late<'));
  assert.match(drawn, /class="bar resolved"[^]*class="bar critical"/u);
  const map = /<svg class="map"[^]*?<\/svg>/u.exec(page)?.[0] ?? '';
  assert.match(map, /◆ api fails<[^]*>calls<[^]*class="failing origin"[^]*◆ db fails</u);
  assertOnlyOwnMarkup(page);
});
