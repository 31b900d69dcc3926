import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { Ledger, type Tracked } from '../../scripts/crash/ledger.ts';
import { verifyEpisodes, verifyLatest } from '../../scripts/crash/verify.ts';
import { createRandom } from '../../scripts/random.ts';
import type { Report } from '../../src/report/report.ts';
import { listenLocally } from '../support/http/local-server.ts';
import { anAlert, fingerprint } from '../support/samples/alerts.ts';
import { aCaseFile, investigated } from '../support/samples/case-files.ts';

const name = '00000000000000aa';

/** What the ledger knows of one alert: two episodes, of which the first has feedback. */
function tracked(over: Partial<Tracked> = {}): Tracked {
  return {
    fingerprint: name, isOld: false, episodes: 2, state: 'firing', pending: null, endsUnanswered: 0,
    changedAt: 0,
    notes: new Map([[1, ['Note 1']]]), ...over,
  };
}

async function reportOf(number: number, over: Partial<Report> = {}): Promise<Report> {
  const alert = anAlert({ fingerprint: fingerprint(name) });
  const report = await investigated(aCaseFile({ alert }));
  const said = { at: report.updated_at, verdict: 'partly', cause: null, noisy: false } as const;
  return {
    ...report, episode: { ...report.episode, number, of: 2 },
    feedback: number === 1 ? [{ ...said, note: 'Note 1' }] : [], ...over,
  };
}

/** The kinds of problems found with a service that serves these bodies; null answers 404. */
async function kindsOf(
  t: TestContext,
  [first, latest]: readonly [first: unknown, latest: unknown],
  alert: Tracked = tracked(),
): Promise<string[]> {
  const url = await listenLocally(t, createServer((request, response) => {
    const body = request.url?.endsWith('/1.json') === true ? first : latest;
    response.writeHead(body === null ? 404 : 200).end(JSON.stringify(body));
  }));
  const ledger = new Ledger(createRandom(1), Date.now());
  const problems = await verifyEpisodes(url, ledger, [alert]);
  const ofLatest = await verifyLatest(url, ledger, [alert]);
  assert.ok(ofLatest.length <= problems.length);
  return problems.map(({ kind }) => kind);
}

test('verifyEpisodes() finds no problem if everything acknowledged is there', async (t) => {
  assert.deepEqual(await kindsOf(t, [await reportOf(1), await reportOf(2)]), []);
});

test('verifyEpisodes() finds reports and feedback that are lost', async (t) => {
  const [first, latest] = [await reportOf(1), await reportOf(2)];
  assert.deepEqual(await kindsOf(t, [first, null]), ['lost']);
  assert.deepEqual(await kindsOf(t, [null, latest]), ['lost']);
  assert.deepEqual(await kindsOf(t, [latest, latest]), ['lost']);
  assert.deepEqual(await kindsOf(t, [{ ...first, feedback: [] }, latest]), ['lost']);
  const resolved = { ...latest, episode: { ...latest.episode, state: 'resolved' } };
  assert.deepEqual(await kindsOf(t, [first, resolved]), ['lost']);
  assert.deepEqual(await kindsOf(t, [first, latest], tracked({ episodes: 3 })), ['lost', 'lost']);
});

test('verifyEpisodes() finds what is doubled, torn or unfinished', async (t) => {
  const [first, latest] = [await reportOf(1), await reportOf(2)];
  const third = { ...latest, episode: { ...latest.episode, number: 3, of: 3 } };
  assert.ok((await kindsOf(t, [first, third])).includes('doubled'));
  const twice = { ...first, feedback: [...first.feedback, ...first.feedback] };
  assert.deepEqual(await kindsOf(t, [twice, latest]), ['doubled']);
  const { verdict: _, ...incomplete } = latest;
  assert.deepEqual(await kindsOf(t, [first, incomplete]), ['torn']);
  assert.deepEqual(await kindsOf(t, [first, { ...latest, fingerprint: 'other' }]), ['torn']);
  assert.deepEqual(await kindsOf(t, [first, await reportOf(2, { status: 'queued' })]),
    ['unfinished']);
});

test('verifyEpisodes() accepts either outcome of a step that was not answered', async (t) => {
  const reports = [await reportOf(1), await reportOf(2)] as const;
  assert.deepEqual(await kindsOf(t, reports, tracked({ episodes: 1, pending: 'fire' })), []);
  assert.deepEqual(await kindsOf(t, reports, tracked({ pending: 'resolve' })), []);
  const old = tracked({ isOld: true, pending: 'resolve' });
  assert.deepEqual(await kindsOf(t, [null, null], old), []);
  const again = { isOld: true, episodes: 1, state: 'resolved', endsUnanswered: 1 } as const;
  const { episode, ...latest } = reports[1];
  const ended = { ...latest, episode: { ...episode, state: 'resolved' } };
  assert.deepEqual(await kindsOf(t, [null, ended], tracked(again)), []);
  const once = tracked({ ...again, endsUnanswered: 0 });
  assert.deepEqual(await kindsOf(t, [null, ended], once), ['doubled']);
});
