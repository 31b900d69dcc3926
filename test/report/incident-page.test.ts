import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncidentEntry, IncidentView } from '../../src/report/incident.ts';
import { renderIncidentPage } from '../../src/report/pages/incident-page.ts';
import { naughtyStrings } from '../support/hostile-report.ts';
import { sampleNow as now } from '../support/sample-report.ts';

function entry(over: Partial<IncidentEntry> = {}): IncidentEntry {
  return {
    fingerprint: 'abc', number: 2, name: 'NodeDown', severity: 'critical', namespace: 'payments',
    starts_at: '2026-11-20T01:14:10Z', ends_at: null, headline: 'It is down.',
    report_url: 'https://alerts.example/report/abc/2', ...over,
  };
}

function incident(over: Partial<IncidentView> = {}): IncidentView {
  return {
    id: '00c0ffee00c0ffee', url: 'https://alerts.example/incident/00c0ffee00c0ffee',
    members: [entry(), entry({ name: 'ApiSlow', severity: 'warning' })], likely_origin: 'abc',
    ...over,
  };
}

test('renderIncidentPage() shows the likely origin first, with links to all reports', () => {
  const page = renderIncidentPage(incident(), { now });
  assert.match(page, /<h1>Incident of 2 alerts<\/h1>/);
  assert.match(page, /2 of them still firing/);
  assert.ok(page.indexOf('NodeDown') < page.indexOf('ApiSlow'));
  assert.match(page, /no proof/);
  assert.match(page, /<a href="https:\/\/alerts\.example\/report\/abc\/2"/);
  assert.match(page, /incident\/00c0ffee00c0ffee\.json/);
  assert.match(page, /http-equiv="refresh"/);
});

test('renderIncidentPage() says when nothing tells the origin, and when all is over', () => {
  const members = [entry({ ends_at: '2026-11-20T01:20:10Z' })];
  const page = renderIncidentPage(incident({ likely_origin: null, members }), { now });
  assert.match(page, /Nothing sets one of these alerts apart/);
  assert.match(page, /All of them have ended/);
  assert.match(page, /for 6 min/);
  assert.doesNotMatch(page, /http-equiv="refresh"/);
});

test('renderIncidentPage() shows 500 members', () => {
  const members = Array.from({ length: 500 }, (_, index) => entry({ name: `A${index}` }));
  const page = renderIncidentPage(incident({ members }), { now });
  assert.match(page, />A499</);
});

test('renderIncidentPage() escapes naughty strings', () => {
  const plain = renderIncidentPage(incident(), { now }).replace(/[^<]/g, '').length;
  for (const text of naughtyStrings()) {
    const hostile = entry({ name: text, namespace: text, headline: text });
    const page = renderIncidentPage(incident({ members: [hostile, hostile] }), { now });
    assert.equal(page.replace(/[^<]/g, '').length, plain, text);
  }
});
