import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markupText } from '../../../src/report/html.ts';
import { alertList, memberLine } from '../../../src/report/pages/list/rows.ts';
import type { AlertRow, IncidentRow } from '../../../src/report/report-list.ts';
import { alertRow, incidentRow, listEntryOf } from '../../support/samples/report-lists.ts';
import { sampleNow as now } from '../../support/samples/sample-report.ts';

const ended = { ends_at: '2026-11-20T01:20:10Z' };

/** The words of a row of the list. */
function wordsOf(row: AlertRow | IncidentRow): string {
  return markupText(alertList([row], now)).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    .replaceAll('&#39;', "'");
}

function alertWords(over: Partial<AlertRow>): string {
  return wordsOf(alertRow(over));
}

function incidentWords(over: Partial<IncidentRow>): string {
  return wordsOf(incidentRow(over));
}

test('a row shows its report\'s conclusion, or the state of its analysis', () => {
  const none = { classification: null, certainty: null, number: 1 } as const;
  for (const [over, said] of [
    [{ ...none, status: 'queued' }, 'Waiting to be analysed '],
    [{ ...none, status: 'queued', said: 'right' }, 'Waiting to be analysed · rated right '],
    [{ ...none, status: 'analysing' }, 'Being analysed '],
    [{ ...none, status: 'failed' }, 'Analysis failed '],
    [{ ...none, status: 'failed', said: 'wrong' }, 'Analysis failed · rated wrong '],
    // The conclusion of before stays while it is analysed again.
    [{ status: 'analysing', number: 1 }, 'Needs action '],
    [{ status: 'ready', number: 13 }, 'Needs action · episode 13 '],
  ] as const) assert.ok(alertWords(over).endsWith(`holds it. ${said}`), alertWords(over));
});

test('a row has the most likely cause, how certain it is, and the first step', () => {
  assert.match(alertWords({}),
    /It is slow\. Most likely: the pool is full \(likely\) First: See who holds it\. Needs/);
  const found = { most_likely: 'x'.repeat(300), certainty: 'possible' } as const;
  assert.match(alertWords(found), /Most likely: x{159}… \(possible\) First/);
  const unknown = { most_likely: null, certainty: 'inconclusive' } as const;
  assert.match(alertWords(unknown), /It is slow\. First: See who holds it\. Needs/);
  assert.match(alertWords({ ...unknown, do_first: null }), /It is slow\. Needs/);
  assert.match(incidentWords({}),
    /Most likely: the kubelet stopped \(likely\) First: .+ Needs action · 280 alerts/);
});

test('the row of an incident says from whose report the cause is, if not that of its lead', () => {
  const words = incidentWords({ cause_from: 'PodOutOfMemory' });
  assert.match(words, /: the kubelet stopped \(likely\) · report of PodOutOfMemory First:/);
  assert.doesNotMatch(incidentWords({}), /report of/);
});

test('the row of an incident says what its likely origin is, and when that has ended', () => {
  const line = (over: Partial<IncidentRow>): string =>
    /Likely origin.*?(?=,| ·|$)/.exec(incidentWords(over))?.[0].trim() ?? '';
  assert.equal(line({}), 'Likely origin: KubeNodeNotReady');
  const origin = { name: 'DiskFull', has_ended: true };
  assert.equal(line({ likely_origin: origin }), 'Likely origin: DiskFull (ended)');
  assert.equal(line({ likely_origin: origin, ...ended }), 'Likely origin: DiskFull');
  assert.equal(line({ likely_origin: null }), '');
});

test('a row says whether its alert is firing', () => {
  assert.match(alertWords({}), /critical ● firing/);
  assert.match(alertWords(ended), /critical ✓ ended/);
  assert.match(markupText(alertList([alertRow(ended)], now)), /class="state resolved"><span/);
});

test('a row counts notifications beyond the usual two', () => {
  assert.doesNotMatch(alertWords({ notifications: 2 }), /notification/);
  assert.match(alertWords({ notifications: 3 }), /· 3 notifications/);
});

test('a row says how old the last notification is when it may have missed the end', () => {
  const heard = (hoursAgo: number): string =>
    alertWords({ heard_at: new Date(now - hoursAgo * 3_600_000).toISOString() });
  assert.match(heard(72), / ago , last notification 3 d ago /);
  assert.doesNotMatch(heard(47), /last notification/);
  assert.doesNotMatch(alertWords({ ...ended, heard_at: null }), /last notification/);
});

test('a row says where the alert is, or at least its namespace, if known', () => {
  const line = (over: Partial<AlertRow>): string =>
    markupText(alertList([alertRow(over)], now))
      .match(/<\/h3> <span class="quiet">(.*?)<\/span>/)?.[1] ?? '';
  assert.equal(line({ place: 'cart-1 in shop' }), '<bdi>cart-1 in shop</bdi>');
  assert.equal(line({ place: '', namespace: 'shop' }), '<bdi>in shop</bdi>');
  assert.equal(line({ place: '', namespace: null }), '');
});

test('the row of an incident counts only what it does not say otherwise', () => {
  const all = { members: 5, open: 5, matching: 5 };
  assert.doesNotMatch(incidentWords(all), /still firing|listed here/);
  assert.match(incidentWords({ ...all, open: 1, matching: 1 }), /, 1 still firing/);
  assert.match(incidentWords({ ...all, open: 3, matching: 2 }), /3 still firing, 2 listed here/);
  assert.doesNotMatch(incidentWords({ ...all, ...ended, open: 0 }), /still firing|listed here/);
  assert.match(incidentWords({ ...all, ...ended, open: 0 }), /✓ ended/);
  assert.match(incidentWords({ members: 2 }), /Incident of 2: KubeNodeNotReady /);
});

test('the row of an incident has the gist of its report once there is one', () => {
  assert.match(incidentWords({}), /It does not report\./);
  const empty = markupText(alertList([incidentRow({ gist: '', namespaces: [] })], now));
  assert.doesNotMatch(empty, /<p><\/p>|<p class="gist|, in /);
});

test('the row of an incident says how many alerts it does not list', () => {
  const alerts = [listEntryOf(), listEntryOf()];
  assert.doesNotMatch(incidentWords({ alerts, matching: 2 }), /more on/);
  assert.match(incidentWords({ alerts, matching: 3 }), /1 more on the incident's page/);
});

test('memberLine() says since when an alert has been firing, or when it ended', () => {
  assert.match(markupText(memberLine(listEntryOf(), now)), /<span>since <time[^>]*>01:14 UTC/);
  assert.match(markupText(memberLine(listEntryOf(ended), now)), /<span>ended <time[^>]*>01:20 UTC/);
});

test('a row draws when its alert fired in the last day', () => {
  const hour = 3_600_000;
  const at = (hoursAgo: number): string => new Date(now - hoursAgo * hour).toISOString();
  const strip = (recent: NonNullable<AlertRow['recent']>): string =>
    /<svg class="day"[^]*?<\/svg>/u.exec(markupText(alertList([alertRow({ recent })], now)))?.[0]
      ?? '';
  const drawn = strip([
    { from: at(50), to: at(49) }, { from: at(25), to: at(18) }, { from: at(6), to: null },
  ]);
  assert.match(drawn, /<title>Fired 2 times in the last day<\/title>/u);
  assert.match(drawn, /class="bar" d="M0 0V14H250V0ZM750 0V14H1000V0Z"/u);
  assert.equal(strip([{ from: at(50), to: at(49) }]), '');
});
