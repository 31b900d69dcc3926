import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpisodeKey } from '../../src/alert/episode-key.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import {
  applyRecord, createEpisodeJournal, recordKinds, snapshotOf,
} from '../../src/episodes/episode-journal.ts';
import { ReceivedAlert } from '../../src/episodes/received-alert.ts';
import { encodeNotification, type Accepted } from '../../src/episodes/records.ts';
import { aGroup, anAlert, fingerprint } from '../support/samples/alerts.ts';

const at = Date.parse('2026-11-20T10:00:05Z');
const a: EpisodeKey = { fingerprint: fingerprint('a'), number: 1 };
const alert = { labels: { alertname: 'HighCPU' }, startsAt: '2026-11-20T10:00:00Z' };
const body = JSON.stringify({
  alerts: ['a', 'b'].map((name) => ({ ...alert, fingerprint: name })),
});
const accepted: readonly Accepted[] = [
  { fingerprint: a.fingerprint, kind: 'opened', number: 1, index: 0 },
  { fingerprint: fingerprint('b'), kind: 'opened', number: 1, index: 1 },
];
const meta = `{"receivedAt":${at},"accepted":[["a",0,1,0],["b",0,1,1]]}`;
const key = '{"fingerprint":"a","number":1}';
const told = '{"alert":{"status":"firing","labels":{"alertname":"HighCPU"},"annotations":{},' +
  '"startsAt":"2026-11-20T10:00:00Z","endsAt":null,"generatorURL":"","fingerprint":"a",' +
  '"values":{},"dashboardURL":"","panelURL":""},"group":{"receiver":"team","groupKey":"{}:{}",' +
  `"groupLabels":{},"externalURL":"","listed":1,"truncated":0},"at":${at}}`;

/** As journals hold them since these records exist: the type and the text of each. */
const onDisk: readonly (readonly [type: number, text: string])[] = [
  [1, `${String.fromCharCode(meta.length)}\0\0\0${meta}${body}`],
  [2, key],
  [3, '{"fingerprint":"a","number":1,"state":"reported","revision":1,"conclusion":' +
    '{"classification":"actionable","certainty":"possible","headline":"CPU is high",' +
    '"place":"","cause":null,"firstStep":null}}'],
  [7, '{"fingerprint":"a","number":1,"feedback":{"at":"2026-11-20T10:02:00Z",' +
    '"verdict":"right","cause":null,"note":"known","noisy":false}}'],
  [8, `{"fingerprint":"a","number":1,"told":${told},"goneAt":${at + 60_000}}`],
  [2, key],
  [4, key],
  [2, '{"fingerprint":"b","number":1}'],
  [3, '{"fingerprint":"b","number":1,"state":"failed","revision":1,"conclusion":' +
    '{"classification":"inconclusive","certainty":"inconclusive","headline":"Not analysed",' +
    '"place":"","cause":null,"firstStep":null}}'],
  [5, '{"fingerprint":"b","number":1}'],
];

test('the bytes of every record are those of the journals that exist', async () => {
  const written: (readonly [number, string])[] = [];
  const append = (type: number, parts: readonly Uint8Array[]): Promise<number> => {
    written.push([type, Buffer.concat(parts).toString('latin1')]);
    return Promise.resolve(written.length);
  };
  const book = new EpisodeBook();
  const record = { receivedAt: at, accepted, body: Buffer.from(body) };
  const sequence = await append(recordKinds.notification.type, encodeNotification(record));
  recordKinds.notification.apply(book, sequence, record);
  const journal = createEpisodeJournal(append, book);
  const conclusion = {
    classification: 'actionable', certainty: 'possible', headline: 'CPU is high',
    place: '', cause: null, firstStep: null,
  } as const;
  const [episode] = book.episodesOf('a');
  assert.ok(episode);
  await journal.attempt(episode);
  await journal.outcome({ ...a, state: 'reported', revision: 1, conclusion });
  await journal.feedback({ ...a, feedback: {
    at: '2026-11-20T10:02:00Z', verdict: 'right', cause: null, note: 'known', noisy: false,
  } });
  const again = anAlert({ fingerprint: a.fingerprint, labels: alert.labels });
  const asked = ReceivedAlert.of({ alert: again, group: aGroup }, at);
  await journal.again({ ...a, told: asked, goneAt: at + 60_000 });
  await journal.attempt(episode);
  await journal.release(episode);
  const b = { ...a, fingerprint: fingerprint('b') };
  await journal.attempt(b);
  await journal.outcome({ ...b, state: 'failed', revision: 1, conclusion: {
    ...conclusion, classification: 'inconclusive', certainty: 'inconclusive',
    headline: 'Not analysed',
  } });
  await journal.forget(b);
  assert.deepEqual(written, onDisk);
  assert.deepEqual(snapshotTexts(book), snapshotTexts(replayed()));
});

test('a journal that exists, and its snapshot, come to the episodes they tell of', () => {
  const book = replayed();
  const [episode, ...others] = book.all();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [episode?.fingerprint, episode?.analysis, episode?.attempts, episode?.attemptsTotal],
    ['a', 'queued', 0, 2],
  );
  assert.deepEqual([episode?.isEndUnknown, episode?.endsAt], [true, '2026-11-20T10:01:05.000Z']);
  assert.deepEqual(episode?.feedback.map(({ note }) => note), ['known']);
  const snapshot = [...snapshotOf(book)];
  assert.deepEqual(snapshot.map(({ type }) => type), [6, 9]);
  const restored = new EpisodeBook();
  for (const record of snapshot) applyRecord(restored, { sequence: 0, ...record });
  assert.deepEqual(snapshotTexts(restored), snapshotTexts(book));
  assert.equal(snapshotTexts(book)[1], '{"fingerprint":"b","number":1}');
});

function replayed(): EpisodeBook {
  const book = new EpisodeBook();
  for (const [index, [type, text]] of onDisk.entries()) {
    applyRecord(book, { sequence: index + 1, type, payload: Buffer.from(text, 'latin1') });
  }
  return book;
}

function snapshotTexts(book: EpisodeBook): string[] {
  return [...snapshotOf(book)].map(({ payload }) => payload.toString());
}
