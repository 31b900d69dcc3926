import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClosedEpisodes } from '../../../src/episodes/book/closed-episodes.ts';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { endOf, type Episode } from '../../../src/episodes/episode.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { anAlert, fingerprint as named } from '../../support/samples/alerts.ts';

const start = Date.parse('2026-11-20T10:00:00Z');

/** Episodes that ended so many minutes after the start. */
function ended(...minutes: number[]): Episode[] {
  const book = new EpisodeBook();
  return minutes.map((minute, index) => {
    const endsAt = new Date(start + minute * 60_000).toISOString();
    const each = anAlert({ status: 'resolved', endsAt, fingerprint: named(`f${index}`) });
    const { fingerprint } = each;
    const kind = 'arrived_resolved';
    const accepted = [{ fingerprint, kind, number: 1, index: 0, alert: each } as const];
    const text = JSON.stringify({ alerts: [each] });
    book.applyNotification(index, { receivedAt: start + minute * 60_000, text, accepted });
    const episode = book.find(fingerprint, 1);
    assert.ok(episode);
    return episode;
  });
}

function minutesOf(episodes: Iterable<Episode>): number[] {
  return Array.from(episodes, ({ endsAt }) => (Date.parse(endsAt ?? '') - start) / 60_000);
}

test('ClosedEpisodes iterates from the latest, or from after a given one', () => {
  const closed = new ClosedEpisodes();
  const episodes = ended(1, 2, 3);
  for (const episode of episodes) closed.add(episode);
  assert.deepEqual(minutesOf(closed.latestFirst()), [3, 2, 1]);
  assert.deepEqual(minutesOf(closed.latestFirst(episodes[1])), [1]);
  assert.deepEqual(minutesOf(closed.oldestFirst()), [1, 2, 3]);
});

test('ClosedEpisodes.endedBefore() begins with the last that ended before a time', () => {
  const closed = new ClosedEpisodes();
  for (const episode of ended(1, 2, 2, 4)) closed.add(episode);
  const [first] = closed.oldestFirst();
  const second = [...closed.oldestFirst()][1];
  assert.ok(first && second);
  const before = (end: number): number[] => minutesOf(closed.endedBefore(end));
  assert.deepEqual(before(endOf(second)), [1]);
  assert.deepEqual(before(endOf(second) + 1), [2, 2, 1]);
  assert.deepEqual(before(Infinity), [4, 2, 2, 1]);
  assert.deepEqual(before(-1), []);
  closed.remove(first);
  assert.deepEqual(before(endOf(second) + 1), [2, 2]);
});

test('ClosedEpisodes.add() keeps the order of the ends, whoever tells late', () => {
  const closed = new ClosedEpisodes();
  const episodes = ended(5, 1, 3, 4, 2, 9, 0);
  for (const episode of episodes) closed.add(episode);
  assert.deepEqual(minutesOf(closed.oldestFirst()), [0, 1, 2, 3, 4, 5, 9]);
  const [first, second] = [...closed.oldestFirst()];
  assert.ok(first && second);
  closed.remove(first);
  closed.remove(second);
  for (const episode of ended(0, 7)) closed.add(episode);
  assert.deepEqual(minutesOf(closed.oldestFirst()), [0, 2, 3, 4, 5, 7, 9]);
});

test('ClosedEpisodes.fill() puts in order what it is given, and keeps nothing else', () => {
  const closed = new ClosedEpisodes();
  const episodes = ended(5, 1, 3);
  for (const episode of episodes) closed.add(episode);
  const [removed] = closed.oldestFirst();
  assert.ok(removed);
  closed.remove(removed);
  closed.fill(ended(9, 7, 8));
  assert.deepEqual(minutesOf(closed.oldestFirst()), [7, 8, 9]);
  assert.equal(closed.size, 3);
});

test('ClosedEpisodes.remove() takes from the front, from the middle, and what is not there', () => {
  const closed = new ClosedEpisodes();
  const episodes = ended(...Array.from({ length: 3_000 }, (_, index) => index));
  for (const episode of episodes) closed.add(episode);
  for (const episode of episodes.slice(0, 2_500)) closed.remove(episode);
  for (const episode of episodes.slice(2_600, 2_601)) closed.remove(episode);
  for (const episode of episodes.slice(0, 1)) closed.remove(episode);
  assert.equal(closed.size, 499);
  assert.deepEqual(minutesOf(closed.oldestFirst()).slice(0, 2), [2_500, 2_501]);
  assert.ok(!minutesOf(closed.latestFirst()).includes(2_600));
});

test('ClosedEpisodes keeps no episode in memory that was taken from the front', async () => {
  const closed = new ClosedEpisodes();
  const removed = ended(1, 2).map((episode) => {
    closed.add(episode);
    closed.remove(episode);
    return new WeakRef(episode);
  });
  await new Promise(setImmediate); // A WeakRef holds its target until the turn ends.
  collectGarbage();
  assert.deepEqual(removed.map((each) => each.deref()), [undefined, undefined]);
  assert.equal(closed.size, 0);
});
