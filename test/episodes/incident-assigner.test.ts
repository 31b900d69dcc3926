import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNotification } from '../../src/alert/notification.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { recordKinds } from '../../src/episodes/episode-journal.ts';
import { IncidentAssigner } from '../../src/episodes/incident-assigner.ts';
import { decodeNotification, encodeNotification } from '../../src/episodes/records.ts';
import type { Clock } from '../../src/lib/clock.ts';

/** A millisecond passes with each look at it. */
function busyClock(): Pick<Clock, 'monotonic'> {
  let ms = 0;
  return { monotonic: () => (ms += 1) };
}

/** Counts the turns of the event loop that others get while `run` goes on. */
async function turnsDuring(run: () => Promise<void> | undefined): Promise<number> {
  let turns = 0;
  let goesOn = true;
  const count = (): void => {
    turns += 1;
    if (goesOn) setImmediate(count);
  };
  setImmediate(count);
  await run();
  goesOn = false;
  return turns;
}

/** A book to which one record has been applied: a notification of so many alerts. */
function bookOf(count: number): EpisodeBook {
  const alerts = Array.from({ length: count }, (_, index) => ({
    labels: { alertname: 'PodSlow', pod: `p${index}`, namespace: `n${index % 9}` },
  }));
  const body = Buffer.from(JSON.stringify({ alerts }));
  const accepted = parseNotification(JSON.parse(body.toString()), 5).alerts.map(
    ({ fingerprint }, index) => ({ fingerprint, kind: 'opened', number: 1, index } as const));
  const record = decodeNotification(
    Buffer.concat(encodeNotification({ receivedAt: 5, accepted, body })));
  const book = new EpisodeBook();
  recordKinds.notification.apply(book, 1, record);
  return book;
}

for (const how of ['assignAll', 'afterRecord'] as const) {
  test(`IncidentAssigner.${how}() groups a notification of 3000 alerts in many turns`, async () => {
    const book = bookOf(3000);
    const turns = await turnsDuring(() => new IncidentAssigner(book, busyClock())[how]());
    assert.ok(turns > 10, `${turns} turns`);
    assert.ok([...book.all()].every(({ incident }) => incident !== null));
  });
}

test('a replay of many small records takes a turn whenever it has worked for long', async () => {
  const settler = new IncidentAssigner(new EpisodeBook(), busyClock());
  const turns = await turnsDuring(async () => {
    for (let record = 0; record < 1000; record += 1) await settler.afterRecord();
  });
  assert.ok(turns > 50, `${turns} turns`);
});

test('IncidentAssigner.assignAll() is done for all who wait once nothing is left', async () => {
  const book = bookOf(100);
  const settler = new IncidentAssigner(book, busyClock());
  await Promise.all([settler.assignAll(), settler.assignAll()]);
  assert.equal(book.assignSome(0), true);
});

test('reading the book waits for no grouping', () => {
  const book = bookOf(100);
  assert.equal([...book.all()].length, 100);
  const [episode] = book.open;
  assert.ok(episode !== undefined && book.find(episode.fingerprint, null) === episode);
  assert.equal(book.membershipOf(episode), null);
  assert.equal(book.assignSome(0), false);
});
